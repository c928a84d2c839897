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
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from counterpoise import stats
from counterpoise.core.errors import DataError
from counterpoise.data.builtin.wordsets import WordTest, WordTests
from counterpoise.data.builtin.wordsets import weat as caliskan_tests
from counterpoise.data.spec import Variant
from counterpoise.data.user.files import WORDS
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.rows import ZERO
from counterpoise.measures.base.skipped import skipped_items
from counterpoise.measures.vectors.common.word_lookup import FoundSet, Vocabulary, find_set, other_forms
from counterpoise.measures.vectors.common.word_tests import (
    NEARNESS,
    ROLES,
    AllowLost,
    SimilarityMetric,
    TestsData,
    effect_row,
    read_tests,
)
from counterpoise.models.vectors import WordVectors

Equalise = Literal["random", "end"]

_YARDSTICK = 20_000  # words, the first of the file, whose covariance Mahalanobis distances use


@measure(
    "weat",
    label="Word embedding association (WEAT)",
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
    data: TestsData = None,
    *,
    variant: Variant = "corrected",
    seed: int = 0,
    ddof: Annotated[int, Field(ge=0, le=1)] = 1,
    metric: SimilarityMetric = "cosine",
    equalise: Equalise | None = None,
    allow_lost: AllowLost = False,
    vocabulary: Container[str] | WordVectors | str | Path | None = None,
) -> Measured:
    """Are two sets of words told apart by their nearness to two others?

    Parameters
    ----------
    data
        The ten tests of the paper if not given.
    ddof
        What is taken off the number of words in the standard deviation of d: 1 or 0.
    equalise
        Cut the larger target set to the size of the smaller one, at "random" with the seed or from the "end".
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
    tests = caliskan_tests() if data is None else read_tests(data)
    sets_of_tests = [_find(model, test, reduced, equalise, seed) for test in tests.tests]
    if not any(len(words) for sets in sets_of_tests for words in sets):
        raise DataError(f"{model.name} has no vector for any word of {tests.name}")

    reference = model.matrix[:_YARDSTICK] if metric == "mahalanobis" else None
    label = f"d ({metric}, ddof {ddof}{', reduced vocabulary' if vocabulary is not None else ''})"
    items, rows = [], []
    for test, sets in zip(tests.tests, sets_of_tests, strict=True):
        reason = _too_much_lost(sets, allow_lost)
        tested = None
        if reason is None:
            tested = stats.association_test(
                *(words.vectors for words in sets),
                metric=metric,
                reference=reference,
                ddof=ddof,
                alternative="two-sided" if variant == "corrected" else "greater",
                strict=variant == "published",
                seed=seed,
            )
        items.append(_items(test, sets, tested))
        targets = len(sets[0]) + len(sets[1])
        rows.append(effect_row(test, tested, label, n=targets, clusters=targets, reason=reason))

    return Measured(
        pd.concat(items, ignore_index=True),
        rows,
        skipped=_skipped(tests, sets_of_tests),
        warnings=(*model.warnings, *_warnings(tests, sets_of_tests, allow_lost)),
        dataset=tests.name,
    )


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


def _cut(words: FoundSet, size: int, equalise: Equalise, seed: int) -> FoundSet:
    """The larger set without the words that are too many."""
    if len(words) == size:
        return words
    rows = list(range(size))
    if equalise == "random":
        rows = sorted(np.random.default_rng(seed).permutation(len(words))[:size].tolist())
    return words.cut(rows, "left out so that both target sets are of one size")


def _too_much_lost(sets: tuple[FoundSet, ...], allow_lost: bool) -> str | None:
    """Why the test has no number, or None; a set without words has none in any case."""
    problems = (words.too_much_lost(allow_lost) for words in sets)
    return next((problem for problem in problems if problem is not None), None)


def _warnings(tests: WordTests, sets_of_tests: list[tuple[FoundSet, ...]], allow_lost: bool) -> list[str]:
    warnings = other_forms(*(words for sets in sets_of_tests for words in sets))
    without = [
        test.name
        for test, sets in zip(tests.tests, sets_of_tests, strict=True)
        if _too_much_lost(sets, allow_lost)
    ]
    if without:
        warnings.append(
            f"{len(without)} of {len(sets_of_tests)} tests give no number, since a set has lost more than a fifth of "
            f"its words ({', '.join(without)}); allow_lost=True (--allow-lost) gives one where any are left"
        )
    return warnings


def _items(
    test: WordTest, sets: tuple[FoundSet, ...], tested: stats.AssociationResult | None
) -> pd.DataFrame:
    associations = [] if tested is None else [*tested.x, *tested.y]
    parts = [
        pd.DataFrame(
            {"test": test.name, "role": role, "set": words.name, "word": words.words, "found_as": words.keys}
        )
        for role, words in zip(ROLES, sets, strict=True)
    ]
    table = pd.concat(parts, ignore_index=True).astype(object)
    table["association"] = np.nan
    table.loc[: len(associations) - 1, "association"] = associations
    return table


def _skipped(tests: WordTests, sets_of_tests: list[tuple[FoundSet, ...]]) -> pd.DataFrame:
    return skipped_items(
        (word, f"{test.name}, {words.name}: {reason}")
        for test, sets in zip(tests.tests, sets_of_tests, strict=True)
        for words in sets
        for word, reason in (*words.lost, *words.left_out)
    )
