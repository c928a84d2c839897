"""Natural sentences in which words occur, drawn from a corpus of the user's (Guo & Caliskan 2021)."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from counterpoise.core.errors import DataError, InputError
from counterpoise.data.corpus import Corpus


@dataclass(frozen=True)
class Context:
    """A sentence, and how the word is written in it."""

    sentence: str
    form: str


def sentence_corpus(source: str | Path | Iterable[str] | Corpus, column: str = "text") -> Corpus:
    """A corpus whose documents are sentences.

    The source is a file (text with a sentence on each line, or CSV, TSV, JSONL or Parquet with a column of them), a
    folder of such files, or a list of sentences.
    """
    if not isinstance(source, str | Path):
        return Corpus.of(source, name="own")
    path = Path(source).expanduser()
    if not path.exists():
        raise DataError(f"there is no file {path} to take sentences from")
    return Corpus.of(
        path,
        column=column,
        column_advice="name it with column= (--set column=NAME)",
        encoding_advice="save it as UTF-8",
    )


def draw_contexts(
    corpus: Corpus, words: Sequence[str], limit: int, seed: int = 0
) -> dict[str, list[Context]]:
    """For each word at most `limit` of the sentences in which it occurs, drawn uniformly from all of them.

    A word in lower case is also found with a capital, as at the beginning of a sentence, unless that is a word of its
    own; a word with a capital, such as a name, is found only as it is.

    >>> corpus = sentence_corpus(["He went home.", "Home is far."])
    >>> draw_contexts(corpus, ["home"], limit=5)["home"][1]
    Context(sentence='Home is far.', form='Home')
    """
    if limit < 1:
        raise InputError(f"the number of contexts must be at least 1, not {limit}")
    word_of = {word.capitalize(): word for word in words if word.islower()} | {word: word for word in words}
    longest_first = sorted(word_of, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
    drawn: dict[str, list[Context]] = {word: [] for word in words}
    occurrences = dict.fromkeys(words, 0)
    rng = random.Random(seed)
    for sentence in corpus.documents():
        first: dict[str, str] = {}
        for match in pattern.finditer(sentence):
            first.setdefault(word_of[match[0]], match[0])
        for word, form in first.items():
            # Reservoir sampling: every sentence of the word stays with the same probability.
            occurrences[word] += 1
            place = len(drawn[word]) if occurrences[word] <= limit else rng.randrange(occurrences[word])
            if place < limit:
                drawn[word][place : place + 1] = [Context(sentence.strip(), form)]
    return drawn
