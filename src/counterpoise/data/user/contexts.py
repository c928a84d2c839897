"""Natural sentences that words stand in, drawn from a corpus of the user's (Guo & Caliskan 2021)."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from counterpoise.core.errors import DataError, InputError
from counterpoise.core.hashing import hash_file
from counterpoise.io.record_types import RecordOptions
from counterpoise.io.records import FORMATS, make
from counterpoise.io.streams import reading, suffixes


@dataclass(frozen=True)
class Context:
    """A sentence, and how the word is written in it."""

    sentence: str
    form: str


@dataclass(frozen=True)
class Corpus:
    """Sentences: those of a file (text with one on each line, CSV, TSV, JSONL or Parquet with a column), or a list.

    >>> Corpus.of(["He went home.", "Home is far."]).contexts(["home"], limit=5)["home"][1]
    Context(sentence='Home is far.', form='Home')
    """

    name: str
    sentences: Sequence[str] = ()
    path: Path | None = None
    column: str = "text"

    @classmethod
    def of(cls, source: str | Path | Iterable[str] | Corpus, column: str = "text") -> Corpus:
        """A corpus from a file or from sentences."""
        if isinstance(source, Corpus):
            return source
        if not isinstance(source, str | Path):
            return cls("own", tuple(source))
        path = Path(source).expanduser()
        if not path.is_file():
            raise DataError(f"there is no file {path} to take sentences from")
        return cls(path.name, path=path, column=column)

    @property
    def fingerprint(self) -> str | None:
        """The hash of the file, if it is one."""
        return hash_file(self.path) if self.path else None

    def __iter__(self) -> Iterator[str]:
        if self.path is None:
            yield from self.sentences
            return
        ending, _ = suffixes(str(self.path))
        options = RecordOptions(
            path=str(self.path),
            column=self.column,
            encoding="utf-8-sig",
            column_advice="name it with column= (--set column=NAME)",
            encoding_advice="save it as UTF-8",
        )
        with reading(str(self.path)) as (stream, _):
            for batch in make(FORMATS.get(ending, "text"), options).read(stream):
                yield from batch.texts

    def contexts(self, words: Sequence[str], limit: int, seed: int = 0) -> dict[str, list[Context]]:
        """For each word at most so many sentences that it stands in, drawn evenly from all of them.

        A word in small letters is found with a capital too, as at the beginning of a sentence, unless that is a word
        of its own; one with a capital, such as a name, only as it is.
        """
        if limit < 1:
            raise InputError(f"the number of contexts must be at least 1, not {limit}")
        word_of = {word.capitalize(): word for word in words if word.islower()} | {
            word: word for word in words
        }
        longest_first = sorted(word_of, key=len, reverse=True)
        pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
        drawn: dict[str, list[Context]] = {word: [] for word in words}
        seen = dict.fromkeys(words, 0)
        dice = random.Random(seed)
        for sentence in self:
            first: dict[str, str] = {}
            for found in pattern.finditer(sentence):
                first.setdefault(word_of[found[0]], found[0])
            for word, form in first.items():
                # Reservoir sampling: every sentence of the word stays with the same probability.
                seen[word] += 1
                place = len(drawn[word]) if seen[word] <= limit else dice.randrange(seen[word])
                if place < limit:
                    drawn[word][place : place + 1] = [Context(sentence.strip(), form)]
        return drawn
