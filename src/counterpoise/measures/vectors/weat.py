"""Word embedding association test, WEAT (Caliskan et al. 2017).

    s(w, A, B) = mean of cos(w, a) over A - mean of cos(w, b) over B      association of a target word
    d          = (mean of s over X - mean over Y) / sd of s over X and Y together

p is the share of ways to split the targets into two sets of these sizes that differ at least as much, in either
direction; all splits are looked at where there are at most 200,000, else 100,000 are drawn with the seed. The paper's
own p is one-sided and counts only larger differences, so that it can be 0: `variant="published"`. The standard
deviation has ddof=1 as in the paper; WEFE has 0.

The interval is a bootstrap over the words of all four sets. d is at most 2 and says how well two sets are told apart,
not how far apart they are: it can be large where every association is tiny.

A set that loses more than a fifth of its words to the vocabulary is another set, and the test is NaN, with the count,
unless it is allowed. Target sets of unequal size are kept as they are unless asked otherwise.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from counterpoise import stats
from counterpoise.core.errors import DataError
from counterpoise.data.builtin.wordsets import WordTest, WordTests, read_word_sets
from counterpoise.data.builtin.wordsets import weat as caliskan_tests
from counterpoise.data.spec import Variant
from counterpoise.data.user.files import WORDS
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.result import STEREOTYPE, Direction
from counterpoise.measures.base.rows import ZERO, Place, Row, row_key
from counterpoise.measures.base.skipped import skipped_table
from counterpoise.measures.base.source import Source
from counterpoise.measures.vectors.common.word_lookup import FoundSet, Vocabulary, find_set, other_forms
from counterpoise.models.vectors import WordVectors
from counterpoise.stats.vector_association import Metric

Equalise = Literal["random", "end"]

NEARNESS = Direction(
    positive="The first set of targets is closer to the first set of attributes, and the second to the second. In the "
    "tests about gender this is the stereotype.",
    negative="The first set of targets is closer to the second set of attributes, and the second to the first. In the "
    "tests about gender this is the opposite of the stereotype.",
    sides=STEREOTYPE,
)
_ROLES = ("X", "Y", "A", "B")
_YARDSTICK = 20_000  # words, the first of the file, whose covariance Mahalanobis distances use


@measure(
    "weat",
    needs=WordVectors,
    data="weat",
    ideal=ZERO,
    direction=NEARNESS,
    cites="caliskan2017",
    identity=("word", "test", "role"),
    suites=("quick", "full"),
    accepts=(WORDS,),
)
def weat(
    model: WordVectors,
    data: WordTests | WordTest | str | Path | None = None,
    *,
    variant: Variant = "corrected",
    seed: int = 0,
    metric: Metric = "cosine",
    ddof: Annotated[int, Field(ge=0, le=1)] = 1,
    equalise: Equalise | None = None,
    allow_lost: bool = False,
    vocabulary: Container[str] | WordVectors | str | Path | None = None,
) -> Measured:
    """Are two sets of words told apart by their nearness to two others?

    Parameters
    ----------
    data
        Tests, one test, or a file of word sets (see `counterpoise.data.read_word_sets`); the ten of the paper if not
        given.
    metric
        "cosine", or the negative "euclidean", "manhattan" or "mahalanobis" distance.
    ddof
        What is taken off the number of words in the standard deviation of d: 1 or 0.
    equalise
        Cut the larger target set to the size of the smaller one, at "random" with the seed or from the "end".
    allow_lost
        Give numbers even where a set has lost more than a fifth of its words.
    vocabulary
        Use only words that are in it too (another model or its file, a set of words): the same test on a reduced
        vocabulary.

    >>> import counterpoise as cp
    >>> import numpy as np
    >>> vectors = cp.models.WordVectors(["math", "art", "he", "she"], np.array([[3, 1], [1, 2], [1, 0], [0, 1]]))
    >>> test = cp.data.WordTest.of("mine", x=["math"], y=["art"], a=["he"], b=["she"])
    >>> cp.measures.weat(vectors, test).items.association.round(2).tolist()[:2]
    [0.63, -0.45]
    """
    reduced = WordVectors.open(vocabulary) if isinstance(vocabulary, str | Path) else vocabulary
    tests = _tests(data)
    found = [_find(model, test, reduced, equalise, seed) for test in tests.tests]
    if not any(len(one) for sets in found for one in sets):
        raise DataError(f"{model.name} has no vector for any word of {tests.name}")

    reference = model.matrix[:_YARDSTICK] if metric == "mahalanobis" else None
    label = f"d ({metric}, ddof {ddof}{', reduced vocabulary' if vocabulary is not None else ''})"
    items, rows = [], []
    for test, sets in zip(tests.tests, found, strict=True):
        reason = _too_much_lost(sets, allow_lost)
        tested = None
        if reason is None:
            tested = stats.association_test(
                *(one.vectors for one in sets),
                metric=metric,
                reference=reference,
                ddof=ddof,
                alternative="two-sided" if variant == "corrected" else "greater",
                strict=variant == "published",
                seed=seed,
            )
        items.append(_items(test, sets, tested))
        rows.append(_row(test, sets, tested, reason, label))

    return Measured(
        pd.concat(items, ignore_index=True),
        rows,
        skipped=_skipped(tests, found),
        warnings=(*model.warnings, *_warnings(tests, found, allow_lost)),
        dataset=tests.name,
    )


def _tests(data: WordTests | WordTest | str | Path | None) -> WordTests:
    if data is None:
        return caliskan_tests()
    if isinstance(data, WordTest):
        return WordTests("own", (data,))
    return read_word_sets(data) if isinstance(data, str | Path) else data


def _find(
    model: WordVectors,
    test: WordTest,
    vocabulary: Vocabulary | None,
    equalise: Equalise | None,
    seed: int,
) -> tuple[FoundSet, ...]:
    taken: set[str] = set()
    x, y, a, b = (find_set(model, wanted, taken, vocabulary) for wanted in test.sets)
    if equalise is None or not min(len(x), len(y)):
        return x, y, a, b
    size = min(len(x), len(y))
    return _cut(x, size, equalise, seed), _cut(y, size, equalise, seed), a, b


def _cut(one: FoundSet, size: int, equalise: Equalise, seed: int) -> FoundSet:
    """The larger set without the words that are too many."""
    if len(one) == size:
        return one
    rows = list(range(size))
    if equalise == "random":
        rows = sorted(np.random.default_rng(seed).permutation(len(one))[:size].tolist())
    return one.cut(rows, "left out so that both target sets are of one size")


def _too_much_lost(sets: tuple[FoundSet, ...], allow_lost: bool) -> str | None:
    """Why the test has no number, or None; a set without words has none in any case."""
    return next(
        (one.too_much_lost for one in sets if one.too_much_lost and not (allow_lost and len(one))), None
    )


def _warnings(tests: WordTests, found: list[tuple[FoundSet, ...]], allow_lost: bool) -> list[str]:
    warnings = other_forms(*(one for sets in found for one in sets))
    without = [
        test.name for test, sets in zip(tests.tests, found, strict=True) if _too_much_lost(sets, allow_lost)
    ]
    if without:
        warnings.append(
            f"{len(without)} of {len(found)} tests give no number, since a set has lost more than a fifth of its words "
            f"({', '.join(without)}); allow_lost=True (--allow-lost) gives one where any are left"
        )
    return warnings


def _items(
    test: WordTest, sets: tuple[FoundSet, ...], tested: stats.AssociationResult | None
) -> pd.DataFrame:
    associations = [] if tested is None else [*tested.x, *tested.y]
    parts = [
        pd.DataFrame(
            {"test": test.name, "role": role, "set": one.name, "word": one.words, "found_as": one.keys}
        )
        for role, one in zip(_ROLES, sets, strict=True)
    ]
    table = pd.concat(parts, ignore_index=True).astype(object)
    table["association"] = np.nan
    table.loc[: len(associations) - 1, "association"] = associations
    return table


def _row(
    test: WordTest,
    sets: tuple[FoundSet, ...],
    tested: stats.AssociationResult | None,
    reason: str | None,
    label: str,
) -> Row:
    targets, at = len(sets[0]) + len(sets[1]), place_of_test(test)
    row = Row(
        key=row_key("d", at),
        level=at.level,
        group=at.group,
        statistic=label,
        value=np.nan,
        ideal=ZERO,
        n=targets,
        clusters=targets,
        note=reason or "",
        source=Source("association", "word", {"test": test.name}, "effect_size"),
    )
    if tested is None:
        return row
    splits = f"p from {'all' if tested.exact else 'drawn'} {tested.n_used:,} splits"
    return replace(
        row,
        value=tested.effect_size,
        ci_low=tested.low,
        ci_high=tested.high,
        p_value=tested.p_value,
        effect_size=tested.effect_size,
        smallest_detectable=tested.smallest_detectable,
        note=tested.reason or splits,
    )


def place_of_test(test: WordTest) -> Place:
    """Tests about gender speak of the model as a whole, others for themselves."""
    return Place("overall" if test.gender else "group", test.title, test.name)


def _skipped(tests: WordTests, found: list[tuple[FoundSet, ...]]) -> pd.DataFrame:
    lost = [
        (word, f"{test.name}, {one.name}: {reason}")
        for test, sets in zip(tests.tests, found, strict=True)
        for one in sets
        for word, reason in (*one.lost, *one.left_out)
    ]
    return skipped_table([word for word, _ in lost], [reason for _, reason in lost])
