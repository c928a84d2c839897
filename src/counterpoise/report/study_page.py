"""`study.html` and `study.md`: what a study found, published beside measured, from the folder that it left."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pandas as pd

from counterpoise.core.errors import unknown
from counterpoise.core.files import write_text
from counterpoise.core.markdown import escape_markdown as escaped
from counterpoise.core.markdown import markdown_table
from counterpoise.report import charts
from counterpoise.report.charts.draw import Figure, write_figures
from counterpoise.report.page import render_page
from counterpoise.report.scorecard import agreement_figure, scorecard
from counterpoise.report.table_text import numeric_columns, row_texts
from counterpoise.studies.replication.findings import Chart, Findings, Table

_KINDS = ("before_after", "forest", "heat_map", "positive_negative", "word_bars", "workforce")


def write_study_page(folder: str | Path) -> Path:
    """Writes study.html, study.md and the figures of a finished study into its folder; returns the page."""
    folder = Path(folder)
    findings = Findings.read(folder)
    figures = [figure_of(chart) for chart in findings.charts]
    overview = agreement_figure(findings.tables)
    write_figures([*([overview] if overview else []), *figures], folder / "figures", "svg")
    write_text(folder / "study.md", study_markdown(findings, "figures"))
    path = folder / "study.html"
    write_text(path, render_study(findings))
    return path


def render_study(findings: Findings) -> str:
    """The page of a study. Text from models and data is escaped."""
    return render_page(
        "study.html",
        study=findings,
        score=scorecard(findings.tables),
        overview=agreement_figure(findings.tables),
        figures=[figure_of(chart) for chart in findings.charts],
        texts=row_texts,
        numeric_columns=numeric_columns,
    )


def figure_of(chart: Chart) -> Figure:
    """The picture of a chart."""
    if chart.kind not in _KINDS:
        raise unknown("kind of chart", chart.kind, _KINDS)
    more = {} if chart.axis is None else {"title": chart.axis}
    drawn = partial(getattr(charts, chart.kind), pd.DataFrame(chart.records), **more)
    return Figure(chart.name, chart.title, drawn, chart.caption)


def study_markdown(findings: Findings, figures: str) -> str:
    """The same as Markdown; `figures` is the folder of the pictures as seen from the file."""
    lines = [f"# {escaped(findings.title)}", "", findings.about, ""]
    for note in findings.notes:
        lines += [f"**Note:** {escaped(note)}", ""]
    lines += _scorecard_markdown(findings, figures)
    for answer in findings.answers:
        lines += [f"## {escaped(answer.question)}", "", f"**{escaped(answer.verdict)}**", ""]
        lines += [f"Published: {escaped(answer.published)}", ""]
        lines += [f"Measured: {escaped(answer.measured)}", ""]
    for chart in findings.charts:
        lines += _figure_markdown(figure_of(chart), figures)
    for table in findings.tables:
        lines += [f"## {escaped(table.title)}", "", table_markdown(table), ""]
        lines += [escaped(table.note), ""] if table.note else []
    return "\n".join(lines)


def _scorecard_markdown(findings: Findings, figures: str) -> list[str]:
    """How many printed numbers are reproduced; nothing where none is compared."""
    score = scorecard(findings.tables)
    if score is None:
        return []
    sentence, table = score
    overview = agreement_figure(findings.tables)
    lines = [f"## {escaped(table.title)}", "", f"**{sentence}**", "", table_markdown(table), ""]
    return [*lines, escaped(table.note), "", *(_figure_markdown(overview, figures) if overview else [])]


def _figure_markdown(figure: Figure, folder: str) -> list[str]:
    lines = [f"## {escaped(figure.title)}", "", f"![{escaped(figure.alt)}]({folder}/{figure.name}.svg)", ""]
    return [*lines, escaped(figure.caption), ""] if figure.caption else lines


def table_markdown(table: Table) -> str:
    """The table alone."""
    return markdown_table(table.columns, [row_texts(row, table) for row in table.rows])
