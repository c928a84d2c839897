"""Results in, pages out: charts, the terminal's table, the HTML page, Markdown, the model card and LaTeX."""
