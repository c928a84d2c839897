"""What was counted in a corpus: small enough to keep in a file, enough to draw every interval from."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from counterpoise.core.errors import DataError, RunError
from counterpoise.core.files import write_aside

BLOCKS = 64
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
class Counts:
    """The words of a corpus that stand near gendered words, and how often, in blocks of documents.

    `near[w, g, b]` is how often word w stands in a window with words of gender g (0 male, 1 female) and none of the
    other, in block b; `pairs[w, g]` how many gendered words it meets, whatever else is there (GenBit's c[w, g]).
    """

    name: str
    words: NDArray[np.str_]
    totals: NDArray[np.int64]
    near: NDArray[np.uint32]
    pairs: NDArray[np.float64]
    profession: NDArray[np.bool_]
    by_block: NDArray[np.int64]  # kinds x blocks
    window: str
    seed: int
    share: float  # of the documents, drawn at random
    lost_at_most: int

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

    def in_blocks(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> Counts:
        """The counts of some of the blocks: a random part of the documents."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        values |= {"near": self.near[:, :, chosen], "by_block": self.by_block[:, chosen]}
        return Counts(**values)

    def save(self, path: str | Path) -> None:
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        with write_aside(path) as aside, aside.open("wb") as file:
            np.savez_compressed(file, **values)

    @classmethod
    def load(cls, path: str | Path) -> Counts:
        try:
            with np.load(path, allow_pickle=False) as file:
                values = {one.name: file[one.name] for one in fields(cls)}
        except (OSError, ValueError, KeyError) as error:
            raise RunError(
                f"cannot read the counts {path}: {error}; delete the file to count again"
            ) from error
        scalars = {name: value.item() for name, value in values.items() if value.ndim == 0}
        return cls(**(values | scalars))


def check_enough(counts: Counts) -> None:
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
            f"{counts.name} is too small for an interval: {total['gendered documents']} documents hold gendered words, "
            f"and at least {enough} must (in plain text a line is a document, or a paragraph with --paragraphs)"
        )
