"""`report.html`: one self-contained page of a run."""

from __future__ import annotations

import inspect
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from counterpoise.audit.reading import finished_results, read_results
from counterpoise.audit.record import AuditRecord
from counterpoise.audit.run import Run
from counterpoise.core.files import write_text
from counterpoise.data.citations import bibtex
from counterpoise.data.spec import any_spec, spec_names
from counterpoise.measures.base.catalogue import all_measures
from counterpoise.measures.base.result import Result
from counterpoise.measures.base.source import TEXT, Source
from counterpoise.measures.base.units import Unit
from counterpoise.report.answer import answer
from counterpoise.report.charts.choose import charts_of, power_chart
from counterpoise.report.charts.draw import Figure, write_figures
from counterpoise.report.charts.overview import overview
from counterpoise.report.page import render_page
from counterpoise.report.selection import lowest_and_highest
from counterpoise.report.side_by_side import written_pairs
from counterpoise.report.wording import claims, headline, measure_question, measure_title, unit_of

# Nobody reads a long page, and a huge one does not open: the rest is in the run's files.
_MOST_WORDS = 200
_MOST_SKIPPED = 50
_EXTREMES = 5  # at either end
_LONGEST = 300  # characters of an item


class Paragraph(NamedTuple):
    """A paragraph of a measure's description; formulas keep their lines."""

    text: str
    is_formula: bool


def write_report(folder: str | Path) -> Path:
    """Writes the page of a run into its folder."""
    run, results = read_results(folder)
    path = run.folder / "report.html"
    write_text(path, render_results(run, results))
    return path


def write_charts(folder: str | Path, format: str) -> list[Path]:
    """Writes every chart of a run's page as a file into its folder `charts`."""
    run, results = read_results(folder)
    return write_figures(figures(results), run.folder / "charts", format)


def render(run: Run) -> str:
    """The page of a run. Text from models and data is escaped."""
    return render_results(run, finished_results(run))


def figures(results: Sequence[Result]) -> list[Figure]:
    """All charts of a run."""
    single = [figure for result in results for figure in charts_of(result)]
    return [*overview(results), *single, *power_chart(results)]


def render_results(record: AuditRecord, results: Sequence[Result]) -> str:
    """The page of results. Text from models and data is escaped."""
    return render_page(
        "report.html",
        record=record,
        manifest=record.manifest,
        options=record.manifest["options"],
        manifest_text=json.dumps(record.manifest, indent=2, ensure_ascii=False),
        asked=_asked(record, results),
        answer=answer(results),
        claims=headline(results),
        units=_units(results),
        overview=overview(results),
        sections=[_section(result) for result in results],
        power=power_chart(results),
    )


def _asked(record: AuditRecord, results: Sequence[Result]) -> str:
    """What was audited, in a line."""
    options = record.manifest["options"]
    items = sum(len(result.items) for result in results)
    measures = f"{len(results)} measures" if len(results) > 1 else "One measure"
    when = str(record.manifest["started"])[:16].replace("T", " ")
    return f"{measures}, {items:,} items, seed {options['seed']}, {options['variant']} variant, {when} UTC"


def _units(results: Sequence[Result]) -> list[Unit]:
    """The units of the headlines, for how their sizes are judged."""
    units = {unit_of(row).name: unit_of(row) for result in results for _, row in result.headlines.iterrows()}
    return [unit for unit in units.values() if unit.reference]


def _section(result: Result) -> dict[str, Any]:
    summary = result.summary
    words = summary[summary.level == "word"].sort_values("value")
    shown = lowest_and_highest(words, _MOST_WORDS)
    declared = all_measures().get(result.measure)
    values = extreme_items(result)
    return {
        "result": result,
        "title": measure_title(result.measure),
        "question": measure_question(result.measure),
        "formal_title": declared.formal_title if declared else "",
        "claims": list(claims(result)),
        "bibtex": bibtex(declared.cites) if declared else "",
        "ideal": declared.ideal.text if declared else ", ".join(dict.fromkeys(summary.ideal_text)),
        "figures": charts_of(result),
        "main": list(summary[summary.level != "word"].itertuples()),
        "words": list(shown.itertuples()),
        "n_words": len(words),
        "written": written_pairs(result),
        "extremes": list(values.itertuples(index=False, name=None)),
        "value_name": values.columns[1],
        "n_values": values.attrs["n"],
        "skipped": list(result.skipped.head(_MOST_SKIPPED).itertuples()),
        "n_skipped": len(result.skipped),
        "caveats": _description(declared.function) if declared else [],
        "content_note": _content_note(declared.data) if declared else None,
    }


def extreme_items(result: Result) -> pd.DataFrame:
    """The items at either end of what the headline is computed from: their text and value; none if that is unknown."""
    source = result.sources.get(result.headline.key)
    nothing = pd.DataFrame({"item": [], "value": []})
    nothing.attrs["n"] = 0
    if (
        source is None
        or not _is_of_items(source)
        or not source.has_columns(result.items)
        or not result.identity
    ):
        return nothing
    text = next((name for name in result.identity if name in result.items), None)
    table = source.observe(result.items, text)
    ordered = lowest_and_highest(table.sort_values(source.column, kind="stable"), 2 * _EXTREMES)
    texts = next((ordered[name] for name in (TEXT, text) if name in ordered), ordered.index.to_series())
    name = source.column if source.contrast is None else str(result.headline.statistic)
    extremes = pd.DataFrame({"item": texts.map(str).map(_shortened), name: ordered[source.column]})
    extremes.attrs["n"] = len(table)
    return extremes


def _is_of_items(source: Source) -> bool:
    """Does every item have a number of its own? Also where the row is no mean of them, as the largest gap."""
    return source.is_paired or (source.form == "figure" and source.contrast is None)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def _content_note(data: str) -> str | None:
    """The warning to show before the items of a dataset, if it has one."""
    return any_spec(data).content_note if data in spec_names() else None


def _description(function: Any) -> list[Paragraph]:
    """What the measure's module says about its formula and its choices, without the title."""
    text = inspect.getdoc(inspect.getmodule(function)) or ""
    parts = [part for part in text.split("\n\n")[1:] if part.strip()]
    return [Paragraph(part, part.startswith(" ")) for part in parts]
