"""A concordance (keyword in context): the occurrences of a word in a corpus, each with the text around it.

The corpus is read once, a document at a time, and no more than twice the lines asked for are held. They are spread
evenly over all occurrences: every k-th is kept, and k doubles whenever too many are.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.cells import cell_len

from counterpoise.core.errors import InputError
from counterpoise.core.plurals import count_text
from counterpoise.core.printable import printable
from counterpoise.data.corpus import Corpus
from counterpoise.text.matching import lower, pattern

LINES, WIDTH = 20, 40
MOST_LINES, MOST_WIDTH = 1000, 500

_WORD = re.compile(r"[^\W_]+")
_LOOKED_THROUGH = 4 << 20  # characters in which words that are spelled alike are looked for


@dataclass(frozen=True)
class ConcordanceLine:
    """An occurrence of a word, with the text before and after it; runs of white space are one space.

    `document` counts from 1 (in plain text it is the line), in `file` if the corpus is a folder.
    """

    document: int
    left: str
    word: str
    right: str
    file: str = ""

    @property
    def place(self) -> str:
        return f"{self.file}:{self.document}" if self.file else str(self.document)


@dataclass(frozen=True)
class Concordance:
    """Lines of a concordance; `str` aligns them for a terminal, with control characters escaped.

    `occurrences` and `documents` count all of the corpus, or what was read of it if only the first were asked for.
    `close` has words of the corpus that are spelled alike, if the word does not occur.
    """

    corpus: str
    word: str
    lines: tuple[ConcordanceLine, ...]
    occurrences: int
    documents: int
    width: int = WIDTH
    only_first: bool = False
    close: tuple[str, ...] = ()

    def __str__(self) -> str:
        corpus, word = printable(self.corpus), printable(self.word)
        if not self.lines:
            meant = f"; did you mean {' or '.join(map(repr, self.close))}?" if self.close else ""
            return f"{corpus}: {word!r} does not occur{meant}"
        return "\n".join([f"{corpus}: {self._heading(word)}", *self._aligned()])

    def _heading(self, word: str) -> str:
        if self.only_first:
            return f"the first {count_text(len(self.lines), 'occurrence')} of {word!r}"
        found = f"{word!r} occurs {count_text(self.occurrences, 'time')} in {count_text(self.documents, 'document')}"
        return (
            found
            if len(self.lines) == self.occurrences
            else f"{found}; {len(self.lines):,} of them, evenly spread"
        )

    def _aligned(self) -> Iterator[str]:
        rows = [
            (
                printable(line.place),
                _end(line.left, self.width),
                printable(line.word),
                _start(line.right, self.width),
            )
            for line in self.lines
        ]
        of_place, of_left, of_word = (max(cell_len(row[column]) for row in rows) for column in range(3))
        for place, left, word, right in rows:
            yield (
                f"{' ' * (of_place - cell_len(place))}{place}  {' ' * (of_left - cell_len(left))}{left}  "
                f"{word}{' ' * (of_word - cell_len(word))}  {right}"
            ).rstrip()


def concordance(
    source: str | Path | Iterable[str] | Corpus,
    word: str,
    *,
    lines: int = LINES,
    width: int = WIDTH,
    first: bool = False,
    column: str = "text",
) -> Concordance:
    """Where does a word occur, and what stands around it?

    Parameters
    ----------
    source
        a file, a folder, the name of a dataset, texts or a `Corpus`, as in `measure_corpus`
    word
        a word or a phrase; case does not matter
    lines
        how many occurrences to return at most
    width
        how many characters to either side
    first
        the first occurrences, and reading no further, instead of occurrences spread over the corpus
    column
        the column or field that holds the text

    >>> texts = ["The nurse said she was late.", "He waited for a nurse."]
    >>> print(concordance(texts, "nurse", width=12))
    texts: 'nurse' occurs 2 times in 2 documents
    1           The  nurse  said she was
    2  waited for a  nurse  .
    """
    check_size(lines, width)
    corpus = Corpus.of(source, column=column)
    found = _Spread(lines)
    words = _SimilarWords(word)
    documents = 0
    matcher = occurrences_of([word])
    for file, document, text in numbered_documents(corpus):
        before = found.count
        for match in matcher.finditer(lower(text)):
            found.add(partial(line_at, text, match.span(), width, document, file))
            if first and found.count == lines:
                break
        documents += found.count > before
        if not found.count:
            words.add(text)
        elif first and found.count == lines:
            break
    kept = found.first() if first else found.evenly()
    close = words.close() if not found.count else ()
    return Concordance(corpus.name, word, tuple(kept), found.count, documents, width, first, close)


def check_size(lines: int, width: int) -> None:
    """Raises an error if a concordance cannot have so many lines, or such long ones."""
    if not 1 <= lines <= MOST_LINES:
        raise InputError(f"a concordance has 1 to {MOST_LINES:,} lines, not {lines}")
    if not 1 <= width <= MOST_WIDTH:
        raise InputError(
            f"the width of a concordance is 1 to {MOST_WIDTH} characters to either side, not {width}"
        )


def numbered_documents(corpus: Corpus) -> Iterator[tuple[str, int, str]]:
    """The file (empty unless the corpus is a folder), number and text of each document."""
    for file in corpus.files or (corpus,):
        for number, text in enumerate(file.documents(), 1):
            yield file.name if corpus.files else "", number, text


def occurrences_of(words: Iterable[str]) -> re.Pattern[str]:
    """Matches words or phrases in text in small letters (`text.matching.lower`)."""
    spelled = [" ".join(word.lower().split()) for word in words]
    for word in spelled:
        if not _WORD.search(word):
            raise InputError(f"a concordance is of a word, not of {word!r}")
    return pattern(spelled)


def line_at(text: str, span: tuple[int, int], width: int, document: int, file: str = "") -> ConcordanceLine:
    """What stands at a place of a text, with the text around it."""
    start, end = span
    # White space shrinks: some more characters are looked at than are shown.
    left = " ".join(text[max(0, start - 4 * width) : start].split())[-width:]
    right = " ".join(text[end : end + 4 * width].split())[:width]
    return ConcordanceLine(document, left.lstrip(), " ".join(text[start:end].split()), right.rstrip(), file)


class _Spread:
    """Keeps some of many lines: every k-th, with k doubled whenever there are too many."""

    def __init__(self, lines: int) -> None:
        self.lines, self.count = lines, 0
        self._step = 1
        self._kept: list[ConcordanceLine] = []

    def add(self, make_line: Callable[[], ConcordanceLine]) -> None:
        if self.count % self._step == 0:
            self._kept.append(make_line())
            if len(self._kept) >= 2 * self.lines + 1:
                self._kept = self._kept[::2]
                self._step *= 2
        self.count += 1

    def first(self) -> list[ConcordanceLine]:
        return self._kept[: self.lines]

    def evenly(self) -> list[ConcordanceLine]:
        n = min(self.lines, len(self._kept))
        last = len(self._kept) - 1
        return [self._kept[at * last // max(n - 1, 1)] for at in range(n)]


class _SimilarWords:
    """Words that are about as long as a word that has not occurred yet, from the beginning of the corpus."""

    def __init__(self, word: str) -> None:
        self._word = unicodedata.normalize("NFC", word.lower())
        self._seen: set[str] = set()
        self._characters = 0

    def add(self, text: str) -> None:
        if self._characters < _LOOKED_THROUGH:
            self._characters += len(text)
            self._seen.update(
                word for word in _WORD.findall(text.lower()) if abs(len(word) - len(self._word)) <= 2
            )

    def close(self) -> tuple[str, ...]:
        return tuple(difflib.get_close_matches(self._word, sorted(self._seen), n=3, cutoff=0.8))


def _end(text: str, width: int) -> str:
    text = printable(text)
    while cell_len(text) > width:
        text = text[1:]
    return text


def _start(text: str, width: int) -> str:
    text = printable(text)
    while cell_len(text) > width:
        text = text[:-1]
    return text
