"""Gender in a corpus, by counts: who is in the text, and which words stand near men and near women.

    d_w = log odds of word w near male words - log odds of w near female words       (Monroe et al. 2008)
    S   = root of the mean over professions of (d² - var d)

Near means in the same sentence, or within a number of words. An occurrence counts where its window holds words of one
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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.core.errors import DataError, InputError
from counterpoise.core.plurals import count_text
from counterpoise.corpus.counting.count_files import CountSettings, count_corpora, map_in_processes
from counterpoise.corpus.counting.counter import Window
from counterpoise.corpus.counting.counts import CorpusCounts
from counterpoise.corpus.counting.listing import left_out_of_lists
from counterpoise.corpus.counting.log_odds import log_odds
from counterpoise.corpus.counting.rows import (
    genbit_rows,
    mean_row,
    profession_odds,
    profession_rows,
    share_rows,
    spread_row,
)
from counterpoise.data.corpus import Corpus
from counterpoise.data.spec import citation
from counterpoise.measures.base.result import GENDERS, Direction, Result, make_summary, sources_of
from counterpoise.measures.base.skipped import skipped_table

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


@dataclass(frozen=True, repr=False)
class CorpusResult(Result):
    """What counts show of one corpus; `totals` says how many documents, words and gendered words it has."""

    totals: Mapping[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<CorpusResult of {self.dataset}: {len(self.items):,} words>"


def measure_corpus(
    source: str | Path | Iterable[str] | Corpus,
    *,
    terms: str | Path = "all",
    professions: Sequence[str] | None = None,
    window: Window = "sentence",
    min_count: int = MIN_COUNT,
    column: str = "text",
    seed: int = 0,
    keep: str | Path | None = None,
    processes: int = 1,
) -> CorpusResult:
    """How are men and women spread over a text, and which words and professions stand near them?

    Parameters
    ----------
    source
        a file (text, CSV, TSV, JSONL or Parquet, also compressed) or a folder of them, `jigsaw:toxic`, texts, or a
        `Corpus`
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

    >>> result = measure_corpus(["The nurse said she was late."] * 300 + ["The pilot said he was late."] * 300)
    >>> result.overall.statistic.tolist()[0], round(result.overall.value.iloc[0])
    ("spread of the professions' log odds", 6)
    """
    corpus = Corpus.of(source, column=column)
    settings = CountSettings(str(terms), None if professions is None else tuple(professions), window, seed)
    [counts] = count_corpora([corpus], settings, keep=keep, map_parts=map_in_processes(processes))
    return describe(counts, settings, min_count)


def describe(counts: CorpusCounts, settings: CountSettings, min_count: int = MIN_COUNT) -> CorpusResult:
    """What counts show of a corpus."""
    if min_count < 1:
        raise InputError(f"min_count must be at least 1, not {min_count}")
    is_frequent = counts.near.sum(axis=(1, 2)) >= min_count
    items = word_table(counts, is_frequent, settings.terms)
    chosen = is_frequent & counts.profession
    rows = share_rows(counts)
    skipped = _rare_professions(counts, min_count)
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
    return CorpusResult(
        totals=counts.block_totals,
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


def word_table(counts: CorpusCounts, chosen: np.ndarray, terms: str = "all") -> pd.DataFrame:
    """Words with their counts near men and near women, log odds, interval, z and p, nearest to men first.

    `left_out` says why lists for people do not show a word.
    """
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
            "left_out": left_out_of_lists(counts, chosen, terms),
        }
    )
    return table.sort_values("z", ascending=False, ignore_index=True)


def _rare_professions(counts: CorpusCounts, min_count: int) -> pd.DataFrame:
    near = counts.near.sum(axis=(1, 2))
    rare = np.flatnonzero(counts.profession & (near < min_count))
    return skipped_table(
        counts.words[rare].tolist(),
        [
            f"stands near one gender alone {count_text(int(near[at]), 'time')}, fewer than {min_count}"
            for at in rare
        ],
    )
