"""Association tests on encoders: a word of a test stands in several texts, and has a vector in each of them.

    sim(w, v)  = mean of sim(vector of w in s, vector of v in t)      over the texts s of w and t of v
    s(w, A, B) = mean of sim(w, a) over A - mean of sim(w, b) over B

Interval and test count words, since one generalises to other words of the kind: the texts of a word are not
independent of each other, and a test that counts them (`unit="text"`, as papers do) is too sure of itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.core.errors import DataError, ModelError
from counterpoise.data.builtin.wordsets import WordSet, WordTest, WordTests, weat
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.documentation import Doc
from counterpoise.measures.base.rows import Row
from counterpoise.measures.base.skipped import skipped_items, skipped_table
from counterpoise.measures.vectors.common.word_lookup import loss_problem
from counterpoise.measures.vectors.common.word_tests import ROLES, TestsData, effect_row, read_tests
from counterpoise.models.encoder import Encoder
from counterpoise.stats.inputs import Alternative
from counterpoise.stats.vector_association import AssociationResult, Metric

GenderTests = Annotated[TestsData, Doc("Tests about gender if not given.")]
Unit = Literal["word", "text"]
IDENTITY = ("text", "test", "role", "word", "form")


@dataclass(frozen=True)
class AssociationSettings:
    """How an association test is carried out."""

    metric: Metric = "cosine"
    unit: Unit = "word"
    alternative: Alternative = "two-sided"
    strict: bool = False
    allow_lost: bool = False
    seed: int = 0


@dataclass(frozen=True)
class Occurrences:
    """The words of tests in texts: a row of `items` and a vector for each occurrence, and what was skipped."""

    tests: WordTests
    items: pd.DataFrame
    skipped: pd.DataFrame
    vectors: np.ndarray
    warnings: Sequence[str] = ()

    def __post_init__(self) -> None:
        if len(empty := np.flatnonzero(~self.vectors.any(axis=1))):
            text = self.items.text.iloc[empty[0]]
            raise ModelError(f"the model's vector for {text!r} is all zeros, which is similar to nothing")


def chosen_tests(data: TestsData, default: Sequence[str]) -> WordTests:
    """The tests to carry out: those given, those of a file, or Caliskan's of these names."""
    return weat(default) if data is None else read_tests(data)


def all_words(tests: WordTests) -> list[str]:
    """Every word of the tests, once."""
    return list(dict.fromkeys(word for test in tests.tests for words in test.sets for word in words.words))


def lay_out(tests: WordTests, texts_of: Callable[[WordTest, str, WordSet], pd.DataFrame]) -> pd.DataFrame:
    """One row per test, word and text; `texts_of` gives `word`, `form` (as it stands in the text) and `text`."""
    parts = [
        texts_of(test, role, words).assign(test=test.name, role=role, set=words.name)
        for test in tests.tests
        for role, words in zip(ROLES, test.sets, strict=True)
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


def measured_associations(occurrences: Occurrences, settings: AssociationSettings) -> Measured:
    """The tests on the vectors of occurrences; the items get the association of each occurrence of a target."""
    tests, items = occurrences.tests, occurrences.items
    vectors = np.asarray(occurrences.vectors, dtype=np.float64)
    rows, associations = [], np.full(len(items), np.nan)
    for test in tests.tests:
        of_test = (items.test == test.name).to_numpy()
        test_items, tested = items[of_test], None
        reason = too_much_lost(test, words_left(test_items), settings.allow_lost)
        if reason is None:
            tested, of_targets = _test(test_items, vectors[of_test], vectors, settings)
            associations[of_test & items.role.isin(["X", "Y"]).to_numpy()] = of_targets
        rows.append(_row(test, test_items, tested, settings, reason))
    return Measured(
        items.assign(association=associations),
        rows,
        skipped=pd.concat([lost_words(tests, items), occurrences.skipped], ignore_index=True),
        warnings=(*occurrences.warnings, *warnings_of(tests, rows)),
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
    for role, words in zip(ROLES, test.sets, strict=True):
        asked = len(words.words) + len(words.lost)
        if problem := loss_problem(words.name, asked - left.get(role, 0), asked, allowed=allowed):
            return problem
    return None


def lost_words(tests: WordTests, items: pd.DataFrame) -> pd.DataFrame:
    """The words of the tests that have no occurrence left, as rows of `skipped`."""
    lost = []
    for test in tests.tests:
        for role, words in zip(ROLES, test.sets, strict=True):
            left = set(items.word[(items.test == test.name) & (items.role == role)])
            unread = [
                (word, "stands in no text that can be read") for word in words.words if word not in left
            ]
            lost += [
                (word, f"{test.name}, {words.name}: {reason}") for word, reason in (*words.lost, *unread)
            ]
    return skipped_items(lost)


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
    items: pd.DataFrame, vectors: np.ndarray, reference: np.ndarray, settings: AssociationSettings
) -> tuple[AssociationResult, np.ndarray]:
    """The test of four sets, and the association of each target occurrence."""
    at = {role: (items.role == role).to_numpy() for role in ROLES}
    average = {role: _averaging(items.word[at[role]], settings.unit) for role in ROLES}
    targets = at["X"] | at["Y"]
    to_a, to_b = (
        stats.similarity(vectors[targets], vectors[at[role]], settings.metric, reference) @ average[role].T
        for role in ("A", "B")
    )
    of_x = at["X"][targets]

    def by_target(similar: np.ndarray) -> np.ndarray:
        return np.concatenate([average["X"] @ similar[of_x], average["Y"] @ similar[~of_x]])

    tested = stats.association_test_of(
        by_target(to_a),
        by_target(to_b),
        len(average["X"]),
        alternative=settings.alternative,
        strict=settings.strict,
        seed=settings.seed,
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
    settings: AssociationSettings,
    reason: str | None,
) -> Row:
    targets = items[items.role.isin(["X", "Y"])]
    by_word = settings.unit == "word"
    return effect_row(
        test,
        tested,
        f"d ({settings.metric}, ddof 1, over {settings.unit}s)",
        n=len(targets),
        clusters=targets.word.nunique() if by_word else len(targets),
        cluster="word" if by_word else None,
        reason=reason,
    )
