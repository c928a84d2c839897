"""What was counted in a corpus: small enough to keep in a file, enough to draw every interval from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from counterpoise.core.checked_files import read_arrays
from counterpoise.core.errors import DataError, RunError
from counterpoise.core.files import write_aside
from counterpoise.core.plurals import count_text

BLOCKS = 64
SCHEMA = 2  # of the files that counts are kept in
# What is counted in each block of documents.
KINDS = (
    "documents",
    "gendered documents",
    "sentences",
    "words",
    "male terms",
    "female terms",
    "male pronouns",
    "female pronouns",
    "male names",
    "female names",
    "words near male",
    "words near female",
    "words near both",
)


@dataclass(frozen=True)
class CorpusCounts:
    """The words of a corpus that stand near gendered words, and how often, in blocks of documents.

    `near[w, g, b]` is how often word w stands in a window with words of gender g (0 male, 1 female) and none of the
    other, in block b; `pairs[w, g]` how many gendered words it meets, whatever else is there (GenBit's c[w, g]).
    `capitalised[w]` is how often a first name is written with a capital letter, and 0 for other words. Words that stand
    near no gendered word are `others`; they are there only where counts are to be merged.
    """

    name: str
    words: NDArray[np.str_]
    totals: NDArray[np.int64]
    near: NDArray[np.uint32]
    pairs: NDArray[np.float64]
    profession: NDArray[np.bool_]
    capitalised: NDArray[np.int64]
    by_block: NDArray[np.int64]  # kinds x blocks
    window: str
    seed: int
    share: float  # of the documents, drawn at random
    lost_at_most: int
    others: NDArray[np.str_]
    other_totals: NDArray[np.int64]

    @cached_property
    def block_totals(self) -> dict[str, int]:
        """What was counted in all blocks together, by kind."""
        return dict(zip(KINDS, self.by_block.sum(axis=1).tolist(), strict=True))

    def of(self, kind: str) -> NDArray[np.float64]:
        """What was counted in each block."""
        return np.asarray(self.by_block[KINDS.index(kind)], dtype=np.float64)

    @property
    def around(self) -> NDArray[np.float64]:
        """All words near one gender alone: gender x block."""
        return np.stack([self.of("words near male"), self.of("words near female")])

    @classmethod
    def merged(cls, name: str, parts: Iterable[CorpusCounts], limit: int) -> CorpusCounts:
        """The counts of a corpus from those of its files. Of more words than the limit the rarest are forgotten."""
        waiting: list[CorpusCounts] = []
        for part in parts:
            waiting.append(part)
            if sum(len(counts.words) + len(counts.others) for counts in waiting) > 4 * limit:
                waiting = [cls._merged(name, waiting, limit)]
        whole = cls._merged(name, waiting, limit)
        return replace(whole, others=whole.others[:0], other_totals=whole.other_totals[:0])

    @classmethod
    def _merged(cls, name: str, parts: Sequence[CorpusCounts], limit: int) -> CorpusCounts:
        word_lists = [words for part in parts for words in (part.words, part.others)]
        codes, words = pd.factorize(np.concatenate(word_lists))
        places = np.split(codes, np.cumsum([len(listed) for listed in word_lists])[:-1])
        totals, capitalised = np.zeros((2, len(words)), dtype=np.int64)
        counted, profession = np.zeros((2, len(words)), dtype=bool)
        part_totals = (column for part in parts for column in (part.totals, part.other_totals))
        for at, column in zip(places, part_totals, strict=True):
            totals[at] += column
        for at, part in zip(places[::2], parts, strict=True):
            counted[at], profession[at] = True, part.profession
            capitalised[at] += part.capitalised
        row = np.cumsum(counted) - 1
        near = np.zeros((int(counted.sum()), 2, BLOCKS), dtype=np.uint32)
        pairs = np.zeros((len(near), 2))
        for at, part in zip(places[::2], parts, strict=True):
            near[row[at]] += part.near
            pairs[row[at]] += part.pairs
        kept, lost = _most_frequent(totals, profession, limit)
        return replace(
            parts[0],
            name=name,
            words=words[counted & kept],
            totals=totals[counted & kept],
            near=near[kept[counted]],
            pairs=pairs[kept[counted]],
            profession=profession[counted & kept],
            capitalised=capitalised[counted & kept],
            by_block=np.sum([part.by_block for part in parts], axis=0),
            lost_at_most=sum(part.lost_at_most for part in parts) + lost,
            others=words[~counted & kept],
            other_totals=totals[~counted & kept],
        )

    def save(self, path: str | Path) -> None:
        values = {column.name: getattr(self, column.name) for column in fields(self)}
        with write_aside(path) as aside, aside.open("wb") as file:
            np.savez_compressed(file, **values)

    @classmethod
    def load(cls, path: str | Path) -> CorpusCounts:
        arrays = read_arrays(path)
        missing = [column.name for column in fields(cls) if column.name not in arrays]
        if missing:
            raise RunError(f"cannot read {path}: it lacks {missing[0]}")
        values = {column.name: arrays[column.name] for column in fields(cls)}
        scalars = {name: value.item() for name, value in values.items() if value.ndim == 0}
        return cls(**(values | scalars))


def _most_frequent(
    totals: NDArray[np.int64], always: NDArray[np.bool_], limit: int
) -> tuple[NDArray[np.bool_], int]:
    """Which words stay, and how often the most frequent of the others was seen."""
    kept = np.ones(len(totals), dtype=bool)
    if len(totals) <= limit:
        return kept, 0
    order = np.lexsort((-totals, ~always))
    kept[order[limit:]] = False
    return kept, int(totals[order[limit]])


def check_enough(counts: CorpusCounts) -> None:
    """Says in one line why a corpus cannot be measured, if it cannot."""
    total = counts.block_totals
    if not total["words"]:
        raise DataError(f"{counts.name} has no words")
    if not total["male terms"] + total["female terms"]:
        raise DataError(
            f"{counts.name} has no gendered word among its {total['words']:,} words; is --terms in its language?"
        )
    for side in ("male", "female"):
        if not total[f"words near {side}"]:
            raise DataError(
                f"{counts.name} has no word near {side} words alone, so there is nothing to compare"
            )
    enough = 20
    if total["gendered documents"] < enough:
        raise DataError(
            f"{counts.name} is too small for an interval: {count_text(total['gendered documents'], 'document')} "
            f"with gendered words, and at least {enough} are needed (in plain text a line is a document, or a "
            "paragraph with --paragraphs)"
        )
