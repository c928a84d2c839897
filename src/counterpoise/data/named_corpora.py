"""Text to debias a model with: GAP, MT Gender, IMDB by name, or any file that the swap reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from counterpoise.core.errors import DataError, InputError, did_you_mean
from counterpoise.core.hashing import hash_texts
from counterpoise.data.thirdparty.gap import gap
from counterpoise.data.thirdparty.imdb import imdb
from counterpoise.data.thirdparty.mt_gender import mt_gender
from counterpoise.io.records import FORMATS, RecordOptions, make
from counterpoise.io.streams import reading, suffixes
from counterpoise.text.sentences import sentences
from counterpoise.text.swap import Swapper

_NAMED = ("gap", "mt-gender", "imdb")
_SPLITS = ("development", "test", "validation")  # of GAP


@dataclass(frozen=True)
class Corpus:
    """Texts, with the name that a model card gives them.

    >>> Corpus("mine", ("He left.", "It rains. She stayed.")).sentences
    3
    """

    name: str
    texts: tuple[str, ...]

    @property
    def hash(self) -> str:
        return hash_texts(self.texts)

    @property
    def sentences(self) -> int:
        return sum(len(sentences(text)) for text in self.texts)


def read_corpus(source: str | Path | Sequence[str] | Corpus, column: str = "text") -> Corpus:
    """The texts of a corpus: by name ("gap", "mt-gender", "imdb": its training reviews), from a file, or at hand.

    Files are plain text with a document a line, CSV, TSV, JSONL or Parquet with the texts in a column, also compressed.
    """
    if isinstance(source, Corpus):
        return source
    if not isinstance(source, str | Path):
        return Corpus("own", _not_empty("the corpus", source))
    if source == "gap":
        return Corpus("gap", tuple(text for split in _SPLITS for text in gap(split).text))
    if source == "mt-gender":
        return Corpus("mt-gender", tuple(mt_gender().sentence))
    if source == "imdb":
        return Corpus("imdb", tuple(imdb("train").review))
    path = Path(source).expanduser()
    if not path.exists():
        raise DataError(
            f"there is no file {path}, and no corpus of that name (there are: {', '.join(_NAMED)})"
            f"{did_you_mean(str(source), _NAMED)}"
        )
    return Corpus(path.name, _not_empty(str(path), _read(str(path), column)))


def swapped_gap() -> list[str]:
    """GAP as the authors of Bartl et al. (2020) inverted it, in the order in which `read_corpus` gives the original."""
    swapped = gap("swapped").set_index("id").text
    return [text for split in _SPLITS for text in swapped.loc[gap(split).id]]


def neutral_sentences(corpus: Corpus, n: int, seed: int) -> list[str]:
    """n sentences without any gendered word, drawn with the seed; all where there are no more.

    >>> neutral_sentences(Corpus("mine", ("He left. It rains.", "The nurse sang.")), 5, seed=0)
    ['It rains.', 'The nurse sang.']
    """
    swapper = Swapper()
    dice = np.random.default_rng(seed)
    found: dict[int, str] = {}
    whole = [sentence for text in corpus.texts for sentence in sentences(text)]
    for number in dice.permutation(len(whole)):  # until there are enough: a corpus may be large
        if not swapper.edits(whole[number], "flip"):
            found[int(number)] = whole[number]
        if len(found) == n:
            break
    if not found:
        raise DataError(f"{corpus.name} has no sentence without a gendered word to keep predictions on")
    return [found[number] for number in sorted(found)]


def _read(path: str, column: str) -> list[str]:
    form = make(FORMATS.get(suffixes(path)[0], "text"), RecordOptions(path=path, column=column))
    with reading(path) as (stream, _):
        return [text for batch in form.read(stream) for text in batch.texts]


def _not_empty(name: str, texts: Sequence[str]) -> tuple[str, ...]:
    for text in texts:
        if not isinstance(text, str):
            raise InputError(f"a text must be a string, not {type(text).__name__}: {text!r:.60}")
    kept = tuple(text.strip() for text in texts if text.strip())
    if not kept:
        raise DataError(f"{name} has no text")
    return kept
