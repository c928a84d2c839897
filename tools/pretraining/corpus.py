"""Text files become rows of token ids: single sentences and packed running text, some documents held out."""

from __future__ import annotations

import itertools
import logging
import lzma
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from counterpoise.core.errors import DataError, InputError

SENTENCE_LENGTH = 32
LENGTHS = {SENTENCE_LENGTH: 0.3, 128: 0.5, 512: 0.2}  # row length in tokens: share of the training steps
HELD_OUT_ROWS = {SENTENCE_LENGTH: 2048, 128: 512}  # row length: at most this many rows are evaluated
SENTENCE_END = re.compile(r"""(?:(?<=[.!?])|(?<=[.!?]["')]))\s+(?=[A-Z"'(])""")
LOG = logging.getLogger("pretrain")

Rows = NDArray[np.uint16]  # token ids, one row per example; BERT's vocabulary fits in 16 bits


@dataclass(frozen=True)
class Corpus:
    name: str
    weight: float
    path: Path

    @classmethod
    def parse(cls, text: str) -> Corpus:
        """
        >>> Corpus.parse("wiki:0.42:texts/wiki.txt").weight
        0.42
        """
        try:
            name, weight, path = text.split(":", 2)
            corpus = cls(name, float(weight), Path(path))
        except ValueError as error:
            raise InputError(f"--corpus {text!r} is not NAME:WEIGHT:FILE") from error
        if not 0 < corpus.weight < math.inf:
            raise InputError(f"--corpus {text!r}: the weight must be a number above 0")
        return corpus


@dataclass(frozen=True)
class Vocabulary:
    """A BERT tokenizer with what masking must know about its tokens."""

    tokenizer: Tokenizer
    cls: int
    sep: int
    pad: int
    mask: int
    maskable: NDArray[np.bool_]  # by token id: not a special token
    replacements: NDArray[np.int64]  # ids a random replacement is drawn from: neither special nor unused

    @classmethod
    def open(cls, folder: Path) -> Vocabulary:
        path = folder / "tokenizer.json"
        if not path.is_file():
            raise InputError(f"there is no tokenizer.json in {folder}")
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        ids = tokenizer.get_vocab()
        special = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
        if lacking := [token for token in (*special, "he", "she") if token not in ids]:
            raise InputError(f"{path} is no English BERT tokenizer: it lacks {', '.join(lacking)}")
        if len(ids) > np.iinfo(np.uint16).max:
            raise InputError(f"{path} has {len(ids)} tokens; at most {np.iinfo(np.uint16).max} are supported")
        maskable = np.ones(len(ids), dtype=bool)
        maskable[[ids[token] for token in special]] = False
        drawn = [i for token, i in ids.items() if maskable[i] and not token.startswith("[unused")]
        named = {name: ids[f"[{name.upper()}]"] for name in ("cls", "sep", "pad", "mask")}
        return cls(tokenizer, **named, maskable=maskable, replacements=np.sort(drawn))

    def encode(self, texts: Sequence[str], chunk: int = 20_000) -> Iterator[Rows]:
        """The tokens of each text, without special tokens."""
        for start in range(0, len(texts), chunk):
            for encoding in self.tokenizer.encode_batch_fast(
                texts[start : start + chunk], add_special_tokens=False
            ):
                yield np.asarray(encoding.ids, dtype=np.uint16)


def read_documents(path: Path, limit: int | None = None) -> list[str]:
    opener = lzma.open if path.suffix == ".xz" else open
    try:
        with opener(path, "rt", encoding="utf-8", errors="ignore") as file:
            documents = (line.strip() for line in file)
            return list(itertools.islice((document for document in documents if document), limit))
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise DataError(f"cannot read the corpus {path}: {error}") from error


def split_documents(documents: Sequence[str]) -> tuple[list[str], list[str]]:
    """Training and held-out documents: the last 0.5 %, at least 8; copies of those are left out of training.

    >>> training, held_out = split_documents([f"document {i}" for i in range(10)] + ["document 0"])
    >>> training, held_out[0], held_out[-1]
    (['document 1', 'document 2'], 'document 3', 'document 0')
    """
    count = max(8, len(documents) // 200)
    if len(documents) <= count:
        raise DataError(f"a corpus needs more than {count} documents (found {len(documents)})")
    held_out = list(documents[-count:])
    never = set(held_out)
    training = [document for document in documents[:-count] if document not in never]
    if not training:
        raise DataError(f"every document of the corpus is a copy of the last {count}, which are held out")
    return training, held_out


def split_sentences(document: str) -> list[str]:
    """
    >>> split_sentences('She said "Go." Then he left! 3.5 days passed. (Or four.)')
    ['She said "Go."', 'Then he left! 3.5 days passed.', '(Or four.)']
    """
    return SENTENCE_END.split(document)


def sentence_rows(documents: Sequence[str], vocabulary: Vocabulary) -> Rows:
    """One sentence of 4 to 30 tokens per row, padded: [CLS] a sentence [SEP] [PAD] [PAD]"""
    sentences = [sentence for document in documents for sentence in split_sentences(document)]
    kept = [ids for ids in vocabulary.encode(sentences) if 4 <= len(ids) <= SENTENCE_LENGTH - 2]
    rows = np.full((len(kept), SENTENCE_LENGTH), vocabulary.pad, dtype=np.uint16)
    for row, ids in zip(rows, kept, strict=True):
        row[: len(ids) + 2] = [vocabulary.cls, *ids, vocabulary.sep]
    return rows


def packed_rows(encoded: Iterable[Rows], length: int, vocabulary: Vocabulary) -> Rows:
    """Documents end to end with [SEP] between them, cut into full rows; an unfinished last row is dropped."""
    separator = np.array([vocabulary.sep], dtype=np.uint16)
    stream = np.concatenate([part for ids in encoded for part in (ids, separator)])
    inner = length - 2
    body = stream[: len(stream) // inner * inner].reshape(-1, inner)
    edges = ((0, 0), (1, 1))
    return np.pad(body, edges, constant_values=((0, 0), (vocabulary.cls, vocabulary.sep)))


class Rowset(NamedTuple):
    """The rows of one corpus, by length."""

    training: dict[int, Rows]
    held_out: dict[int, Rows]


def build_rows(corpus: Corpus, vocabulary: Vocabulary, limit: int | None = None) -> Rowset:
    training, held_out = split_documents(read_documents(corpus.path, limit))
    LOG.info("%s: %d documents to train on, %d held out", corpus.name, len(training), len(held_out))
    rows = Rowset(_rows_by_length(training, vocabulary), _rows_by_length(held_out, vocabulary))
    for kind, found, lengths in (
        ("training", rows.training, list(LENGTHS)),
        ("held-out", rows.held_out, list(HELD_OUT_ROWS)),
    ):
        if short := [length for length in lengths if not len(found[length])]:
            raise DataError(
                f"corpus {corpus.name!r}: the {kind} text is too short for one row of {short[0]} tokens"
            )
    return rows


def _rows_by_length(documents: Sequence[str], vocabulary: Vocabulary) -> dict[int, Rows]:
    encoded = list(vocabulary.encode(documents))
    packed = {n: packed_rows(encoded, n, vocabulary) for n in LENGTHS if n != SENTENCE_LENGTH}
    return {SENTENCE_LENGTH: sentence_rows(documents, vocabulary), **packed}
