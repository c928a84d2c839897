"""`report.html`: one self-contained page of a run, first form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.audit.run import Run
from counterpoise.core.errors import RunError
from counterpoise.core.files import write_text
from counterpoise.measures.catalogue import all_measures
from counterpoise.measures.result import Result
from counterpoise.report.numbers import interval_text, number_text, p_text


def write_report(folder: str | Path) -> Path:
    """Writes the page of a run into its folder."""
    run = Run.read(folder)
    path = run.folder / "report.html"
    write_text(path, render(run))
    return path


def render(run: Run) -> str:
    """The page of a run. Text from models and data is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    results = run.results()
    if not results:
        raise RunError(f"{run.folder} has no finished measure yet; start the same audit again to continue it")
    environment = Environment(
        loader=PackageLoader("counterpoise.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    environment.filters.update(number=number_text, p=p_text)
    environment.globals.update(interval=interval_text)
    return environment.get_template("report.html").render(
        run=run, manifest=run.manifest, sections=[_section(result) for result in results]
    )


def _table(rows: pd.DataFrame) -> list[Any]:
    """Rows to show; bars with the same rule (the ideal, else 0) share a range, since they share a unit."""
    rule = rows.ideal.fillna(0.0)
    low = rows[["value", "ci_low"]].min(axis=1).groupby(rule).transform("min")
    high = rows[["value", "ci_high"]].max(axis=1).groupby(rule).transform("max")
    return list(rows.assign(rule=rule, low=low, high=high).itertuples())


def _section(result: Result) -> dict[str, Any]:
    summary = result.summary
    main, words = summary[summary.level != "word"], summary[summary.level == "word"]
    known = all_measures().get(result.measure)
    return {
        "result": result,
        "title": known.title if known else result.measure,
        "question": known.question if known else "",
        "main": _table(main),
        "words": _table(words.sort_values("value")),
        "skipped": list(result.skipped.itertuples()),
    }
