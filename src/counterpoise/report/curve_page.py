"""`curve.html`: checkpoints over the steps of their training; `models.html`: audits of many models."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from counterpoise.core.numbers import estimate_parts, p_text
from counterpoise.report.charts.curves import step_curve
from counterpoise.report.charts.draw import Figure
from counterpoise.report.charts.forest import forest
from counterpoise.report.curve_wording import claims_of_measure, curve_claims, differs
from counterpoise.report.page import render_page
from counterpoise.report.rows import row_estimate
from counterpoise.report.selection import lowest_and_highest
from counterpoise.report.wording import measure_question, measure_title
from counterpoise.studies.audits.results import BiasCurve, ModelAudits

_MOST_ROWS = 200  # of a table on a page, half of them at either end; the file has all


def render_audits(audits: ModelAudits) -> str:
    """The page of audits of many models. Text from models and data is escaped."""
    is_curve = isinstance(audits, BiasCurve)
    return render_page(
        "audits.html",
        audits=audits,
        is_curve=is_curve,
        claims=curve_claims(audits) if isinstance(audits, BiasCurve) else [],
        sections=[_section(audits, measure) for measure in audits.measures],
        models=[
            (name, run.folder.name, run.manifest["options"]["model"]) for name, run in audits.runs.items()
        ],
    )


def audits_figures(audits: ModelAudits) -> list[Figure]:
    """A chart for each measure."""
    return [_figure(audits, measure) for measure in audits.measures]


def audits_table(audits: ModelAudits) -> pd.DataFrame:
    """The rows as texts, for a notebook or a paper."""
    told = []
    for row in audits.rows.to_dict("records"):
        value, interval = row_estimate(row)
        start = [f"{row['step']:,}"] if isinstance(audits, BiasCurve) else []
        p = p_text(row["p_adjusted"])
        shown = [
            *start,
            row["model"],
            measure_title(row["measure"]),
            statistic_of(row),
            f"{value} {interval}".strip(),
        ]
        told.append([*shown, *([difference_text(row), p] if start else [p, row["ideal_text"]])])
    columns = ["model", "measure", "statistic", "value [95 % CI]"]
    if isinstance(audits, BiasCurve):
        return pd.DataFrame(
            told, columns=["step", *columns, "difference from the first [95 % CI]", "p (Holm)"]
        )
    return pd.DataFrame(told, columns=[*columns, "p (Holm)", "ideal"])


def statistic_of(row: Any) -> str:
    """What a row is called, with its test where a measure has several."""
    return str(row["statistic"]) if row["group"] == "all" else f"{row['group']}: {row['statistic']}"


def difference_text(row: Any) -> str:
    """The difference from the first step with its interval; nothing where there is none."""
    ends = row["difference"], row["difference_ci_low"], row["difference_ci_high"]
    return " ".join(estimate_parts(*ends)).strip()


def _section(audits: ModelAudits, measure: str) -> dict[str, Any]:
    rows = audits.rows[audits.rows.measure == measure]
    shown = lowest_and_highest(rows, _MOST_ROWS)
    return {
        "measure": measure,
        "title": measure_title(measure),
        "question": measure_question(measure),
        "direction": audits.firsts[measure].direction,
        "claims": list(claims_of_measure(audits, measure)) if isinstance(audits, BiasCurve) else [],
        "figure": _figure(audits, measure),
        "rows": [
            {**row, "told": row_estimate(row), "name": statistic_of(row)} for row in shown.to_dict("records")
        ],
        "several": len(rows.key.unique()) > 1,
        "hidden": len(rows) - len(shown),
    }


def _figure(audits: ModelAudits, measure: str) -> Figure:
    rows = audits.rows[audits.rows.measure == measure]
    names = [statistic_of(row) for row in rows.to_dict("records")]
    if not isinstance(audits, BiasCurve):
        table = rows.assign(panel=names, label=rows.model)
        caption = "Dashed: the ideal. Hollow: no interval."
        return Figure(f"{measure}-models", "Values and intervals", partial(forest, table), caption)
    table = rows.assign(panel=names, differs=differs(rows))
    caption = (
        "Band: 95 % intervals of each step by itself. Dashed: the ideal. Filled: differs from the first step on the "
        "same items (p < .05, Holm). Hollow: no difference was found; so is the first step itself."
    )
    return Figure(f"{measure}-curve", "Over the steps of the training", partial(step_curve, table), caption)
