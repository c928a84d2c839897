"""How probable a word is right after a text, according to a causal language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterpoise.core.errors import InputError, ModelError
from counterpoise.core.progress import progress
from counterpoise.models.scoring.batching import halving, pack
from counterpoise.models.transformer import Encoded, Transformer, shorten


@dataclass(frozen=True)
class Continuation:
    """The tokens of a word, after those of the text before it."""

    context: tuple[int, ...]
    word: tuple[int, ...]

    @property
    def row(self) -> tuple[int, ...]:
        """What the model reads: it does not need the last token, only says how probable it is."""
        return self.context + self.word[:-1]


def continuation_log_probs(
    model: Transformer, texts: Sequence[str], words: Sequence[Sequence[str]], token_budget: int
) -> np.ndarray:
    """The log-probability of each word after its text, text by text; one forward pass for all words of a text."""
    continuations = _continuations(model, texts, words)
    indices_of: dict[tuple[int, ...], list[int]] = {}  # the continuations that share a row
    for index, continuation in enumerate(continuations):
        indices_of.setdefault(continuation.row, []).append(index)
    rows = list(indices_of)
    scores = np.empty(len(continuations))

    def score(batch: np.ndarray) -> np.ndarray:
        batch_rows = [rows[i] for i in batch]
        return _score(model, batch_rows, [[continuations[k] for k in indices_of[row]] for row in batch_rows])

    def describe(index: int) -> str:
        return f"one text of {len(rows[index])} tokens with {model.name}"

    with progress(f"asking {model.name}", total=len(rows), unit="texts") as advance:
        for whole in pack([len(row) for row in rows], token_budget):
            for batch, log_probs in halving(whole, score, describe):
                scores[[index for i in batch for index in indices_of[rows[i]]]] = log_probs
                advance(len(batch))
    if not np.isfinite(scores).all():
        raise ModelError(
            f"{model.name} gives log-probabilities that are no numbers; its weights or its precision are broken"
        )
    return scores


def _continuations(
    model: Transformer, texts: Sequence[str], words: Sequence[Sequence[str]]
) -> list[Continuation]:
    """Text by text and word by word.

    Text and word are tokenised together, since in most vocabularies the space between them belongs to the word's
    first token.
    """
    pairs = [(text, word) for text, of_text in zip(texts, words, strict=True) for word in of_text]
    for _, word in pairs:
        if not isinstance(word, str) or not word.strip():
            raise InputError(f"what continues a text must be a word, not {word!r}")
    joined = model.encode([text + word for text, word in pairs])
    return [_split(model, text, word, encoded) for (text, word), encoded in zip(pairs, joined, strict=True)]


def _split(model: Transformer, text: str, word: str, encoded: Encoded) -> Continuation:
    # The space before the word is the word's own, even where the vocabulary makes a token of the space alone.
    start = len(text.rstrip())
    inside = [
        i
        for i, (number, (left, right)) in enumerate(zip(encoded.words, encoded.spans, strict=True))
        if number is not None and (left >= start or right > start)
    ]
    if not inside or model.tokenizer.unk_token_id in [encoded.ids[i] for i in inside]:
        raise InputError(f"the word {word!r} is not in the vocabulary of {model.name}")
    if text[encoded.spans[inside[0]][0] :].strip():
        raise InputError(f"the word {word!r} melts into a longer token in {shorten(text + word)!r}")
    if inside[0] == 0:
        raise InputError(
            f"{model.name} has no token to begin a text with, so it cannot say how probable {word!r} is there"
        )
    return Continuation(encoded.ids[: inside[0]], encoded.ids[inside[0] : inside[-1] + 1])


def _score(
    model: Transformer, rows: Sequence[tuple[int, ...]], continuations: Sequence[list[Continuation]]
) -> np.ndarray:
    """The log-probabilities of the words that continue each row, by the chain rule over their tokens."""
    steps = [
        (row, len(continuation.context) - 1 + k, token)
        for row, of_row in enumerate(continuations)
        for continuation in of_row
        for k, token in enumerate(continuation.word)
    ]
    lengths = [len(continuation.word) for of_row in continuations for continuation in of_row]
    row, position, token = map(list, zip(*steps, strict=True))
    with model.inference():
        logits = model.model(**model.pad(rows)).logits[row, position].float()
        log_probs = logits[range(len(steps)), token] - logits.logsumexp(
            -1
        )  # log_softmax adds up less exactly
    return np.bincount(np.repeat(np.arange(len(lengths)), lengths), weights=log_probs.double().cpu().numpy())
