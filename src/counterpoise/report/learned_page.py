"""The part of a corpus's page that tells what a model learnt from it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from counterpoise.report.charts import Figure, forest
from counterpoise.report.numbers import interval_text, number_text, p_text
from counterpoise.report.wording import ALPHA, Claim, Kind

if TYPE_CHECKING:
    from counterpoise.corpus.learning.learned_bias import LearnedBias

ANCHOR = "learnt"
_FOREST = ["panel", "label", "value", "ci_low", "ci_high", "ideal"]


def learnt_document(learnt: LearnedBias) -> dict[str, Any]:
    """What summary.json holds of it."""
    baselines = [
        row for some in learnt.baselines.values() for one in some for row in one.summary.to_dict("records")
    ]
    return {
        "reference": learnt.reference.name,
        "control": learnt.control,
        "sentences": learnt.sentences,
        "seeds": list(learnt.learning.seeds),
        "warnings": sorted({warning for result in learnt.results.values() for warning in result.warnings}),
        "results": [row for result in learnt.results.values() for row in result.summary.to_dict("records")],
        "levels": learnt.levels.to_dict("records"),
        "differences": learnt.differences.to_dict("records"),
        "baselines": baselines,
    }


def learnt_claims(learnt: LearnedBias) -> list[Claim]:
    """The score of each corpus, then each difference of whole scores, in sentences."""
    claims = []
    for name, result in learnt.results.items():
        for row in result.overall.to_dict("records"):
            kind: Kind = "bias" if row["p_adjusted"] < ALPHA else "none"
            text = f"{name}, learnt by a model: {row['statistic']} {_numbers(row, 'value')}"
            if kind == "none":
                text += f"; {number_text(row['smallest_detectable'])} could have been seen"
            claims.append(Claim(ANCHOR, kind, f"{text}."))
    for row in learnt.differences.to_dict("records"):
        if "," not in row["statistic"]:  # the others are of single categories
            kind = "difference" if row["p_adjusted"] < ALPHA else "none"
            verb = "differ" if kind == "difference" else "were not found to differ"
            text = f"{row['first']} and {row['second']} {verb} in the {row['statistic']} that a model learns"
            claims.append(Claim(ANCHOR, kind, f"{text}: {_numbers(row, 'difference')}."))
    return claims


def learnt_part(learnt: LearnedBias | None) -> dict[str, Any] | None:
    """What the template shows; None where no model was trained."""
    if learnt is None:
        return None
    return {
        "learnt": learnt,
        "warnings": learnt_document(learnt)["warnings"],
        "figure": _figure(learnt),
        "sections": [
            {"name": name, "rows": list(result.summary.itertuples()), "baselines": _baselines(learnt, name)}
            for name, result in learnt.results.items()
        ],
        "levels": list(learnt.levels.itertuples()),
        "differences": list(learnt.differences.itertuples()),
    }


def _baselines(learnt: LearnedBias, name: str) -> list[dict[str, Any]]:
    return [
        {
            "measure": one.measure,
            "rows": list(one.summary.itertuples()),
            "lost": sorted(set(one.skipped.item)),
        }
        for one in learnt.baselines.get(name, [])
    ]


def _figure(learnt: LearnedBias) -> Figure:
    rows = [result.overall.assign(label=name) for name, result in learnt.results.items()]
    table = pd.concat(rows, ignore_index=True)
    shown = table.assign(panel=table.statistic)[_FOREST]
    return Figure("learnt", "What a model learns beyond what neutral text teaches it", forest(shown))


def _numbers(row: Mapping[Hashable, Any], value: str) -> str:
    interval = interval_text(row["ci_low"], row["ci_high"])
    return f"{number_text(row[value])} {interval}, p {p_text(row['p_adjusted'])}"
