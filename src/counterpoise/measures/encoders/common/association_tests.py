"""Association tests on encoders: a word of a test stands in several texts, and has a vector in each of them.

    sim(w, v)  = mean of sim(vector of w in s, vector of v in t)      over the texts s of w and t of v
    s(w, A, B) = mean of sim(w, a) over A - mean of sim(w, b) over B

Interval and test count words, since one generalises to other words of the kind: the texts of a word are not
independent of each other, and a test that counts them (`unit="text"`, as papers do) is too sure of itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.core.errors import DataError
from counterpoise.data.builtin.wordsets import WordSet, WordTest, WordTests, read_word_sets, weat
from counterpoise.data.spec import Variant
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.rows import ZERO, Row, row_key
from counterpoise.measures.base.skipped import skipped_table
from counterpoise.measures.base.source import Source
from counterpoise.measures.vectors.common.word_lookup import MAY_BE_LOST
from counterpoise.measures.vectors.weat import place_of_test
from counterpoise.models.encoder import Encoder
from counterpoise.stats.inputs import Alternative
from counterpoise.stats.vector_association import AssociationResult, Metric

Tests = WordTests | WordTest | str | Path
Unit = Literal["word", "text"]
ROLES = ("X", "Y", "A", "B")
IDENTITY = ("text", "test", "role", "word", "form")


@dataclass(frozen=True)
class TestSettings:
    """How an association test is carried out."""

    metric: Metric = "cosine"
    unit: Unit = "word"
    alternative: Alternative = "two-sided"
    strict: bool = False
    allow_lost: bool = False
    seed: int = 0


def manner_of(variant: Variant, metric: Metric, allow_lost: bool, seed: int) -> TestSettings:
    """Words, both directions; as published by May and by Tan: texts, one direction."""
    if variant == "published":
        return TestSettings(metric, "text", "greater", allow_lost=allow_lost, seed=seed)
    return TestSettings(metric, allow_lost=allow_lost, seed=seed)


def chosen_tests(data: Tests | None, default: Sequence[str]) -> WordTests:
    """The tests to carry out: those given, those of a file, or Caliskan's of these names."""
    if data is None:
        return weat(default)
    if isinstance(data, WordTest):
        return WordTests("own", (data,))
    return read_word_sets(data) if isinstance(data, str | Path) else data


def all_words(tests: WordTests) -> list[str]:
    """Every word of the tests, once."""
    return list(dict.fromkeys(word for test in tests.tests for one in test.sets for word in one.words))


def lay_out(tests: WordTests, texts_of: Callable[[WordTest, str, WordSet], pd.DataFrame]) -> pd.DataFrame:
    """One row per test, word and text; `texts_of` gives `word`, `form` (as it stands in the text) and `text`."""
    parts = [
        texts_of(test, role, one).assign(test=test.name, role=role, set=one.name)
        for test in tests.tests
        for role, one in zip(ROLES, test.sets, strict=True)
    ]
    return pd.concat(parts, ignore_index=True)[["test", "role", "set", "word", "form", "text"]]


def keep_readable(model: Encoder, items: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The occurrences that have a vector, and a table of the others."""
    problems = pd.Series(model.word_problems(items.text.tolist(), items.form.tolist()), dtype=object)
    bad = problems.notna()
    if bad.all():
        reason = f" ({problems[0]})" if len(items) else ""
        raise DataError(f"nothing is left to measure: all {len(items)} texts were skipped{reason}")
    skipped = skipped_table(items.text[bad].tolist(), problems[bad].tolist()).drop_duplicates()
    return items[~bad].reset_index(drop=True), skipped.reset_index(drop=True)


def measured_associations(
    tests: WordTests,
    items: pd.DataFrame,
    skipped: pd.DataFrame,
    vectors: np.ndarray,
    manner: TestSettings,
    warnings: Sequence[str] = (),
) -> Measured:
    """The tests on the vectors of occurrences; the items get the association of each occurrence of a target."""
    vectors = np.asarray(vectors, dtype=np.float64)
    rows, found = [], np.full(len(items), np.nan)
    for test in tests.tests:
        of_test = (items.test == test.name).to_numpy()
        some = items[of_test]
        reason = too_much_lost(test, words_left(some), manner.allow_lost)
        tested = None
        if reason is None:
            tested, associations = _test(some, vectors[of_test], vectors, manner)
            found[of_test & items.role.isin(["X", "Y"]).to_numpy()] = associations
        rows.append(_row(test, some, tested, manner, reason))
    return Measured(
        items.assign(association=found),
        rows,
        skipped=pd.concat([lost_words(tests, items), skipped], ignore_index=True),
        warnings=(*warnings, *warnings_of(tests, rows)),
        dataset=tests.name,
    )


def words_left(items: pd.DataFrame) -> dict[str, int]:
    """How many words of each set of a test have an occurrence."""
    return {role: items.word[items.role == role].nunique() for role in ROLES}


def too_much_lost(test: WordTest, left: Mapping[str, int], allowed: bool) -> str | None:
    """Why a test has no number, or None; a set without words has none in any case.

    >>> test = WordTest.of("t", ["he", "him"], ["she"], ["math"], ["art"])
    >>> too_much_lost(test, {"X": 1, "Y": 1, "A": 1, "B": 1}, allowed=False)
    "1 of the 2 words of 'X' are lost, more than a fifth"
    """
    for role, one in zip(ROLES, test.sets, strict=True):
        asked = len(one.words) + len(one.lost)
        lost = asked - left.get(role, 0)
        if lost == asked:
            return f"none of the {asked} words of {one.name!r} is left"
        if lost > MAY_BE_LOST * asked and not allowed:
            return f"{lost} of the {asked} words of {one.name!r} are lost, more than a fifth"
    return None


def lost_words(tests: WordTests, items: pd.DataFrame) -> pd.DataFrame:
    """The words of the tests that have no occurrence left, as rows of `skipped`."""
    lost = []
    for test in tests.tests:
        for role, one in zip(ROLES, test.sets, strict=True):
            here = set(items.word[(items.test == test.name) & (items.role == role)])
            lost += [(word, f"{test.name}, {one.name}: {reason}") for word, reason in one.lost]
            lost += [
                (word, f"{test.name}, {one.name}: stands in no text that can be read")
                for word in one.words
                if word not in here
            ]
    return skipped_table([word for word, _ in lost], [reason for _, reason in lost])


def warnings_of(tests: WordTests, rows: Sequence[Row]) -> tuple[str, ...]:
    """A line where tests have no number."""
    without = [test.name for test, row in zip(tests.tests, rows, strict=True) if np.isnan(row.value)]
    if not without:
        return ()
    return (
        f"{len(without)} of {len(rows)} tests give no number ({', '.join(without)}); the notes say why, and "
        "allow_lost=True (--allow-lost) gives one where words are left",
    )


def _test(
    items: pd.DataFrame, vectors: np.ndarray, reference: np.ndarray, manner: TestSettings
) -> tuple[AssociationResult, np.ndarray]:
    """The test of four sets, and the association of each target occurrence."""
    at = {role: (items.role == role).to_numpy() for role in ROLES}
    average = {role: _averaging(items.word[at[role]], manner.unit) for role in ROLES}
    targets = at["X"] | at["Y"]
    to_a, to_b = (
        stats.similarity(vectors[targets], vectors[at[role]], manner.metric, reference) @ average[role].T
        for role in ("A", "B")
    )
    of_x = at["X"][targets]

    def by_target(similar: np.ndarray) -> np.ndarray:
        return np.concatenate([average["X"] @ similar[of_x], average["Y"] @ similar[~of_x]])

    tested = stats.association_test_of(
        by_target(to_a),
        by_target(to_b),
        len(average["X"]),
        alternative=manner.alternative,
        strict=manner.strict,
        seed=manner.seed,
    )
    return tested, to_a.mean(axis=1) - to_b.mean(axis=1)


def _averaging(words: pd.Series, unit: Unit) -> np.ndarray:
    """The matrix that averages the occurrences of each word (words, occurrences), or leaves them as they are."""
    if unit == "text":
        return np.eye(len(words))
    codes, _ = pd.factorize(words)
    counts = np.bincount(codes)
    return np.asarray((codes == np.arange(len(counts))[:, None]) / counts[:, None])


def _row(
    test: WordTest,
    items: pd.DataFrame,
    tested: AssociationResult | None,
    manner: TestSettings,
    reason: str | None,
) -> Row:
    targets, at = items[items.role.isin(["X", "Y"])], place_of_test(test)
    row = Row(
        key=row_key("d", at),
        level=at.level,
        group=at.group,
        statistic=f"d ({manner.metric}, ddof 1, over {manner.unit}s)",
        value=np.nan,
        ideal=ZERO,
        n=len(targets),
        clusters=targets.word.nunique() if manner.unit == "word" else len(targets),
        note=reason or "",
        source=Source(
            "association",
            "word" if manner.unit == "word" else None,
            {"test": test.name},
            "effect_size",
        ),
    )
    if tested is None:
        return row
    return replace(
        row,
        value=tested.effect_size,
        ci_low=tested.low,
        ci_high=tested.high,
        p_value=tested.p_value,
        effect_size=tested.effect_size,
        smallest_detectable=tested.smallest_detectable,
        note=tested.reason or f"p from {'all' if tested.exact else 'drawn'} {tested.n_used:,} splits",
    )
