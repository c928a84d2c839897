"""The report of a run in other formats, each a file in the run's folder."""

from __future__ import annotations

from pathlib import Path

from counterpoise.audit.reading import read_results
from counterpoise.core.errors import unknown
from counterpoise.core.files import write_text
from counterpoise.report.card_files import write_card
from counterpoise.report.every_eval_ever import render_every_eval_ever
from counterpoise.report.html import write_report
from counterpoise.report.latex import render_latex
from counterpoise.report.lm_eval import render_lm_eval
from counterpoise.report.markdown import render_markdown

_OTHERS = {
    "md": ("report.md", render_markdown),
    "latex": ("report.tex", render_latex),
    "lm-eval": ("results_lm-eval.json", render_lm_eval),
    "every-eval-ever": ("every-eval-ever.json", render_every_eval_ever),
}


def write_format(folder: str | Path, format: str = "html") -> Path:
    """Writes a run's page, or the file of another format, into its folder."""
    if format == "html":
        return write_report(folder)
    if format == "card":
        return write_card(folder)[0]
    if format not in _OTHERS:
        raise unknown("format", format, ["html", "card", *_OTHERS])
    name, rendered = _OTHERS[format]
    run, results = read_results(folder)
    path = run.folder / name
    write_text(path, rendered(run, results))
    return path
