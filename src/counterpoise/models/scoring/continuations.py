"""How probable a word is right after a text, for a causal model: which tokens are asked for, and asking them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from counterpoise.core.errors import InputError, ModelError
from counterpoise.core.progress import progress
from counterpoise.models.scoring.batching import halving, pack
from counterpoise.models.transformer import Encoded, shorten

if TYPE_CHECKING:
    from counterpoise.models.causal import CausalLM


@dataclass(frozen=True)
class Continuation:
    """The tokens of a word after those of the text before it."""

    before: tuple[int, ...]
    word: tuple[int, ...]

    @property
    def row(self) -> tuple[int, ...]:
        """What the model reads; it need not read the last token, only say how probable that is."""
        return self.before + self.word[:-1]


def continuation_log_probs(
    model: CausalLM, texts: Sequence[str], words_of: Sequence[Sequence[str]], token_budget: int
) -> np.ndarray:
    """The log-probability of every word after its text, text by text; one forward pass for all words of a text."""
    asked = _continuations(model, texts, words_of)
    askers: dict[tuple[int, ...], list[int]] = {}
    for index, one in enumerate(asked):
        askers.setdefault(one.row, []).append(index)
    rows = list(askers)
    scores = np.empty(len(asked))

    def score(batch: np.ndarray) -> np.ndarray:
        return _score(model, [rows[i] for i in batch], [[asked[k] for k in askers[rows[i]]] for i in batch])

    def describe(index: int) -> str:
        return f"one text of {len(rows[index])} tokens with {model.name}"

    with progress(f"asking {model.name}", total=len(rows), unit="texts") as advance:
        for whole in pack([len(row) for row in rows], token_budget):
            for batch, found in halving(whole, score, describe):
                scores[[index for i in batch for index in askers[rows[i]]]] = found
                advance(len(batch))
    if not np.isfinite(scores).all():
        raise ModelError(
            f"{model.name} gives log-probabilities that are no numbers; its weights or its precision are broken"
        )
    return scores


def _continuations(
    model: CausalLM, texts: Sequence[str], words_of: Sequence[Sequence[str]]
) -> list[Continuation]:
    """Text by text and word by word.

    Text and word are tokenised together, since the space between them belongs to the word's first token in most
    vocabularies.
    """
    asked = [(text, word) for text, words in zip(texts, words_of, strict=True) for word in words]
    for _, word in asked:
        if not isinstance(word, str) or not word.strip():
            raise InputError(f"what continues a text must be a word, not {word!r}")
    joined = model.encode([text + word for text, word in asked])
    return [_split(model, *one, encoded) for one, encoded in zip(asked, joined, strict=True)]


def _split(model: CausalLM, text: str, word: str, encoded: Encoded) -> Continuation:
    # The space before the word is the word's own, even where the vocabulary makes a token of the space alone.
    start = len(text.rstrip())
    places = zip(encoded.words, encoded.spans, strict=True)
    inside = [
        i
        for i, (number, (left, right)) in enumerate(places)
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
    model: CausalLM, rows: Sequence[tuple[int, ...]], asked: Sequence[list[Continuation]]
) -> np.ndarray:
    """The log-probabilities of the words that continue each row, by the chain rule over their tokens."""
    steps = [
        (row, len(one.before) - 1 + k, token)
        for row, words in enumerate(asked)
        for one in words
        for k, token in enumerate(one.word)
    ]
    lengths = [len(one.word) for words in asked for one in words]
    row, position, token = map(list, zip(*steps, strict=True))
    with model.inference():
        logits = model.model(**model._pad(rows)).logits[row, position].float()
        found = logits[range(len(steps)), token] - logits.logsumexp(-1)  # log_softmax adds up less exactly
    return np.bincount(np.repeat(np.arange(len(lengths)), lengths), weights=found.double().cpu().numpy())
