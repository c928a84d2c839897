"""The summary rows of a counted corpus: log odds of professions, shares of men and women, and GenBit's scores."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy import stats as distributions

from counterpoise import stats
from counterpoise.corpus.counting.counts import CorpusCounts
from counterpoise.corpus.counting.log_odds import LogOdds, block_share, genbit, log_odds, spread, variance_of
from counterpoise.corpus.effect_sizes import log_odds_effect
from counterpoise.measures.base.row_builders import figure_row
from counterpoise.measures.base.rows import HALF, ZERO, Place, Row, in_group, of_word
from counterpoise.measures.base.source import Source

SCORE = "spread of the professions' log odds"
SHARES = {
    "terms": "% male of gendered terms",
    "pronouns": "% male of gendered pronouns",
    "names": "% male of first names",
}
_PROFESSIONS = Place("overall", "professions")


def profession_odds(counts: CorpusCounts, chosen: np.ndarray) -> LogOdds:
    """Log odds without the informative prior, which would pull all of them, and so the spread, towards 0."""
    return log_odds(counts.near[chosen], counts.around, len(counts.words), prior=0.0)


def spread_row(odds: LogOdds) -> Row:
    """The overall score, with Cohen's d that goes with such log odds (Chinn 2000)."""
    score = spread(odds)
    low, high = score.interval()
    row = figure_row(
        score.value, "spread", SCORE, n=score.n, clusters=score.df + 1, at=_PROFESSIONS, ideal=ZERO
    )
    return replace(
        row,
        ci_low=low,
        ci_high=high,
        p_value=score.p_value,
        effect_size=log_odds_effect(score.value),
        smallest_detectable=score.smallest_detectable,
    )


def mean_row(odds: LogOdds) -> Row:
    """Do professions as such stand nearer to men than other words do?"""
    value = float(odds.value.mean())
    independent = float(odds.variance.sum()) / len(odds.value) ** 2
    error = math.sqrt(max(float(variance_of(odds.influence.mean(axis=0))), independent))
    label = "mean of the professions' log odds"
    return t_row(value, error, odds.df, _PROFESSIONS, "mean_log_odds", label, len(odds.value))


def profession_rows(counts: CorpusCounts, chosen: np.ndarray, odds: LogOdds) -> list[Row]:
    """The log odds of each profession."""
    near = counts.near[chosen].sum(axis=(1, 2))
    return [
        replace(
            t_row(float(value), float(error), odds.df, of_word(word), "log_odds", "log odds", int(n)),
            source=Source("log_odds", where={"word": str(word)}, form="figure"),
        )
        for word, value, error, n in zip(
            counts.words[chosen], odds.value, odds.standard_error, near, strict=True
        )
    ]


def t_row(value: float, error: float, df: int, at: Place, statistic: str, label: str, n: int) -> Row:
    """A row about log odds with a standard error from blocks."""
    half = float(distributions.t.ppf(0.975, df)) * error
    return replace(
        figure_row(value, statistic, label, n=n, clusters=df + 1, at=at, ideal=ZERO),
        ci_low=value - half,
        ci_high=value + half,
        p_value=float(2 * distributions.t.sf(abs(value) / error, df)) if error else math.nan,
        effect_size=log_odds_effect(value),
        smallest_detectable=stats.smallest_detectable_t(error, df),
    )


def share_rows(counts: CorpusCounts) -> list[Row]:
    """The share of the male among gendered terms, pronouns and first names, in per cent."""
    rows = []
    for kind, label in SHARES.items():
        male, female = counts.of(f"male {kind}"), counts.of(f"female {kind}")
        n = int(male.sum() + female.sum())
        row = figure_row(math.nan, "share_male", label, n=0, at=in_group(kind), ideal=HALF)
        if not n:
            rows.append(replace(row, note=f"no {kind} found"))
            continue
        share = block_share(male, female)
        low, high = share.interval()
        rows.append(
            replace(
                row,
                value=100 * share.value,
                n=n,
                clusters=share.df + 1,
                ci_low=100 * low,
                ci_high=100 * high,
                p_value=share.p_value,
                effect_size=stats.cohens_h(share.value),
                smallest_detectable=100 * stats.smallest_detectable_t(share.standard_error, share.df),
                note=f"{int(male.sum()):,} male, {int(female.sum()):,} female",
            )
        )
    return rows


def genbit_rows(counts: CorpusCounts) -> list[Row]:
    """GenBit's four scores."""
    scores = genbit(counts.pairs)
    note = "as GenBit computes it: without interval, and larger in a smaller corpus"
    labelled = (
        ("genbit_score", "GenBit score", scores.score),
        ("genbit_conditional", "average bias conditional", scores.conditional),
        ("genbit_ratio_absolute", "average bias ratio, absolute", scores.ratio_absolute),
        ("genbit_ratio", "average bias ratio", scores.ratio),
    )
    at = Place("group", "GenBit")
    return [
        figure_row(value, statistic, label, n=scores.n_words, clusters=0, at=at, ideal=ZERO, note=note)
        for statistic, label, value in labelled
    ]
