"""Gender in a corpus, by counts: who is in the text, and which words stand near men and near women.

    d_w = log odds of word w near male words - log odds of w near female words       (Monroe et al. 2008)
    S   = root of the mean over professions of (d² - var d)

Near means in the same sentence, or within so many words. An occurrence counts where its window holds words of one
gender alone; windows with both say nothing about either and are counted apart. d is above 0 where a word stands near
men more often than other words do: that men are mentioned more often at all does not move it, and shows in the shares.

S is how far professions are from 0, whichever way, with what chance adds taken off: 0 in a text that mentions men and
women beside all professions alike, and not larger in a small corpus than in a large one (a mean of absolute values is).
Professions weigh alike; those near fewer than `min_count` gendered words are skipped and named.

Intervals and tests rest on documents (64 random blocks of them), since words come in bursts; p-values of
professions are adjusted by Holm's method, those of the thousands of other words by Benjamini and Hochberg's, which
leaves one in twenty of the words that it shows to chance.

What counts cannot see: who does what to whom, irony, and a sentence that quotes another. *He is no nurse* counts as
male beside nurse. What a model learns from the text is another question.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.core.errors import DataError, InputError
from counterpoise.corpus.counting.count import Window
from counterpoise.corpus.counting.counts import CorpusCounts
from counterpoise.corpus.counting.log_odds import LogOdds, block_share, genbit, log_odds, spread, variance_of
from counterpoise.corpus.counting.runs import CountSettings, count_corpora, in_processes
from counterpoise.data.corpus import TextCorpus
from counterpoise.data.spec import citation
from counterpoise.measures.base.result import GENDERS, Direction, Result, make_summary, sources_of
from counterpoise.measures.base.row_builders import figure_row
from counterpoise.measures.base.rows import HALF, ZERO, Place, Row, in_group, of_word, row_key
from counterpoise.measures.base.skipped import skipped_table
from counterpoise.measures.base.source import Source

SCORE = "spread of the professions' log odds"
MIN_COUNT = 20
DIRECTION = Direction(
    positive="Professions stand nearer to men than other words do.",
    negative="Professions stand nearer to women than other words do.",
    sides=GENDERS,
)
_MORE_MEN = Direction(
    positive="The text mentions men more often than women.",
    negative="The text mentions women more often than men.",
)
_UNEVEN = Direction(
    positive="Some words stand nearer to men and some nearer to women.",
    negative="No word stands nearer to one gender than to the other.",
)
DIRECTIONS = {
    "spread": Direction(
        positive="Some professions stand nearer to men and some nearer to women.",
        negative="Professions stand as near to men as to women.",
    ),
    "share_male": _MORE_MEN,
    "genbit_score": _UNEVEN,
    "genbit_conditional": _UNEVEN,
    "genbit_ratio_absolute": _UNEVEN,
}
SHARES = ("terms", "pronouns", "names")


def measure_corpus(
    source: str | Path | Iterable[str] | TextCorpus,
    *,
    terms: str | Path = "all",
    professions: Sequence[str] | None = None,
    window: Window = "sentence",
    min_count: int = MIN_COUNT,
    column: str = "text",
    seed: int = 0,
    keep: str | Path | None = None,
    processes: int = 1,
) -> Result:
    """How are men and women spread over a text, and which words and professions stand near them?

    Parameters
    ----------
    source
        a file (text, CSV, TSV, JSONL or Parquet, also compressed) or a folder of them, `jigsaw:toxic`, texts, or a
        `TextCorpus`
    terms
        the gendered words: `all`, `pro`, `weat`, `german`, `genbit`, `bolukbasi`, or a file of pairs
    professions
        words to ask about instead of our professions
    window
        `sentence`, or a number of words to either side
    min_count
        how often a word must stand near one gender alone to be shown
    column
        the column or field that holds the text
    keep
        a folder in which counts are kept; what is there is not counted again
    processes
        how many processes count the files of a folder

    >>> found = measure_corpus(["The nurse said she was late."] * 300 + ["The pilot said he was late."] * 300)
    >>> found.overall.statistic.tolist()[0], round(found.overall.value.iloc[0])
    ("spread of the professions' log odds", 6)
    """
    text = TextCorpus.of(source, column=column)
    settings = CountSettings(str(terms), None if professions is None else tuple(professions), window, seed)
    counts = count_corpora([text], settings, keep=keep, over=in_processes(processes))
    return describe(counts[0], settings, min_count)


def describe(counts: CorpusCounts, settings: CountSettings, min_count: int = MIN_COUNT) -> Result:
    """What counts show of a corpus."""
    if min_count < 1:
        raise InputError(f"min_count must be at least 1, not {min_count}")
    often = counts.near.sum(axis=(1, 2)) >= min_count
    items = word_table(counts, often)
    chosen = often & counts.profession
    rows = share_rows(counts)
    skipped = _rare(counts, min_count)
    warnings = []
    if chosen.any():
        odds = profession_odds(counts, chosen)
        rows = [spread_row(odds), mean_row(odds), *rows, *profession_rows(counts, chosen, odds)]
    elif settings.professions is not None:
        raise DataError(
            f"none of the professions stands near gendered words {min_count} times or more in {counts.name}"
        )
    else:
        warnings.append(
            f"no profession stands near one gender alone {min_count} times or more: there is no score"
        )
    rows += genbit_rows(counts)
    if counts.lost_at_most:
        warnings.append(
            f"there are more different words than are held: a rare one may lack up to {counts.lost_at_most} occurrences"
        )
    return Result(
        measure="corpus",
        dataset=counts.name,
        model="",
        variant="corrected",
        seed=settings.seed,
        items=items,
        summary=make_summary(rows, "corpus", counts.name, "corrected"),
        skipped=skipped,
        direction=DIRECTION,
        directions=DIRECTIONS,
        sources=sources_of(rows),
        identity=("word",),
        citation=" ".join(citation(key) for key in ("monroe2008", "sengupta2021", "bolukbasi2016")),
        warnings=tuple(warnings),
    )


def word_table(counts: CorpusCounts, chosen: np.ndarray) -> pd.DataFrame:
    """Words with their counts near men and near women, log odds, interval, z and p, nearest to men first."""
    if not chosen.any():
        raise DataError(
            f"{counts.name} has no word that stands near one gender alone often enough to be shown"
        )
    odds = log_odds(counts.near[chosen], counts.around, len(counts.words))
    low, high = odds.interval()
    near = counts.near[chosen].sum(axis=2)
    table = pd.DataFrame(
        {
            "word": counts.words[chosen],
            "profession": counts.profession[chosen],
            "total": counts.totals[chosen],
            "near_male": near[:, 0],
            "near_female": near[:, 1],
            "log_odds": odds.value,
            "ci_low": low,
            "ci_high": high,
            "z": odds.z,
            "p_value": odds.p_value,
            "p_adjusted": stats.adjust(odds.p_value, "bh"),
        }
    )
    return table.sort_values("z", ascending=False, ignore_index=True)


def profession_odds(counts: CorpusCounts, chosen: np.ndarray) -> LogOdds:
    """Log odds without the informative prior, which would pull all of them, and so the spread, towards 0."""
    return log_odds(counts.near[chosen], counts.around, len(counts.words), prior=0.0)


def spread_row(odds: LogOdds) -> Row:
    """The overall score, with Cohen's d that goes with such log odds (Chinn 2000)."""
    found = spread(odds)
    low, high = found.interval()
    return Row(
        key=row_key("spread"),
        level="overall",
        group="professions",
        statistic=SCORE,
        value=found.value,
        ideal=ZERO,
        n=found.n,
        clusters=found.df + 1,
        ci_low=low,
        ci_high=high,
        p_value=found.p_value,
        effect_size=as_cohens_d(found.value),
        smallest_detectable=found.smallest_detectable,
    )


def mean_row(odds: LogOdds) -> Row:
    """Do professions as such stand nearer to men than other words do?"""
    value = float(odds.value.mean())
    independent = float(odds.variance.sum()) / len(odds.value) ** 2
    error = math.sqrt(max(float(variance_of(odds.influence.mean(axis=0))), independent))
    place, label = Place("overall", "professions"), "mean of the professions' log odds"
    return t_row(value, error, odds.df, place, "mean_log_odds", label, len(odds.value))


def profession_rows(counts: CorpusCounts, chosen: np.ndarray, odds: LogOdds) -> list[Row]:
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
    from scipy import stats as distributions

    half = float(distributions.t.ppf(0.975, df)) * error
    return Row(
        key=row_key(statistic, at),
        level=at.level,
        group=at.group,
        statistic=label,
        value=value,
        ideal=ZERO,
        n=n,
        clusters=df + 1,
        ci_low=value - half,
        ci_high=value + half,
        p_value=float(2 * distributions.t.sf(abs(value) / error, df)) if error else math.nan,
        effect_size=as_cohens_d(value),
        smallest_detectable=stats.smallest_detectable_t(error, df),
    )


def share_rows(counts: CorpusCounts) -> list[Row]:
    """The share of the male among gendered terms, pronouns and first names, in per cent."""
    rows = []
    for kind in SHARES:
        male, female = counts.of(f"male {kind}"), counts.of(f"female {kind}")
        n = int(male.sum() + female.sum())
        label = f"% male of gendered {kind}" if kind != "names" else "% male of first names"
        row = figure_row(math.nan, "share_male", label, n=0, at=in_group(kind), ideal=HALF)
        if not n:
            rows.append(replace(row, note=f"no {kind} found"))
            continue
        found = block_share(male, female)
        low, high = found.interval()
        rows.append(
            replace(
                row,
                value=100 * found.value,
                n=n,
                clusters=found.df + 1,
                ci_low=100 * low,
                ci_high=100 * high,
                p_value=found.p_value,
                effect_size=stats.cohens_h(found.value),
                smallest_detectable=100 * stats.smallest_detectable_t(found.standard_error, found.df),
                note=f"{int(male.sum()):,} male, {int(female.sum()):,} female",
            )
        )
    return rows


def genbit_rows(counts: CorpusCounts) -> list[Row]:
    found = genbit(counts.pairs)
    note = "as GenBit computes it: without interval, and larger in a smaller corpus"
    scores = (
        ("genbit_score", "GenBit score", found.score),
        ("genbit_conditional", "average bias conditional", found.conditional),
        ("genbit_ratio_absolute", "average bias ratio, absolute", found.ratio_absolute),
        ("genbit_ratio", "average bias ratio", found.ratio),
    )
    at = Place("group", "GenBit")
    return [
        replace(
            figure_row(value, statistic, label, n=found.n_words, clusters=0, at=at, ideal=ZERO), note=note
        )
        for statistic, label, value in scores
    ]


def as_cohens_d(value: float) -> float:
    """Cohen's d that goes with log odds (Chinn 2000)."""
    return value * math.sqrt(3) / math.pi


def _rare(counts: CorpusCounts, min_count: int) -> pd.DataFrame:
    near = counts.near.sum(axis=(1, 2))
    rare = np.flatnonzero(counts.profession & (near < min_count))
    return skipped_table(
        counts.words[rare].tolist(),
        [f"stands near one gender alone {near[at]} times, fewer than {min_count}" for at in rare],
    )
