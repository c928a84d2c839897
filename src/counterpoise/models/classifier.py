"""Classifiers: how positive is a text?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from counterpoise.core.errors import ModelError, unknown
from counterpoise.core.progress import progress
from counterpoise.models.batching import pack
from counterpoise.models.transformer import Transformer

_POSITIVE_NAMES = ("positive", "pos", "label_1", "1")


class Classifier(Transformer):
    """A sequence classifier with a positive label."""

    kind = "classifier"

    def __init__(
        self, model: Any, tokenizer: Any, *, name: str, positive: str | None = None, **options: Any
    ) -> None:
        super().__init__(model, tokenizer, name=name, **options)
        self.positive = self._positive_label(positive)

    def rate(self, texts: Sequence[str]) -> np.ndarray:
        """P(positive) of each text, as an array (texts,)."""
        encoded = self.encode(texts)
        ratings = np.zeros(len(texts))
        with progress(f"rating with {self.name}", total=len(texts), unit="texts") as advance:
            for batch in pack([len(one.ids) for one in encoded], self.token_budget):
                with self.inference():
                    logits = self.model(**self._pad([encoded[i].ids for i in batch])).logits
                    ratings[batch] = logits.double().softmax(-1)[:, self.positive].cpu().numpy()
                advance(len(batch))
        return ratings

    def _positive_label(self, wanted: str | None) -> int:
        labels = {str(label).lower(): int(number) for number, label in self.model.config.id2label.items()}
        if wanted is not None:
            if wanted.lower() not in labels:
                raise unknown("label", wanted, labels)
            return labels[wanted.lower()]
        for name in _POSITIVE_NAMES:
            if name in labels:
                return labels[name]
        raise ModelError(f"which label of {self.name} is the positive one? It has: {', '.join(labels)}")
