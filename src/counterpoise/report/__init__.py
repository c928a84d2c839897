"""Results in, pages out: the terminal's table and the HTML page."""
