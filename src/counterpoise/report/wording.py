"""What the numbers say, in plain words: no claim without its interval, no "none" without the minimum detectable effect.

The measure itself says in full what a positive and a negative value mean; nothing here composes sentences from labels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from counterpoise import stats
from counterpoise.audit.words import word_table
from counterpoise.core.numbers import interval_text, number_text, p_equals
from counterpoise.measures.base.catalogue import all_measures
from counterpoise.measures.base.result import Direction, Result

Kind = Literal["bias", "none", "unsure", "words", "difference"]

ALPHA = 0.05


@dataclass(frozen=True)
class Claim:
    """A sentence about a measure: there is a bias or a difference, none was found, or the data do not say."""

    measure: str
    kind: Kind
    text: str


def measure_title(name: str) -> str:
    """The title of a measure; its name if it is not in the catalogue."""
    measure = all_measures().get(name)
    return measure.title if measure else name


def measure_question(name: str) -> str:
    """What a measure asks; nothing if it is not in the catalogue."""
    measure = all_measures().get(name)
    return measure.question if measure else ""


def headline(results: Sequence[Result]) -> list[Claim]:
    """What each measure found, in the order of the results."""
    return [claim for result in results for claim in claims(result)]


def claims(result: Result) -> Iterator[Claim]:
    """The model as a whole, test by test if there are several; then how many single words lean, and which way."""
    rows = result.headlines
    for _, row in rows.iterrows():
        name = str(row.statistic) if len(rows) == 1 else f"{row.group}: {row.statistic}"
        yield Claim(result.measure, *claim_of_row(row, name, result.direction_of(row.key)))
    words = _lean_of_words(result)
    if words:
        yield Claim(result.measure, "words", words)


def claim_of_row(row: pd.Series, name: str, direction: Direction) -> tuple[Kind, str]:
    """The kind of a row's claim and its text; `name` is what the row is called."""
    if math.isnan(row.ci_low) or math.isnan(row.ci_high):
        why = f": {row.note}" if row.note else ""
        return "unsure", f"Nothing can be said of {name}: it has no interval{why}."
    value = f"{name} {number_text(row.value)} {interval_text(row.ci_low, row.ci_high)}"
    if math.isnan(row.ideal):
        return "unsure", f"{_capital(value)}; no single value of it would be ideal ({row.ideal_text})."
    if math.isnan(row.p_value):
        return "unsure", f"{_capital(value)}, where {row.ideal_text} would be ideal; there is no test of it."
    excluded = not row.ci_low <= row.ideal <= row.ci_high
    if (row.p_adjusted < ALPHA) != excluded:
        return "unsure", f"{_capital(value)}{_beside(row)}; {disagreement(excluded, row.p_adjusted)}."
    if excluded:
        return "bias", f"{direction.sentence(row.value - row.ideal)} {_capital(value)}{_beside(row)}."
    if math.isnan(row.smallest_detectable):
        return "unsure", f"{_capital(value)} is not significant, and what could have been seen is not known."
    detectable = number_text(row.smallest_detectable)
    return "none", (
        f"No bias found: {value}{_beside(row)}. A bias of {detectable} or more would have been seen in 4 of 5 cases; a "
        "smaller one may be there."
    )


def disagreement(excluded: bool, p: float) -> str:
    """Where interval and test disagree, the reader learns about both, and nothing is claimed."""
    if excluded:
        return f"the interval alone would speak for it, but with so many tests it is not significant ({p_equals(p)})"
    return f"the test finds it significant ({p_equals(p)}), the interval does not"


def _beside(row: pd.Series) -> str:
    return "" if row.ideal == 0 else f" (ideal: {row.ideal_text})"


def _lean_of_words(result: Result) -> str:
    """How many words lean which way, by group if the groups are genders ("female professions")."""
    words, sides = word_table(result), result.direction.sides
    if sides is None or not len(words) or words.word.duplicated().any():
        return ""
    words = words[(words.ideal == 0) & words.value.notna()]
    if len(words) < 2:
        return ""
    labels = _labels_of_groups(result)
    kinds = {"male": 1.0, "female": -1.0}
    if "group" in words and set(kinds) <= set(words.group) & set(labels):
        counted = [
            _counted(words[words.group == kind].value * sign, labels[kind], sides[0 if sign > 0 else 1])
            for kind, sign in kinds.items()
        ]
        return f"{'; '.join(counted)}."
    return f"{_counted(words.value, 'words', sides[0])}."


def _labels_of_groups(result: Result) -> Mapping[str, str]:
    """The labels of groups that readers see, by the groups' names in the items."""
    rows = result.summary[result.summary.level == "group"]
    sources = {label: result.sources.get(key) for label, key in zip(rows.group, rows.key, strict=True)}
    return {
        str(source.where["group"]): str(label)
        for label, source in sources.items()
        if source and "group" in source.where
    }


def _counted(values: pd.Series, name: str, towards: str) -> str:
    share = stats.share(values.to_numpy())
    interval = f"{100 * share.value:.0f} % [{100 * share.low:.0f}, {100 * share.high:.0f}]"
    return f"{(values > 0).sum()} of {len(values)} {name} lean towards {towards} ({interval})"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
