"""What the numbers say, in plain words: direction, size and certainty of every headline.

The measure itself says in full what a positive and a negative value mean, and its unit says how a value is told and how
large is large; nothing here composes sentences from labels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from counterpoise import stats
from counterpoise.audit.words import word_table
from counterpoise.core.numbers import estimate_text, p_equals
from counterpoise.measures.base.catalogue import all_measures
from counterpoise.measures.base.result import Direction, Result
from counterpoise.measures.base.units import COHENS_D, PLAIN, UNITS, Size, Unit, size_of

Kind = Literal[
    "large",
    "moderate",
    "small",
    "clear",  # statistically, and there is no convention for its size
    "negligible",
    "none",
    "unclear",  # not enough data
    "unsure",  # no interval, no test or no ideal, or they disagree
    "words",
    "difference",
    "same",  # no difference was found
]
BIASES: tuple[Kind, ...] = ("large", "moderate", "small", "clear")

ALPHA = 0.05


@dataclass(frozen=True)
class Claim:
    """What is said about a measure: there is a bias or a difference, none was found, or the data do not say.

    `meaning` is what a bias means, for readers who need no numbers.
    """

    measure: str
    kind: Kind
    text: str
    meaning: str = ""


def measure_title(name: str) -> str:
    """The title of a measure; its name if it is not in the catalogue."""
    measure = all_measures().get(name)
    return measure.title if measure else name


def measure_question(name: str) -> str:
    """What a measure asks; nothing if it is not in the catalogue."""
    measure = all_measures().get(name)
    return measure.question if measure else ""


def single_rows(name: str) -> str:
    """What a measure's rows of single words are about, in the plural."""
    measure = all_measures().get(name)
    return measure.single if measure else "words"


def headline(results: Sequence[Result]) -> list[Claim]:
    """What each measure found, in the order of the results."""
    return [claim for result in results for claim in claims(result)]


def claims(result: Result) -> Iterator[Claim]:
    """The model as a whole, test by test if there are several; then how many single words lean, and which way."""
    yield from overall_claims(result)
    words = _lean_of_words(result)
    if words:
        yield Claim(result.measure, "words", words)


def overall_claims(result: Result) -> Iterator[Claim]:
    """The model as a whole, test by test if there are several; the items are not needed."""
    rows = result.headlines
    for _, row in rows.iterrows():
        direction = result.direction_of(row.key)
        kind, text = claim_of_row(row, str(row.statistic), direction)
        group = "" if len(rows) == 1 else f"{_capital(row.group)}: "
        meaning = direction.sentence(row.value - row.ideal) if kind in BIASES else ""
        yield Claim(result.measure, kind, f"{group}{text}", meaning)


def claim_of_row(row: pd.Series, name: str, direction: Direction) -> tuple[Kind, str]:
    """The kind of a row's claim and its text; `name` is what the row is called."""
    unit = unit_of(row)
    if math.isnan(row.ci_low) or math.isnan(row.ci_high):
        why = f": {row.note}" if row.note else ""
        return "unsure", f"Nothing can be said about {name}: it has no interval{why}."
    told = _told(row, name, unit)
    if math.isnan(row.ideal):
        return "unsure", f"{told}. No single value of it would be ideal ({row.ideal_text})."
    if math.isnan(row.p_value):
        return "unsure", f"{told}. There is no test of it."
    excluded = not row.ci_low <= row.ideal <= row.ci_high
    if (row.p_adjusted < ALPHA) != excluded:
        return "unsure", f"{told}. {_capital(disagreement(excluded, row.p_adjusted))}."
    return _clear(row, name, direction, unit) if excluded else _not_clear(row, told, unit)


def unit_of(row: pd.Series) -> Unit:
    """The unit of a row; runs of earlier versions have none."""
    return UNITS.get(row.get("unit", ""), PLAIN)


def disagreement(excluded: bool, p: float, reference: str = "the ideal") -> str:
    """Where interval and test disagree, the reader learns about both, and nothing is claimed."""
    if excluded:
        return f"the interval excludes {reference}, but corrected for all tests it is not significant ({p_equals(p)})"
    return f"the test is significant ({p_equals(p)}), but the interval contains {reference}"


def _clear(row: pd.Series, name: str, direction: Direction, unit: Unit) -> tuple[Kind, str]:
    """A value that differs from its ideal: what that means, how much it is, and how certain."""
    meaning = direction.sentence(row.value - row.ideal)
    told = _told(row, name, unit, by_direction=True)
    certain = f"statistically clear ({p_equals(row.p_adjusted)})"
    beyond = _beyond_possible(row, unit)
    size = _size(row, row.value - row.ideal, unit)
    if size is None:
        return "clear", f"{meaning} {told}: {certain}.{beyond}"
    if size == "negligible":
        return "negligible", f"{meaning} {told}: a negligible difference, though {certain}.{beyond}"
    return size, f"{meaning} {told}: a {size} effect, {certain}.{beyond}"


def _not_clear(row: pd.Series, told: str, unit: Unit) -> tuple[Kind, str]:
    """A value that may be its ideal: what is ruled out, or that the data cannot tell."""
    furthest = max(row.ci_low - row.ideal, row.ci_high - row.ideal, key=abs)
    possible = _size(row, furthest, unit)
    beyond = _beyond_possible(row, unit)
    p = p_equals(row.p_adjusted)
    if possible == "negligible":
        return "none", f"{told}, not statistically clear ({p}): any bias is negligible."
    if possible == "small" and not beyond:
        return "none", f"{told}, not statistically clear ({p}): any bias is small at most."
    power = _detectable(row, unit)
    if possible is None:
        if not power:
            return "unsure", f"{told}, not statistically clear ({p}); the power of the test is not known."
        return "none", f"{told}, not statistically clear ({p}).{power}"
    return "unclear", f"{told}: the data fit no bias as well as a {possible} one ({p}).{power}{beyond}"


def _told(row: pd.Series, name: str, unit: Unit, *, by_direction: bool = False) -> str:
    """A row's value with its interval; without its sign where the sentence beside it tells the direction."""
    value, low, high = row.value, row.ci_low, row.ci_high
    if by_direction and not unit.is_signed and value < 0:
        value, low, high = -value, -high, -low
    told = _capital(unit.sentence.format(name=name, estimate=unit.estimate(value, low, high)))
    return told if math.isnan(row.ideal) or row.ideal == 0 else f"{told} ({row.ideal_text} would be ideal)"


def _size(row: pd.Series, distance: float, unit: Unit) -> Size | None:
    """How large a distance from the ideal is, by the unit's thresholds or else by the row's effect size."""
    if unit.thresholds is not None:
        return unit.size(distance)
    of_row = row.value - row.ideal
    if math.isnan(row.effect_size) or of_row == 0:
        return None
    return size_of(row.effect_size * distance / of_row, COHENS_D)


def _detectable(row: pd.Series, unit: Unit) -> str:
    if math.isnan(row.smallest_detectable):
        return ""
    return f" With 80 % power, these items detect {unit.distance(row.smallest_detectable)} or more."


def _beyond_possible(row: pd.Series, unit: Unit) -> str:
    if unit.is_possible(row.ci_low) and unit.is_possible(row.ci_high):
        return ""
    return " The interval reaches beyond what is possible: there are too few words or pairs."


def _lean_of_words(result: Result) -> str:
    """How many words lean which way, by group if the groups are genders ("female professions")."""
    words = word_table(result)
    sides = result.direction_of(words.key.iloc[0]).sides if len(words) else None
    if sides is None or words.word.duplicated().any():
        return ""
    words = words[(words.ideal == 0) & words.value.notna() & (words.value != 0)]
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
    return f"{_counted(words.value, single_rows(result.measure), sides[0])}."


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
    interval = estimate_text(100 * share.value, 100 * share.low, 100 * share.high, 0, unit=" %")
    return f"{(values > 0).sum()} of {len(values)} {name} lean towards {towards}: {interval}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
