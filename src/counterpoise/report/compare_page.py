"""`compare.html` and `comparison.json`: a comparison of runs, for readers and for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from counterpoise.audit.compare import Comparison
from counterpoise.core.files import make_folder, write_json, write_text
from counterpoise.report.charts.choose import comparison_charts, heat_chart
from counterpoise.report.charts.draw import Figure
from counterpoise.report.page import render_page
from counterpoise.report.verdicts import verdicts
from counterpoise.report.wording import measure_question, measure_title

SCHEMA = 1


def write_comparison(comparison: Comparison, folder: str | Path) -> Path:
    """Writes the page and, beside it, its numbers; returns the page."""
    folder = make_folder(folder)
    write_json(folder / "comparison.json", comparison_document(comparison))
    path = folder / "compare.html"
    write_text(path, render_comparison(comparison))
    return path


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """The contents of comparison.json."""
    return {
        "schema": SCHEMA,
        "models": list(comparison.names),
        "runs": {name: str(run.folder) for name, run in comparison.runs.items()},
        "notes": list(comparison.notes),
        "verdicts": [
            {"measure": verdict.measure, "kind": verdict.kind, "text": verdict.text}
            for verdict in verdicts(comparison)
        ],
        "differences": comparison.rows.to_dict("records"),
        "changes": comparison.changes.to_dict("records"),
        "ranking": comparison.ranking.to_dict("records"),
    }


def comparison_figures(comparison: Comparison) -> list[Figure]:
    """The heat map, and before and after for each measure where there are two models."""
    heat = [heat_chart(comparison.ranking, comparison.names)] if len(comparison.ranking) else []
    return [*heat, *(figure for measure in comparison.measures for figure in _charts(comparison, measure))]


def render_comparison(comparison: Comparison) -> str:
    """The page of a comparison. Text from models and data is escaped."""
    return render_page(
        "compare.html",
        comparison=comparison,
        claims=verdicts(comparison),
        heat=heat_chart(comparison.ranking, comparison.names) if len(comparison.ranking) else None,
        ranking=list(comparison.ranking.itertuples()) if len(comparison.names) > 2 else [],
        sections=[_section(comparison, measure) for measure in comparison.measures],
        texts={
            name: json.dumps(run.manifest, indent=2, ensure_ascii=False)
            for name, run in comparison.runs.items()
        },
    )


def _section(comparison: Comparison, measure: str) -> dict[str, Any]:
    rows, changes = comparison.rows, comparison.changes
    return {
        "measure": measure,
        "title": measure_title(measure),
        "question": measure_question(measure),
        "direction": next(
            results[measure].direction for results in comparison.results.values() if measure in results
        ),
        "figures": _charts(comparison, measure),
        "rows": list(rows[rows.measure == measure].itertuples()),
        "changes": list(changes[changes.measure == measure].itertuples()),
    }


def _charts(comparison: Comparison, measure: str) -> Sequence[Figure]:
    having = [name for name in comparison.names if measure in comparison.results[name]]
    if len(having) != 2:
        return []
    first, second = having
    return comparison_charts(
        comparison.results[first][measure], comparison.results[second][measure], (first, second)
    )
