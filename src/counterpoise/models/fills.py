"""The words that a language model would put at a place, likeliest first."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from counterpoise.core.errors import InputError
from counterpoise.core.progress import progress
from counterpoise.models.scoring.batching import halving

if TYPE_CHECKING:
    import torch

    from counterpoise.core.cache import ScoreCache
    from counterpoise.models.transformer import Encoded, Transformer

_TEXTS_AT_ONCE = 16
_MOST_PIECES = 6  # of a word; a longer one is shown as far as that


@dataclass(frozen=True)
class Fill:
    """A word that the model would put at a place, and how probable it is."""

    word: str
    probability: float


def next_words(
    model: Transformer, texts: Sequence[str], k: int, pieces: WordPieces, cache: ScoreCache | None
) -> list[list[Fill]]:
    """The k likeliest next words of each text: the likeliest tokens that begin a word, each finished greedily.

    The probability is that of the first token. A space at the end of a text belongs to the next word. The words of a
    text are kept in the cache as soon as its batch is done.
    """
    most = int(pieces.begins.sum())
    if not 1 <= k <= most:
        raise InputError(f"k must lie between 1 and {most}, not {k}")
    rows = [_without_end(encoded) for encoded in model.encode([text.rstrip() for text in texts])]
    space = f"{model.fingerprint}:{model.precision} next words" if cache else ""
    words = _kept(cache, space, rows, k)
    todo = [row for row in dict.fromkeys(rows) if row not in words]
    if todo:
        with (
            progress(f"next words of {model.name}", total=len(todo), unit="texts") as advance,
            cache.storing_answers(space) if cache else nullcontext() as store,
        ):
            for found in _batches(model, todo, k, pieces):
                if store is not None:
                    for row, fills in found.items():
                        store(_digest(row, k), json.dumps([astuple(fill) for fill in fills]))
                words |= found
                advance(len(found))
    return [list(words[row]) for row in rows]


def _kept(
    cache: ScoreCache | None, space: str, rows: Sequence[tuple[int, ...]], k: int
) -> dict[tuple[int, ...], list[Fill]]:
    if cache is None:
        return {}
    by_digest = {_digest(row, k): row for row in rows}
    found = cache.get_answers(space, list(by_digest))
    return {by_digest[digest]: [Fill(*fill) for fill in json.loads(text)] for digest, text in found.items()}


def _digest(row: tuple[int, ...], k: int) -> bytes:
    ids = np.array(row, dtype=np.int32).tobytes()
    return hashlib.blake2b(ids + repr((k, _MOST_PIECES)).encode(), digest_size=16).digest()


def _batches(
    model: Transformer, rows: Sequence[tuple[int, ...]], k: int, pieces: WordPieces
) -> Iterator[dict[tuple[int, ...], list[Fill]]]:
    """Rows of one length at a time, so that none is padded."""

    def ask(batch: np.ndarray) -> dict[tuple[int, ...], list[Fill]]:
        chosen = [rows[i] for i in batch]
        return dict(zip(chosen, _likeliest(model, chosen, k, pieces), strict=True))

    def describe(number: int) -> str:
        return f"the {k} likeliest words after a text of {len(rows[number])} tokens"

    lengths = np.array([len(row) for row in rows])
    for length in dict.fromkeys(lengths.tolist()):
        numbers = np.flatnonzero(lengths == length)
        for start in range(0, len(numbers), _TEXTS_AT_ONCE):
            for _, found in halving(numbers[start : start + _TEXTS_AT_ONCE], ask, describe):
                yield found


def _without_end(encoded: Encoded) -> tuple[int, ...]:
    """The ids without special tokens after the text: it goes on."""
    last = max(place for place, word in enumerate(encoded.words) if word is not None)
    return encoded.ids[: last + 1]


@dataclass(frozen=True)
class WordPieces:
    """Which tokens of a vocabulary begin a word after a space, and which go on with the word before them."""

    begins: np.ndarray
    goes_on: np.ndarray

    @classmethod
    def of(cls, model: Transformer) -> WordPieces:
        from counterpoise.models.transformer import vocabulary_size

        tokenizer, size = model.tokenizer, vocabulary_size(model.model.config)
        # A token alone may lose its space when it is decoded; after another one it keeps it.
        [anchor] = tokenizer.encode("a", add_special_tokens=False)[-1:]
        before = len(tokenizer.decode([anchor]))
        known = min(size, len(tokenizer))
        texts = [
            text[before:] for text in tokenizer.batch_decode([[anchor, token] for token in range(known)])
        ]
        special = set(tokenizer.all_special_ids)
        begins, goes_on = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
        begins[:known] = [
            token not in special and text[:1] == " " and text[1:2].isalpha()
            for token, text in enumerate(texts)
        ]
        goes_on[:known] = [token not in special and text[:1].isalpha() for token, text in enumerate(texts)]
        return cls(begins, goes_on)


def _likeliest(
    model: Transformer, rows: Sequence[Sequence[int]], k: int, pieces: WordPieces
) -> list[list[Fill]]:
    """Of rows of one length; what the model has read of each row is kept for all k words."""
    import torch

    with model.inference():
        output = model.model(input_ids=model.pad(rows)["input_ids"], use_cache=True)
        logits = output.logits[:, -1].float()
        begins = torch.from_numpy(pieces.begins).to(logits.device)
        best = logits.masked_fill(~begins, -torch.inf).topk(k)
        probabilities = (best.values - logits.logsumexp(-1, keepdim=True)).exp()
        words = _finish(model, rows, best.indices, output.past_key_values, pieces)
    return [
        [Fill(word, p) for word, p in zip(of_row, ps, strict=True)]
        for of_row, ps in zip(words, probabilities.tolist(), strict=True)
    ]


def _finish(
    model: Transformer, rows: Sequence[Sequence[int]], firsts: torch.Tensor, cache: Any, pieces: WordPieces
) -> list[list[str]]:
    """The words that begin with these tokens, each with the likeliest next piece until another word begins."""
    import torch

    k = firsts.shape[1]
    tokens = [[token] for token in firsts.flatten().tolist()]
    goes_on = torch.from_numpy(pieces.goes_on).to(firsts.device)
    cache.batch_repeat_interleave(k)
    unfinished = torch.arange(len(tokens), device=firsts.device)
    last = firsts.flatten()
    for _ in range(_MOST_PIECES - 1):
        logits = model.model(input_ids=last[:, None], past_key_values=cache, use_cache=True).logits[:, -1]
        last = logits.argmax(-1)
        kept = goes_on[last].nonzero().flatten()
        if not len(kept):
            break
        unfinished, last = unfinished[kept], last[kept]
        cache.batch_select_indices(kept)
        for number, token in zip(unfinished.tolist(), last.tolist(), strict=True):
            tokens[number].append(token)
    words = [
        model.tokenizer.decode([rows[i // k][-1], *pieces_of])[
            len(model.tokenizer.decode([rows[i // k][-1]])) :
        ]
        for i, pieces_of in enumerate(tokens)
    ]
    return [[word.strip() for word in words[i : i + k]] for i in range(0, len(words), k)]
