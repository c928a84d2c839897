"""The part of a corpus's page that says what a model learned from it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from counterpoise.core.numbers import interval_text, number_text, p_text
from counterpoise.report.charts import Figure, forest
from counterpoise.report.wording import ALPHA, Claim, Kind

if TYPE_CHECKING:
    from counterpoise.corpus.learning.learned_bias import LearnedBias

ANCHOR = "learned"
_FOREST = ["panel", "label", "value", "ci_low", "ci_high", "ideal"]


def learned_document(learned: LearnedBias) -> dict[str, Any]:
    """What summary.json holds of it."""
    baselines = [result for results in learned.baselines.values() for result in results]
    return {
        "reference": learned.reference.name,
        "control": learned.control,
        "sentences": learned.sentences,
        "seeds": list(learned.learning.seeds),
        "warnings": sorted({warning for result in learned.results.values() for warning in result.warnings}),
        "results": [row for result in learned.results.values() for row in result.summary.to_dict("records")],
        "levels": learned.levels.to_dict("records"),
        "differences": learned.differences.to_dict("records"),
        "baselines": [row for result in baselines for row in result.summary.to_dict("records")],
    }


def learned_claims(learned: LearnedBias) -> list[Claim]:
    """The score of each corpus, then each difference of whole scores, in sentences."""
    claims = []
    for name, result in learned.results.items():
        for row in result.overall.to_dict("records"):
            kind: Kind = "bias" if row["p_adjusted"] < ALPHA else "none"
            text = f"{name}, learned by a model: {row['statistic']} {_numbers(row, 'value')}"
            if kind == "none":
                text += f"; {number_text(row['smallest_detectable'])} could have been seen"
            claims.append(Claim(ANCHOR, kind, f"{text}."))
    for row in learned.differences.to_dict("records"):
        if "," not in row["statistic"]:  # the others are of single categories
            kind = "difference" if row["p_adjusted"] < ALPHA else "none"
            verb = "differ" if kind == "difference" else "were not found to differ"
            text = f"{row['first']} and {row['second']} {verb} in the {row['statistic']} that a model learns"
            claims.append(Claim(ANCHOR, kind, f"{text}: {_numbers(row, 'difference')}."))
    return claims


def learned_part(learned: LearnedBias | None) -> dict[str, Any] | None:
    """What the template shows; None where no model was trained."""
    if learned is None:
        return None
    return {
        "learned": learned,
        "warnings": learned_document(learned)["warnings"],
        "figure": _figure(learned),
        "sections": [
            {"name": name, "rows": list(result.summary.itertuples()), "baselines": _baselines(learned, name)}
            for name, result in learned.results.items()
        ],
        "levels": list(learned.levels.itertuples()),
        "differences": list(learned.differences.itertuples()),
    }


def _baselines(learned: LearnedBias, name: str) -> list[dict[str, Any]]:
    return [
        {
            "measure": result.measure,
            "rows": list(result.summary.itertuples()),
            "lost": sorted(set(result.skipped.item)),
        }
        for result in learned.baselines.get(name, [])
    ]


def _figure(learned: LearnedBias) -> Figure:
    rows = [result.overall.assign(label=name) for name, result in learned.results.items()]
    table = pd.concat(rows, ignore_index=True)
    shown = table.assign(panel=table.statistic)[_FOREST]
    return Figure(
        "learned", "What a model learns beyond what neutral text teaches it", partial(forest, shown)
    )


def _numbers(row: Mapping[Hashable, Any], value: str) -> str:
    interval = interval_text(row["ci_low"], row["ci_high"])
    return f"{number_text(row[value])} {interval}, p {p_text(row['p_adjusted'])}"
