"""Association tests of four sets of words: what tests on vectors of words and of their occurrences have in common."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Protocol

import numpy as np

from counterpoise.data.builtin.wordsets import WordTest, WordTests, read_word_sets
from counterpoise.measures.base.documentation import Doc
from counterpoise.measures.base.result import STEREOTYPE, Direction
from counterpoise.measures.base.row_builders import figure_row, with_effect
from counterpoise.measures.base.rows import ZERO, Place, Row
from counterpoise.measures.base.source import Source
from counterpoise.stats.vector_association import AssociationResult, Metric

TestsData = Annotated[
    WordTests | WordTest | str | Path | None,
    Doc("Tests, one test, or a file of word sets (see `counterpoise.data.read_word_sets`)."),
]
SimilarityMetric = Annotated[
    Metric, Doc('"cosine", or the negative "euclidean", "manhattan" or "mahalanobis" distance.')
]
AllowLost = Annotated[bool, Doc("Give numbers even where a set has lost more than a fifth of its words.")]

ROLES = ("X", "Y", "A", "B")  # two sets of targets, two of attributes
NEARNESS = Direction(
    "The first set of targets is closer to the first set of attributes, and the second to the second. In the "
    "tests about gender this is the stereotype.",
    "The first set of targets is closer to the second set of attributes, and the second to the first. In the "
    "tests about gender this is the opposite of the stereotype.",
    STEREOTYPE,
)


class SplitTest(Protocol):
    """A permutation test, over all splits of the targets or over as many drawn ones."""

    @property
    def exact(self) -> bool: ...
    @property
    def n_used(self) -> int: ...


def read_tests(data: WordTests | WordTest | str | Path) -> WordTests:
    """Tests as they are given: several, one, or a file of them."""
    if isinstance(data, WordTest):
        return WordTests("own", (data,))
    return read_word_sets(data) if isinstance(data, str | Path) else data


def place_of_test(test: WordTest) -> Place:
    """Tests about gender speak of the model as a whole, others for themselves."""
    return Place("overall" if test.gender else "group", test.title, test.name)


def splits_note(tested: SplitTest) -> str:
    """What p was computed from."""
    return f"p from {'all' if tested.exact else 'drawn'} {tested.n_used:,} splits"


def effect_row(
    test: WordTest,
    tested: AssociationResult | None,
    label: str,
    *,
    n: int,
    clusters: int,
    cluster: str | None = "word",
    reason: str | None = None,
) -> Row:
    """The effect size of a test; a test without a result has no number, and `reason` says why."""
    source = Source("association", cluster, {"test": test.name}, "effect_size")
    place, note = place_of_test(test), reason or ""
    row = figure_row(
        np.nan, "d", label, n=n, clusters=clusters, at=place, ideal=ZERO, source=source, note=note
    )
    if tested is None:
        return row
    row, detectable = replace(row, note=tested.reason or splits_note(tested)), tested.smallest_detectable
    effect = (tested.effect_size, tested.low, tested.high)
    return with_effect(row, *effect, p_value=tested.p_value, smallest_detectable=detectable)
