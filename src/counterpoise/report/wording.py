"""What the numbers say, in plain words: no claim without its interval, no "none" without what could have been seen."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from counterpoise import stats
from counterpoise.audit.observations import headline_rows, word_table
from counterpoise.measures.result import Result
from counterpoise.report.numbers import interval_text, number_text, p_text

Kind = Literal["bias", "none", "unsure", "words", "difference"]

ALPHA = 0.05

_POSITIVE = re.compile(r"^(?:[a-z0-9 ]*?)(?:positive|above [^:]+): *([^;]+)")
_OPPOSITES = (
    ("the stereotype to its counterpart", "the counterpart to the stereotype"),
    ("more stereotypical", "less stereotypical"),
    ("stereotypes to anti-stereotypes", "anti-stereotypes to stereotypes"),
    ("male", "female"),
)


@dataclass(frozen=True)
class Claim:
    """A sentence about a measure: there is a bias or a difference, none was found, or nothing can be said."""

    measure: str
    kind: Kind
    text: str


def headline(results: Sequence[Result]) -> list[Claim]:
    """What each measure found, in the order of the results."""
    return [claim for result in results for claim in claims(result)]


def claims(result: Result) -> Iterator[Claim]:
    """The model as a whole, test by test where there are several; then how many single words lean, and which way."""
    rows = headline_rows(result)
    for _, row in rows.iterrows():
        name = str(row.statistic) if len(rows) == 1 else f"{row.group}: {row.statistic}"
        yield Claim(result.measure, *_about_all(row, name, result.sign))
    words = _lean_of_words(result)
    if words:
        yield Claim(result.measure, "words", words)


def _about_all(row: pd.Series, name: str, sign: str) -> tuple[Kind, str]:
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
        return "bias", f"{_found(sign, row.value - row.ideal)}; {value}{_beside(row)}."
    if math.isnan(row.smallest_detectable):
        return "unsure", f"{_capital(value)} is not significant, and what could have been seen is not known."
    seen = number_text(row.smallest_detectable)
    return "none", (
        f"No bias found: {value}{_beside(row)}. A bias of {seen} or more would have been seen in 4 of 5 cases; a "
        "smaller one may be there."
    )


def disagreement(excluded: bool, p: float) -> str:
    """Where the interval says one thing and the test another, both are told, and nothing is claimed."""
    if excluded:
        return f"the interval alone would speak for it, but with so many tests it is not significant (p {_equals(p)})"
    return f"the test finds it significant (p {_equals(p)}), the interval does not"


def _equals(p: float) -> str:
    text = p_text(p)
    return text if text.startswith("<") else f"= {text}"


def _found(sign: str, towards: float) -> str:
    """Whom the model leans towards, and what that means for this measure."""
    names, phrase = sides(sign), lean(sign, towards)
    if names is None or phrase.startswith("the model leans"):
        return _capital(phrase)
    return f"The model leans towards {names[0 if towards > 0 else 1]}: {phrase}"


def _beside(row: pd.Series) -> str:
    return "" if row.ideal == 0 else f" (ideal: {row.ideal_text})"


def lean(sign: str, towards: float) -> str:
    """The measure's own words for its sign, turned round for a negative value.

    >>> lean("positive: the model reads the person as male", -0.3)
    'the model reads the person as female'
    >>> lean("positive: the model prefers the stereotype to its counterpart", -1.0)
    'the model prefers the counterpart to the stereotype'
    >>> lean("1: the same order from both genders", 0.2)
    'the value is above its ideal'
    """
    found = _POSITIVE.match(sign)
    if not found:
        return f"the value is {'above' if towards > 0 else 'below'} its ideal"
    phrase = found[1].strip()
    if phrase.startswith("towards"):
        phrase = f"the model leans {phrase}"
    if towards >= 0:
        return phrase
    for one, other in _OPPOSITES:
        turned = _exchanged(phrase, one, other)
        if turned != phrase:
            return turned
    return f"the opposite of this: {phrase}"


def _exchanged(text: str, one: str, other: str) -> str:
    words = {one: other, other: one}
    pattern = "|".join(rf"\b{re.escape(word)}\b" for word in sorted(words, key=len, reverse=True))
    return re.sub(pattern, lambda match: words[match[0]], text)


def sides(sign: str) -> tuple[str, str] | None:
    """Whom a positive and a negative value lean towards, where the measure's sign says so.

    >>> sides("positive: the model reads the person as male"), sides("1: the same order")
    (('men', 'women'), None)
    """
    found = _POSITIVE.match(sign)
    if not found:
        return None
    if re.search(r"\bmale\b", found[1]):
        return "men", "women"
    return ("the stereotype", "the other side") if "stereotyp" in found[1] else None


def _lean_of_words(result: Result) -> str:
    """How many words lean, by the group that a word belongs to where groups are genders ("female professions")."""
    words, towards = word_table(result), sides(result.sign)
    if towards is None or not len(words) or words.word.duplicated().any():
        return ""
    words = words[(words.ideal == 0) & words.value.notna()]
    if len(words) < 2:
        return ""
    kinds = {"male": 1.0, "female": -1.0}
    if "group" in words and set(kinds) <= set(words.group):
        labels = result.summary[result.summary.level == "group"].group.astype(str)
        named = {
            kind: next((one for one in labels if one.split()[:1] == [kind]), f"{kind} words")
            for kind in kinds
        }
        told = [
            _counted(words[words.group == kind].value * sign, named[kind], towards[0 if sign > 0 else 1])
            for kind, sign in kinds.items()
        ]
        return f"{'; '.join(told)}."
    return f"{_counted(words.value, 'words', towards[0])}."


def _counted(values: pd.Series, name: str, towards: str) -> str:
    found = stats.share(values.to_numpy())
    interval = f"{100 * found.value:.0f} % [{100 * found.low:.0f}, {100 * found.high:.0f}]"
    return f"{(values > 0).sum()} of {len(values)} {name} lean towards {towards} ({interval})"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
