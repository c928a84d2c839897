"""Encoders: vectors of sentences, and of words in their sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from counterpoise.core.errors import InputError, unknown
from counterpoise.core.progress import progress
from counterpoise.models.batching import pack
from counterpoise.models.transformer import Transformer

if TYPE_CHECKING:
    from counterpoise.models.transformer import Encoded

Pooling = Literal["mean", "cls"]


class Encoder(Transformer):
    """A transformer without a head, read for its last hidden layer."""

    kind = "encoder"

    def __init__(
        self, model: Any, tokenizer: Any, *, name: str, pooling: Pooling = "mean", **options: Any
    ) -> None:
        super().__init__(model, tokenizer, name=name, **options)
        if pooling not in get_args(Pooling):
            raise unknown("pooling", pooling, get_args(Pooling))
        self.pooling = pooling

    def sentence_vectors(self, texts: Sequence[str]) -> np.ndarray:
        """A vector for each text, as an array (texts, width)."""
        encoded = self.encode(texts)
        vectors = np.zeros((len(texts), self.model.config.hidden_size), dtype=np.float32)
        for index, hidden in self._hidden(encoded):
            vectors[index] = hidden[0] if self.pooling == "cls" else hidden.mean(axis=0)
        return vectors

    def word_vectors(self, texts: Sequence[str], words: Sequence[str]) -> np.ndarray:
        """The vector of each word in its text: the mean over its pieces at its first occurrence."""
        if len(texts) != len(words):
            raise InputError(f"there are {len(texts)} texts and {len(words)} words")
        texts, words = list(texts), list(words)
        encoded = self.encode(texts)
        vectors = np.zeros((len(texts), self.model.config.hidden_size), dtype=np.float32)
        for index, hidden in self._hidden(encoded):
            vectors[index] = hidden[self._pieces_of(texts[index], words[index], encoded[index])].mean(axis=0)
        return vectors

    @staticmethod
    def _pieces_of(text: str, word: str, encoded: Encoded) -> list[int]:
        found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) if word else None
        start, end = found.span() if found else (-1, -1)
        pieces = [i for i, (left, right) in enumerate(encoded.spans) if left < end and right > start]
        if start < 0 or not pieces:
            raise InputError(f"the word {word!r} is not in the text {text!r}")
        return pieces

    def _hidden(self, encoded: Sequence[Encoded]) -> Iterator[tuple[int, np.ndarray]]:
        """The last layer of each text, without padding, in the order that is quickest."""
        with progress(f"reading with {self.name}", total=len(encoded), unit="texts") as advance:
            for batch in pack([len(one.ids) for one in encoded], self.token_budget):
                with self.inference():
                    output = self.model(**self._pad([encoded[i].ids for i in batch]))
                hidden = output.last_hidden_state.float().cpu().numpy()
                for number, index in enumerate(batch):
                    yield index, hidden[number, : len(encoded[index].ids)]
                advance(len(batch))
