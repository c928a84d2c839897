"""A model of sentence-transformers as an encoder that measures can ask, while it is in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from counterpoise.core.errors import ModelError
from counterpoise.models.encoder import Encoder
from counterpoise.models.scoring.pooling import Pooling, SentencePooling
from counterpoise.models.transformer import check_texts


def is_sentence_transformer(model: Any) -> bool:
    """Asked without importing the package: who has such a model has imported it."""
    return any(kind.__name__ == "SentenceTransformer" for kind in type(model).__mro__)


class SentenceEncoder(Encoder):
    """A `SentenceTransformer`: sentence vectors as it encodes them itself, word vectors from its transformer."""

    def __init__(self, model: Any) -> None:
        transformer = model[0]
        if not hasattr(transformer, "auto_model"):
            raise ModelError(
                f"the first module of the model is {type(transformer).__name__}, and a Transformer is needed"
            )
        pooling = SentencePooling(max_length=model.max_seq_length)
        name = getattr(transformer.auto_model.config, "name_or_path", "") or "sentence-transformers model"
        super().__init__(transformer.auto_model, model.tokenizer, name=name, pooling=pooling)
        self._sentence_transformer = model

    @property
    def reading(self) -> tuple[str, ...]:
        return ("as sentence-transformers encodes",)

    def sentence_vectors(
        self, texts: Sequence[str], *, pooling: Pooling | None = None, special_tokens: bool = True
    ) -> np.ndarray:
        if pooling is not None or not special_tokens:
            return super().sentence_vectors(texts, pooling=pooling, special_tokens=special_tokens)
        check_texts(texts)
        vectors = self._sentence_transformer.encode(
            list(texts), convert_to_numpy=True, show_progress_bar=False, normalize_embeddings=False
        )
        return np.asarray(vectors, dtype=np.float32)
