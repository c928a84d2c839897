"""Corpora side by side: samples of one size, differences tested, and the words that carry them.

A small corpus has fewer words that are frequent enough to be asked about, so that whole corpora of different sizes
would be compared on different words. From each, random documents with as many words as the smallest corpus has are
taken, and professions are compared that are frequent enough in both samples.

The difference of two scores is tested on their squares, which are unbiased, with their standard errors; its
interval is made of the two intervals (Zou & Donner 2008). Shares and log odds are tested by their difference over its
standard error. The degrees of freedom are those of the sample with fewer blocks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats as distributions

from counterpoise import stats
from counterpoise.core.errors import InputError
from counterpoise.core.shown import Shown
from counterpoise.corpus.counting.count_files import (
    CountSettings,
    MapParts,
    check_different,
    count_corpora,
    equal_samples,
    map_in_processes,
)
from counterpoise.corpus.counting.counter import Window
from counterpoise.corpus.counting.counts import CorpusCounts
from counterpoise.corpus.counting.gender_counts import MIN_COUNT, CorpusResult, describe
from counterpoise.corpus.counting.listing import left_out_of_lists
from counterpoise.corpus.counting.log_odds import BlockShare, Spread, block_share, log_odds, spread
from counterpoise.corpus.counting.rows import SCORE, SHARES, profession_odds
from counterpoise.data.corpus import Corpus

Sources = Mapping[str, str | Path | Iterable[str]] | Sequence[str | Path | Corpus]

_WORD_COLUMNS = ["first", "second", "word", "profession", "log_odds_first", "log_odds_second", "difference"]
_WORD_COLUMNS += ["ci_low", "ci_high", "z", "p_value", "p_adjusted", "left_out"]


@dataclass(frozen=True)
class Difference:
    """A number of two corpora, the first minus the second."""

    first: str
    second: str
    statistic: str
    value_first: float
    value_second: float
    difference: float
    ci_low: float
    ci_high: float
    p_value: float
    n: int  # professions, or gendered words of both
    note: str = ""


@dataclass(frozen=True, repr=False)
class CorpusComparison(Shown):
    """Corpora described as they are, and compared in samples of one size.

    `differences` has a row for each pair of corpora and statistic, with p-values adjusted by Holm's method; `words` the
    words of each pair with their log odds in both samples (Benjamini and Hochberg); both are empty for one corpus.
    `sample_words` says how large each corpus's sample is.
    """

    results: dict[str, CorpusResult]
    differences: pd.DataFrame
    words: pd.DataFrame
    sample_words: dict[str, int]

    def __repr__(self) -> str:
        return f"<CorpusComparison of {', '.join(self.results)}>"

    @property
    def totals(self) -> dict[str, dict[str, int]]:
        """How many documents, words and gendered words each corpus has."""
        return {name: dict(result.totals) for name, result in self.results.items()}

    def to_frame(self) -> pd.DataFrame:
        """The summary rows of all corpora, which the column `corpus` tells apart."""
        tables = [result.summary.assign(corpus=name) for name, result in self.results.items()]
        return pd.concat(tables, ignore_index=True)


def compare_corpora(
    sources: Sources,
    *,
    terms: str | Path = "all",
    professions: Sequence[str] | None = None,
    window: Window = "sentence",
    min_count: int = MIN_COUNT,
    column: str = "text",
    seed: int = 0,
    keep: str | Path | None = None,
    processes: int = 1,
) -> CorpusComparison:
    """Do corpora differ in how men and women are spread over them, and by which words?

    The settings are those of `measure_corpus`.

    >>> even = ["The nurse said she was late.", "The nurse said he was late."] * 200
    >>> skewed = ["The nurse said she was late.", "The cook said he was late."] * 200
    >>> comparison = compare_corpora({"even": even, "skewed": skewed}, professions=["nurse"])
    >>> comparison.words.query("word == 'nurse'").log_odds_first.round(2).tolist()
    [0.0]
    """
    corpora = open_corpora(sources, column)
    if len(corpora) < 2:
        raise InputError("a comparison needs two corpora")
    settings = CountSettings(str(terms), None if professions is None else tuple(professions), window, seed)
    return measure_corpora(corpora, settings, min_count, keep, map_in_processes(processes))


def open_corpora(sources: Sources, column: str = "text") -> list[Corpus]:
    """The corpora of a list of sources, or of a mapping from names to sources."""
    if isinstance(sources, Mapping):
        return [Corpus.of(source, name=name, column=column) for name, source in sources.items()]
    return [Corpus.of(source, column=column) for source in sources]


def measure_corpora(
    corpora: Sequence[Corpus],
    settings: CountSettings,
    min_count: int = MIN_COUNT,
    keep: str | Path | None = None,
    map_parts: MapParts = map,
) -> CorpusComparison:
    """One corpus described, several also compared; all are counted first, so that a mistake in one is said early."""
    check_different(corpora)
    counts = count_corpora(corpora, settings, keep=keep, map_parts=map_parts)
    results = {whole.name: describe(whole, settings, min_count) for whole in counts}
    if len(corpora) == 1:
        return CorpusComparison(results, pd.DataFrame(), pd.DataFrame(), {})
    samples = equal_samples(corpora, counts, settings, keep, map_parts)
    rows: list[Difference] = []
    words = []
    for first, second in combinations(samples, 2):
        rows += differences(first, second, min_count)
        words.append(word_differences(first, second, min_count, settings.terms))
    table = pd.DataFrame(rows)
    table.insert(9, "p_adjusted", stats.adjust(table.p_value.to_numpy()))
    sizes = {sample.name: sample.block_totals["words"] for sample in samples}
    return CorpusComparison(results, table, pd.concat(words, ignore_index=True), sizes)


def differences(first: CorpusCounts, second: CorpusCounts, min_count: int = MIN_COUNT) -> list[Difference]:
    """The score and the shares of two samples, compared."""
    rows = [_score_difference(first, second, min_count)]
    for kind, statistic in SHARES.items():
        sides = [(sample.of(f"male {kind}"), sample.of(f"female {kind}")) for sample in (first, second)]
        if not all((male + female).any() for male, female in sides):
            rows.append(_not_compared(first, second, statistic, f"one of them has no {kind}"))
            continue
        n = int(sum(male.sum() + female.sum() for male, female in sides))
        share_first, share_second = (block_share(*side) for side in sides)
        rows.append(_share_difference(first, second, statistic, share_first, share_second, n))
    return rows


def word_differences(
    first: CorpusCounts, second: CorpusCounts, min_count: int = MIN_COUNT, terms: str = "all"
) -> pd.DataFrame:
    """Words that are frequent enough in both, by how much nearer to men they are in the first, largest first."""
    in_first, in_second = _shared_words(first, second, min_count)
    if not len(in_first):
        return pd.DataFrame(columns=_WORD_COLUMNS)
    odds_first, odds_second = (
        log_odds(counts.near[rows], counts.around, len(counts.words))
        for counts, rows in ((first, in_first), (second, in_second))
    )
    difference = odds_first.value - odds_second.value
    error = np.sqrt(odds_first.variance + odds_second.variance)
    df = min(odds_first.df, odds_second.df)
    half = distributions.t.ppf(0.975, df) * error
    p_value = 2 * distributions.t.sf(np.abs(difference) / error, df)
    table = pd.DataFrame(
        {
            "first": first.name,
            "second": second.name,
            "word": first.words[in_first],
            "profession": first.profession[in_first],
            "log_odds_first": odds_first.value,
            "log_odds_second": odds_second.value,
            "difference": difference,
            "ci_low": difference - half,
            "ci_high": difference + half,
            "z": difference / error,
            "p_value": p_value,
            "p_adjusted": stats.adjust(p_value, "bh"),
            "left_out": [
                of_first or of_second
                for of_first, of_second in zip(
                    left_out_of_lists(first, in_first, terms),
                    left_out_of_lists(second, in_second, terms),
                    strict=True,
                )
            ],
        }
    )
    return table.sort_values("z", ascending=False, ignore_index=True)


def _shared_words(first: CorpusCounts, second: CorpusCounts, min_count: int) -> tuple[np.ndarray, np.ndarray]:
    """Where the words that are frequent enough in both stand in the first, and in the second."""
    rows = [np.flatnonzero(sample.near.sum(axis=(1, 2)) >= min_count) for sample in (first, second)]
    _, at_first, at_second = np.intersect1d(
        first.words[rows[0]], second.words[rows[1]], assume_unique=True, return_indices=True
    )
    return rows[0][at_first], rows[1][at_second]


def _score_difference(first: CorpusCounts, second: CorpusCounts, min_count: int) -> Difference:
    in_first, in_second = _shared_words(first, second, min_count)
    chosen = first.profession[in_first]
    if not chosen.any():
        return _not_compared(
            first, second, SCORE, f"no profession is near gendered words {min_count} times in both"
        )
    spread_1 = spread(profession_odds(first, in_first[chosen]))
    spread_2 = spread(profession_odds(second, in_second[chosen]))
    low, high = _interval_of_difference(spread_1, spread_2)
    error = math.hypot(spread_1.standard_error, spread_2.standard_error)
    t = (spread_1.square - spread_2.square) / error if error else math.nan
    return Difference(
        first=first.name,
        second=second.name,
        statistic=SCORE,
        value_first=spread_1.value,
        value_second=spread_2.value,
        difference=spread_1.value - spread_2.value,
        ci_low=low,
        ci_high=high,
        p_value=float(2 * distributions.t.sf(abs(t), min(spread_1.df, spread_2.df))),
        n=spread_1.n,
    )


def _interval_of_difference(spread_1: Spread, spread_2: Spread) -> tuple[float, float]:
    """An interval for a difference from those of its parts (Zou & Donner 2008, equation 8)."""
    (low_1, high_1), (low_2, high_2) = spread_1.interval(), spread_2.interval()
    difference = spread_1.value - spread_2.value
    return (
        difference - math.hypot(spread_1.value - low_1, high_2 - spread_2.value),
        difference + math.hypot(high_1 - spread_1.value, spread_2.value - low_2),
    )


def _share_difference(
    first: CorpusCounts,
    second: CorpusCounts,
    statistic: str,
    share_1: BlockShare,
    share_2: BlockShare,
    n: int,
) -> Difference:
    error = math.hypot(share_1.standard_error, share_2.standard_error)
    df = min(share_1.df, share_2.df)
    difference = share_1.value - share_2.value
    half = float(distributions.t.ppf(0.975, df)) * error
    p_value = float(2 * distributions.t.sf(abs(difference) / error, df)) if error else math.nan
    return Difference(
        first=first.name,
        second=second.name,
        statistic=statistic,
        value_first=100 * share_1.value,
        value_second=100 * share_2.value,
        difference=100 * difference,
        ci_low=100 * (difference - half),
        ci_high=100 * (difference + half),
        p_value=p_value,
        n=n,
    )


def _not_compared(first: CorpusCounts, second: CorpusCounts, statistic: str, note: str) -> Difference:
    nan = math.nan
    return Difference(first.name, second.name, statistic, nan, nan, nan, nan, nan, nan, 0, note)
