"""The part of a corpus's page that says what a model learned from it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from counterpoise.core.numbers import estimate_text, number_text
from counterpoise.corpus.effect_sizes import ALPHA, judge
from counterpoise.report.charts import Figure, forest
from counterpoise.report.corpus_wording import CorpusFinding

if TYPE_CHECKING:
    from counterpoise.corpus.learning.learned_bias import LearnedBias

ANCHOR = "learned"
_MEANINGS = {
    "ASLD": "how much a gendered word matters to a sentence's likelihood",
    "SLD": "how much likelier stereotypes are than their counterparts",
    "mean |APPD| of words": "how much likelier one pronoun is than the other beside a profession",
    "APPD": "how much likelier he is than she beside professions",
}
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


def learned_findings(learned: LearnedBias) -> list[CorpusFinding]:
    """What each corpus taught beyond the control, then each difference of whole scores, in sentences."""
    findings = [
        _taught(name, row)
        for name, result in learned.results.items()
        for row in result.overall.to_dict("records")
    ]
    # The others are of single categories.
    whole = (row for row in learned.differences.to_dict("records") if "," not in row["statistic"])
    return findings + [_difference(row) for row in whole]


def _taught(name: str, row: Mapping[Hashable, Any]) -> CorpusFinding:
    statistic = str(row["statistic"]).partition(",")[0]
    value, low, high = row["value"], row["ci_low"], row["ci_high"]
    fact = (
        f"Training on {name} changes {_MEANINGS[statistic]} ({statistic}) by "
        f"{estimate_text(value, low, high, 0)} more than training on neutral text does."
    )
    deviation = value / row["effect_size"] if row["effect_size"] else math.nan
    judged = judge(value, low, high, row["p_adjusted"], ideal=0, effect=lambda gained: gained / deviation)
    if judged.finding == "differs":
        return CorpusFinding(
            ANCHOR, "differs", fact, f"That is a {judged.size} effect (Cohen's d over items)."
        )
    if judged.finding == "negligible":
        return CorpusFinding(
            ANCHOR, "negligible", fact, "The difference is negligible (Cohen's d over items)."
        )
    if judged.finding == "even":
        return CorpusFinding(
            ANCHOR, "alike", fact, "Any effect there may be is negligible (Cohen's d over items)."
        )
    power = f"With 80 % power, a change of {number_text(row['smallest_detectable'])} would be detected"
    return CorpusFinding(ANCHOR, "unclear", fact, f"Whether it teaches more cannot be determined. {power}.")


def _difference(row: Mapping[Hashable, Any]) -> CorpusFinding:
    low, high = row["ci_low"], row["ci_high"]
    first, second, statistic = row["first"], row["second"], row["statistic"]
    fact = (
        f"{_capital(_MEANINGS[statistic])} ({statistic}) after training on {first} less that after {second}: "
        f"{estimate_text(row['difference'], low, high, 0)}."
    )
    if row["p_adjusted"] < ALPHA and not low <= 0 <= high:
        return CorpusFinding(ANCHOR, "differs", fact, "They differ.")
    return CorpusFinding(ANCHOR, "unclear", fact, "Whether they differ cannot be determined.")


def learned_part(learned: LearnedBias | None) -> dict[str, Any] | None:
    """What the template shows; None where no model was trained."""
    if learned is None:
        return None
    return {
        "learned": learned,
        "warnings": learned_document(learned)["warnings"],
        "figure": learned_figure(learned),
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


def learned_figure(learned: LearnedBias) -> Figure:
    """The scores of each corpus, with their intervals."""
    rows = [result.overall.assign(label=name) for name, result in learned.results.items()]
    table = pd.concat(rows, ignore_index=True)
    shown = table.assign(panel=table.statistic)[_FOREST]
    return Figure(
        "learned", "What a model learns beyond what neutral text teaches it", partial(forest, shown)
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
