"""What is said of a corpus, in plain words: the fact first, then by how much it differs from even, then the rest.

What may be said is decided by the interval and by the size of the effect (`corpus.effect_sizes`), never by
significance alone.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from counterpoise.core.numbers import decimal_text
from counterpoise.core.plurals import count_text
from counterpoise.corpus.counting.compare import CorpusComparison
from counterpoise.corpus.counting.listing import differing_words
from counterpoise.corpus.counting.rows import SCORE, SHARES
from counterpoise.corpus.effect_sizes import ALPHA, Judgement, judge, log_odds_effect, share_effect
from counterpoise.measures.base.result import Result

Verdict = Literal["uneven", "bias", "differs", "negligible", "even", "alike", "unclear"]
Row = Mapping[Hashable, Any]

LABELS: dict[Verdict, str] = {
    "uneven": "Uneven",
    "bias": "Bias",
    "differs": "Differs",
    "negligible": "Negligible",
    "even": "Even",
    "alike": "Alike",
    "unclear": "Not enough data to tell",
}
# What the counts of shares are called, and one of either gender.
_THINGS = {
    "pronouns": ("gendered pronouns", "pronoun"),
    "terms": ("gendered words (he, woman, father and the like)", "word"),
    "names": ("first names", "first name"),
}
_LEADING = ("pronouns", "terms")
_ORDER = [*(SHARES[kind] for kind in _THINGS), SCORE]
_MOST_NAMED = 5  # words in a sentence


@dataclass(frozen=True)
class CorpusFinding:
    """A fact about a corpus, or about two (`corpus` is "compared" then), and how far that is from even."""

    corpus: str
    verdict: Verdict
    fact: str
    explanation: str

    @property
    def label(self) -> str:
        return LABELS[self.verdict]

    @property
    def text(self) -> str:
        return f"{self.fact} {self.explanation}".strip()


def corpus_findings(name: str, result: Result, totals: Mapping[str, int]) -> list[CorpusFinding]:
    """What was counted in a corpus: the leading share, then the other shares and the professions."""
    rows = result.summary.to_dict("records")
    shares = {
        kind: share_finding(name, kind, row, totals)
        for kind, label in SHARES.items()
        for row in rows
        if row["statistic"] == label and (row["n"] or kind in _LEADING)
    }
    lead = next((kind for kind in _LEADING if shares[kind].verdict != "unclear"), _LEADING[0])
    findings = [shares.pop(lead), *shares.values()]
    return findings + [_score_finding(name, row, rows) for row in rows if row["statistic"] == SCORE]


def share_finding(name: str, kind: str, row: Row, totals: Mapping[str, int]) -> CorpusFinding:
    """The share of the male among pronouns, gendered words or first names."""
    things, thing = _THINGS[kind]
    male, female = totals[f"male {kind}"], totals[f"female {kind}"]
    if not male + female:
        return CorpusFinding(name, "unclear", f"There are no {things} in it.", "")
    value, low, high = row["value"], row["ci_low"], row["ci_high"]
    if not male or not female:
        fact = f"All {things} are {'male' if male else 'female'} ({male + female:,} of them)."
    else:
        decimals = _decimals(value, low, high, 50, 0)
        shown, lowest, highest = (decimal_text(end, decimals) for end in (value, low, high))
        fact = f"{shown} % of {things} are male ({male:,} of {male + female:,}; 95 % interval {lowest} to {highest} %)."
    p_value = row["p_adjusted"]
    if math.isnan(p_value) and value != 50:
        p_value = 2 * 0.5 ** row["clusters"]  # all blocks of documents agree: a sign test
    judged = judge(value, low, high, p_value, ideal=50, effect=share_effect())
    ratio = _ratio(male, female, thing)
    if judged.finding == "differs":
        return CorpusFinding(name, "uneven", fact, f"{ratio}, {_size(judged)}.")
    if judged.finding == "negligible":
        return CorpusFinding(
            name, "negligible", fact, f"{ratio}: not exactly even, but {_negligible(judged)}."
        )
    if judged.finding == "even":
        return CorpusFinding(name, "even", fact, "That is even: any difference there may be is negligible.")
    return CorpusFinding(
        name, "unclear", fact, _not_told("Whether men and women are mentioned equally often", judged)
    )


def difference_findings(comparison: CorpusComparison) -> list[CorpusFinding]:
    """What differs between corpora."""
    rows = comparison.differences.to_dict("records")
    return [_difference_finding(row) for row in sorted(rows, key=lambda row: _ORDER.index(row["statistic"]))]


def words_text(words: pd.DataFrame, column: str = "log_odds") -> str:
    """Words with how many times as often each stands near its gender as near the other.

    >>> table = pd.DataFrame({"word": ["league", "army"], "log_odds": [1.8, 1.45]})
    >>> words_text(table)
    'league (6.0 times), army (4.3 times)'
    """
    return ", ".join(
        f"{word} ({decimal_text(math.exp(abs(odds)), 1)} times)"
        for word, odds in zip(words.word, words[column], strict=True)
    )


def words_near(items: pd.DataFrame, n: int | None = None) -> dict[str, pd.DataFrame]:
    """The words that differ, near men and near women, the surest first."""
    listed = differing_words(items)
    men, women = listed[listed.log_odds > 0], listed[listed.log_odds < 0].iloc[::-1]
    return {"men": men.head(n) if n else men, "women": women.head(n) if n else women}


def _score_finding(name: str, row: Row, rows: list[dict[Hashable, Any]]) -> CorpusFinding:
    ends = row["value"], row["ci_low"], row["ci_high"]
    judged = judge(*ends, row["p_value"], ideal=0, effect=log_odds_effect)
    fact = (
        f"A typical profession stands {_times(*ends)} times as often near one gender as near the other, allowing for "
        f"how often each is mentioned ({count_text(row['n'], 'profession')}; 95 % interval {_times_interval(*ends)} "
        "times)."
    )
    if judged.finding == "differs":
        return CorpusFinding(name, "bias", fact, f"That is {_size(judged)}.{_named_professions(rows)}")
    if judged.finding == "negligible":
        return CorpusFinding(name, "negligible", fact, f"Professions lean, but {_negligible(judged)}.")
    if judged.finding == "even":
        return CorpusFinding(
            name, "even", fact, "Any difference there may be between professions is negligible."
        )
    return CorpusFinding(
        name, "unclear", fact, _not_told("Whether professions lean to either gender", judged)
    )


def _named_professions(rows: list[dict[Hashable, Any]]) -> str:
    """The professions that lean by themselves."""
    sure = [row for row in rows if row["level"] == "word" and row["p_adjusted"] < ALPHA]
    sure.sort(key=lambda row: -abs(row["value"]))
    named = {
        "men": [row["group"] for row in sure if row["value"] > 0][:_MOST_NAMED],
        "women": [row["group"] for row in sure if row["value"] < 0][:_MOST_NAMED],
    }
    parts = [f"nearest to {gender}: {', '.join(words)}" for gender, words in named.items() if words]
    if not parts:
        return " No single profession leans surely."
    return f" {'; '.join(parts).capitalize()}."


def _difference_finding(row: Row) -> CorpusFinding:
    first, second, statistic = row["first"], row["second"], row["statistic"]
    if row["note"]:
        return CorpusFinding("compared", "unclear", f"{first} and {second}, {statistic}: {row['note']}.", "")
    ends = row["difference"], row["ci_low"], row["ci_high"]
    if statistic == SCORE:
        values = [decimal_text(math.exp(row[side]), 1) for side in ("value_first", "value_second")]
        fact = (
            f"A typical profession stands {values[0]} times as often near one gender as near the other in {first}, and "
            f"{values[1]} times in {second} ({count_text(row['n'], 'profession')} compared)."
        )
        judged = judge(*ends, row["p_adjusted"], ideal=0, effect=log_odds_effect)
    else:
        things = next(_THINGS[kind][0] for kind, label in SHARES.items() if label == statistic)
        values = [decimal_text(row[side], 1) for side in ("value_first", "value_second")]
        decimals = _decimals(*ends, 0, 1)
        difference, low, high = (decimal_text(end, decimals) for end in ends)
        fact = (
            f"{values[0]} % of {things} are male in {first}, and {values[1]} % in {second}: a difference of "
            f"{difference} percentage points (95 % interval {low} to {high})."
        )
        of_second, effect = row["value_second"], share_effect(row["value_second"])
        judged = judge(*ends, row["p_adjusted"], ideal=0, effect=lambda points: effect(of_second + points))
    if judged.finding == "differs":
        return CorpusFinding("compared", "differs", fact, f"They differ, {_size(judged)}.")
    if judged.finding == "negligible":
        return CorpusFinding("compared", "negligible", fact, f"They differ, but {_negligible(judged)}.")
    if judged.finding == "even":
        return CorpusFinding("compared", "alike", fact, "Any difference there may be is negligible.")
    return CorpusFinding("compared", "unclear", fact, _not_told("Whether they differ", judged))


def _ratio(male: int, female: int, thing: str) -> str:
    if not male or not female:
        return f"There is no {'female' if male else 'male'} {thing} among them"
    more, fewer = ("male", "female") if male >= female else ("female", "male")
    per_hundred = decimal_text(100 * max(male, female) / min(male, female), 0)
    return f"There are {per_hundred} {more} {thing}s for every 100 {fewer} ones"


def _size(judged: Judgement) -> str:
    """How large a difference is; what the interval allows where that is more than one thing."""
    allowed = "" if judged.least == judged.most else f"; the interval allows {judged.least} to {judged.most}"
    return f"a {judged.size} effect (by Cohen's convention{allowed})"


def _negligible(judged: Judgement) -> str:
    at_most = "" if judged.most == "negligible" else f" (at most {judged.most}, by the interval)"
    return f"the difference is negligible{at_most}"


def _not_told(what: str, judged: Judgement) -> str:
    return f"{what} cannot be told: the interval allows anything from no effect to a {judged.most} one."


def _times(value: float, low: float, high: float) -> str:
    return decimal_text(math.exp(value), _times_decimals(value, low, high))


def _times_interval(value: float, low: float, high: float) -> str:
    decimals = _times_decimals(value, low, high)
    return f"{decimal_text(math.exp(low), decimals)} to {decimal_text(math.exp(high), decimals)}"


def _times_decimals(value: float, low: float, high: float) -> int:
    return _decimals(math.exp(value), math.exp(low), math.exp(high), 1, 1)


def _decimals(value: float, low: float, high: float, ideal: float, fewest: int) -> int:
    """As few decimals as show on which side of the ideal the value and its interval are.

    >>> _decimals(53.5, 51.8, 55.1, 50, 0), _decimals(51.8, 50.4, 53.3, 50, 0), _decimals(50.0, 45.5, 54.5, 50, 0)
    (0, 1, 0)
    """
    for decimals in range(fewest, 4):
        if all((round(end, decimals) > ideal) == (end > ideal) for end in (value, low, high)) and all(
            (round(end, decimals) < ideal) == (end < ideal) for end in (value, low, high)
        ):
            return decimals
    return 4
