"""Word sets of association tests: Caliskan's ten, a user's own, and translations of either.

A test has two sets of targets, X and Y (science and arts), and two of attributes, A and B (male and female terms).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import model_validator

from counterpoise.core import limits
from counterpoise.core.documents import read_text
from counterpoise.core.errors import DataError, unknown
from counterpoise.data.spec import MisplacedWord, Spec, Strict, UserSpec, citation, line_of, read_spec

Lost = tuple[tuple[str, str], ...]  # words that cannot be used, each with the reason


class FourSets(Strict):
    """A test as a file has it: the names of its sets."""

    name: str
    targets: tuple[str, str]
    attributes: tuple[str, str]
    gender: bool = False
    published: float | None = None
    cite: str | None = None


class WordSetSpec(Spec):
    sets: dict[str, tuple[str, ...]]
    tests: tuple[FourSets, ...]

    @model_validator(mode="after")
    def _sets_are_there(self) -> WordSetSpec:
        if not self.tests:
            raise ValueError("there is no test")
        for test in self.tests:
            for name in (*test.targets, *test.attributes):
                if name not in self.sets:
                    raise ValueError(
                        f"{test.name}: there is no set {name!r} (there are: {', '.join(self.sets)})"
                    )
        return self


class OwnWordSetSpec(UserSpec, WordSetSpec):
    """A user's file: only `sets` and `tests` are needed."""

    title: str = "own word sets"


@dataclass(frozen=True)
class WordSet:
    """Words under a name, and those that were lost on the way here."""

    name: str
    words: tuple[str, ...]
    lost: Lost = ()

    def __post_init__(self) -> None:
        if not self.words and not self.lost:
            raise DataError(f"the word set {self.name!r} is empty")


@dataclass(frozen=True)
class WordTest:
    """Four word sets, no word in two of them; `gender` says that a positive effect is a stereotype about gender.

    `published` is the effect size that the paper reports, if it does.

    >>> WordTest.of("mine", ["math"], ["art"], ["he"], ["she"]).x.words
    ('math',)
    """

    name: str
    x: WordSet
    y: WordSet
    a: WordSet
    b: WordSet
    gender: bool = False
    published: float | None = None

    def __post_init__(self) -> None:
        seen: dict[str, str] = {}
        for word_set in self.sets:
            for row, word in enumerate(word_set.words):
                place = ("sets", word_set.name, row)
                if not word.strip():
                    raise MisplacedWord(f"{self.name}: the set {word_set.name!r} has an empty word", *place)
                if word in seen:
                    where = "twice" if seen[word] == word_set.name else f"in {seen[word]!r} too"
                    raise MisplacedWord(
                        f"{self.name}: {word!r} of the set {word_set.name!r} is there {where}", *place
                    )
                seen[word] = word_set.name

    @classmethod
    def of(
        cls,
        name: str,
        x: Sequence[str],
        y: Sequence[str],
        a: Sequence[str],
        b: Sequence[str],
        gender: bool = False,
    ) -> WordTest:
        """A test written on the spot."""
        in_x, in_y, in_a, in_b = (
            WordSet(label, tuple(words)) for label, words in zip("XYAB", (x, y, a, b), strict=True)
        )
        return cls(name, in_x, in_y, in_a, in_b, gender)

    @property
    def sets(self) -> tuple[WordSet, WordSet, WordSet, WordSet]:
        return self.x, self.y, self.a, self.b

    @property
    def title(self) -> str:
        return f"{self.name}: {self.x.name}, {self.y.name} / {self.a.name}, {self.b.name}"

    def map_sets(self, change: Callable[[WordSet], WordSet]) -> WordTest:
        x, y, a, b = map(change, self.sets)
        return replace(self, x=x, y=y, a=a, b=b)


@dataclass(frozen=True)
class WordTests:
    """Association tests under a name, each with a name of its own."""

    name: str
    tests: tuple[WordTest, ...]
    citation: str = ""

    def __post_init__(self) -> None:
        names = [test.name for test in self.tests]
        for name in names:
            if names.count(name) > 1:
                raise DataError(f"{self.name}: two tests are called {name!r}")


def weat(tests: Sequence[str] | None = None) -> WordTests:
    """The tests of Caliskan et al. (2017), or those of these names.

    weat1 to weat10; weat6b, weat7b and weat8b of May et al. (2019); and with the words of Kurita et al. (2019)
    kurita_flowers, kurita_names, kurita_math and kurita_science (his career test is weat6).

    >>> [test.name for test in weat().tests if test.gender]
    ['weat6', 'weat7', 'weat8']
    >>> weat(["weat7"]).tests[0].a.words[:3]
    ('male', 'man', 'boy')
    """
    spec = read_spec("weat", WordSetSpec)
    if tests is None:
        tests = [test.name for test in spec.tests if test.cite is None]
    by_name = {test.name: test for test in spec.tests}
    for name in tests:
        if name not in by_name:
            raise unknown("association test", name, by_name)
    return WordTests(
        "weat", tuple(_test(by_name[name], spec) for name in tests), citation=citation(spec.cite)
    )


def read_word_sets(path: str | Path) -> WordTests:
    """A user's own tests: a YAML file with `sets`, words under a name, and `tests`, which name four of them.

    sets:
      science: [physics, chemistry]
      arts: [poetry, dance]
      male: [he, man]
      female: [she, woman]
    tests:
      - {name: mine, targets: [science, arts], attributes: [male, female], gender: true}

    A CSV file is one of translations in the format of XWEAT, and gives Caliskan's tests in that language.
    """
    path = Path(path)
    if path.suffix.lower() == ".csv":
        return replace(translate(weat(), path), name=path.name)
    spec = read_spec(path, OwnWordSetSpec)
    try:
        return WordTests(path.name, tuple(_test(test, spec) for test in spec.tests), spec.title)
    except MisplacedWord as problem:
        raise DataError(f"{path}, line {line_of(path, problem.place)}: {problem}") from None


def _test(entry: FourSets, spec: WordSetSpec) -> WordTest:
    x, y, a, b = (WordSet(name, spec.sets[name]) for name in (*entry.targets, *entry.attributes))
    return WordTest(entry.name, x, y, a, b, entry.gender, entry.published)


def read_translations(path: str | Path) -> dict[str, tuple[str, ...]]:
    """An XWEAT file: on each line an English word, its translation and, where it differs, the feminine form.

    Lines without an English word are passed over; a word without a translation has none here.
    """
    path = Path(path)
    try:
        file = io.StringIO(read_text(path, limit=limits.YAML), newline="")
        rows = [[cell.strip() for cell in row] for row in csv.reader(file)]
    except csv.Error as error:
        raise DataError(f"cannot read {path}: {error}") from error
    translations: dict[str, tuple[str, ...]] = {}
    for line, row in enumerate(rows, start=1):
        if not row or not row[0]:
            continue
        if len(row) < 2:
            raise DataError(f"{path}, line {line}: not an English word and its translation")
        if row[0] in translations:
            raise DataError(f"{path}, line {line}: {row[0]!r} is there already")
        translations[row[0]] = tuple(dict.fromkeys(form for form in row[1:] if form))
    if not translations:
        raise DataError(f"{path} has no words in it")
    return translations


def translate(tests: WordTests, translations: Mapping[str, tuple[str, ...]] | str | Path) -> WordTests:
    """The tests in another language. A word without a translation, or with one that is there already, is lost.

    >>> short = WordTests("own", (WordTest.of("t", ["friend", "joy"], ["war"], ["he"], ["she"]),))
    >>> words = {"friend": ("Freund", "Freundin"), "war": ("Krieg",), "he": ("er",), "she": ("sie",)}
    >>> translate(short, words).tests[0].x
    WordSet(name='X', words=('Freund', 'Freundin'), lost=(('joy', 'has no translation'),))
    """
    if isinstance(translations, str | Path):
        translations = read_translations(translations)
    words: Mapping[str, tuple[str, ...]] = translations

    def translate_test(test: WordTest) -> WordTest:
        seen: set[str] = set()

        def translate_set(word_set: WordSet) -> WordSet:
            translated: list[str] = []
            lost = list(word_set.lost)
            for word in word_set.words:
                forms = words.get(word, ())
                new = [form for form in forms if form not in seen]
                if not forms:
                    lost.append((word, "has no translation"))
                elif not new:
                    lost.append((word, f"its translation {forms[0]!r} is there already"))
                seen.update(new)
                translated += new
            return WordSet(word_set.name, tuple(translated), tuple(lost))

        return replace(test.map_sets(translate_set), published=None)

    return replace(tests, tests=tuple(map(translate_test, tests.tests)))
