"""How much attention the tokens of a text receive, for measures that weight tokens by it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from counterpoise.core.errors import ModelError
from counterpoise.core.progress import progress
from counterpoise.models.scoring.batching import halving
from counterpoise.models.transformer import Transformer, shorten


def attention_received(model: Transformer, sentences: Sequence[str]) -> list[np.ndarray]:
    """The attention that each token of a sentence receives: the mean over layers, heads and attending tokens.

    Special tokens are included, in the order of `model.encode`; the values of a sentence add up to 1.

    >>> import counterpoise as cp
    >>> [weights] = attention_received(cp.load(), ["She is a nurse."])
    >>> len(weights), round(float(weights.sum()), 4)
    (7, 1.0)
    """
    rows = [encoded.ids for encoded in model.encode(sentences)]
    received: list[np.ndarray] = [np.zeros(0)] * len(rows)

    def read(batch: np.ndarray) -> np.ndarray:
        return _read(model, [rows[i] for i in batch])

    def describe(index: int) -> str:
        return f"one text of {len(rows[index])} tokens with {model.name}: {shorten(sentences[index])!r}"

    with (
        _eager(model.model),
        progress(f"reading the attention of {model.name}", total=len(rows), unit="sentences") as advance,
    ):
        for whole in _batches_of_one_length(rows, model.token_budget):
            for batch, of_rows in halving(whole, read, describe):
                for values, index in zip(of_rows, batch, strict=True):
                    received[index] = values
                advance(len(batch))
    return received


def _read(model: Transformer, rows: Sequence[tuple[int, ...]]) -> np.ndarray:
    import torch

    with model.inference():
        ids = torch.tensor(rows, device=model.device)
        attentions = model.model(input_ids=ids, output_attentions=True).attentions
        if not attentions or attentions[0] is None:
            raise ModelError(f"{model.name} does not show its attention")
        # (batch, heads, attending token, attended token) for each layer
        per_layer = [layer.double().mean(dim=(1, 2)) for layer in attentions]
        return np.asarray(torch.stack(per_layer).mean(dim=0).cpu().numpy())


def _batches_of_one_length(rows: Sequence[tuple[int, ...]], token_budget: int) -> Iterator[np.ndarray]:
    """Batches without padding, since a padding token would attend too and count in the mean."""
    lengths = np.array([len(row) for row in rows])
    for length in np.unique(lengths):
        same = np.flatnonzero(lengths == length)
        size = max(1, token_budget // int(length))
        yield from (same[i : i + size] for i in range(0, len(same), size))


@contextmanager
def _eager(model: Any) -> Iterator[None]:
    """Within the block, attention is computed in the plain way; the fast kernels never hold its weights."""
    before = model.config._attn_implementation
    model.set_attn_implementation("eager")
    try:
        yield
    finally:
        model.set_attn_implementation(before)
