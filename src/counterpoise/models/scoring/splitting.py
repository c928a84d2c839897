"""Splits a masked language model into parts, so that only what a question needs is computed.

    body       embeddings and all layers but the last
    last       the last layer, only at the positions asked about (they still attend to the whole text)
    transform  the first part of the prediction head
    decoder    its second part, hidden states to logits

The decoder is a large part of the work (48 of 218 million multiplications per token in BERT-base), and the last layer
a twelfth of the rest. The tables below know under which names each architecture keeps its parts, and `split_model`
checks on a short input that the parts together give the logits of the whole model.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from counterpoise.models.gradients import no_gradients

if TYPE_CHECKING:
    import torch

Transform = Callable[["torch.Tensor"], "torch.Tensor"]


@dataclass(frozen=True)
class TokenPositions:
    """Positions of tokens in a batch: the i-th is `positions[i]` in row `rows[i]`."""

    rows: torch.Tensor
    positions: torch.Tensor
    one_per_row: bool  # the first is in row 0, the second in row 1, and so on


LastLayer = Callable[["torch.Tensor", "torch.Tensor | None", TokenPositions], "torch.Tensor"]


@dataclass(frozen=True)
class SplitModel:
    """A masked language model, split into parts."""

    body: Any
    last: LastLayer | None  # None: the body holds all layers
    transform: Transform
    decoder: Any

    def logits(self, batch: dict[str, torch.Tensor], at: TokenPositions) -> torch.Tensor:
        """The logits of the whole vocabulary at the given positions."""
        hidden = self.body(**batch).last_hidden_state
        if self.last is None:
            states = hidden[at.rows, at.positions]
        else:
            states = self.last(hidden, batch.get("attention_mask"), at)
        logits: torch.Tensor = self.decoder(self.transform(states))
        return logits


def split_model(model: Any, *, to_train: bool = False) -> SplitModel | None:
    """The model split into parts, or None if its architecture is unknown or not as expected.

    to_train: no part is a copy or skips dropout, so that what is learnt through the parts is learnt by the model.
    """
    find_parts = _PARTS.get(model.config.model_type)
    if find_parts is None:
        return None
    try:
        encoder, transform, decoder = find_parts(model)
        if to_train:
            candidates = iter([SplitModel(encoder, None, transform, decoder)])
        else:
            candidates = _candidates(model, encoder, transform, decoder)
        for candidate in candidates:
            if _gives_the_same_logits(model, candidate):
                return candidate
    except (AttributeError, TypeError, RuntimeError):  # a relative that shares the name but not the shape
        pass
    return None


def _candidates(model: Any, encoder: Any, transform: Transform, decoder: Any) -> Iterator[SplitModel]:
    """Ways to split the model, the fastest first."""
    from counterpoise.models.scoring.packed_linear import with_packed_linears  # imports torch

    encoder = with_packed_linears(encoder)
    if (cut := _LAST_LAYERS.get(model.config.model_type)) is not None:
        body, last = cut(encoder)
        yield SplitModel(body, last, transform, decoder)
    yield SplitModel(encoder, None, transform, decoder)


def _gives_the_same_logits(model: Any, split: SplitModel) -> bool:
    """Compares the split model with the whole one on two short rows, one of them padded."""
    import torch

    device = next(model.parameters()).device
    ids = (torch.arange(2, 18, device=device) % model.config.vocab_size).view(2, 8)
    mask = torch.ones_like(ids)
    mask[1, 6:] = 0
    rows, positions = (torch.tensor(values, device=device) for values in ([0, 1], [3, 5]))
    with no_gradients():
        whole = model(input_ids=ids, attention_mask=mask).logits[rows, positions].float()
        batch = {"input_ids": ids, "attention_mask": mask}
        parts = split.logits(batch, TokenPositions(rows, positions, one_per_row=True)).float()
    # In half precision the two ways of computing differ by rounding.
    tolerance = 1e-3 if next(model.parameters()).dtype in (torch.float32, torch.float64) else 0.1
    return whole.shape == parts.shape and torch.allclose(whole, parts, rtol=tolerance, atol=tolerance)


# Where each architecture keeps its encoder, transform and decoder


def _bert(model: Any) -> tuple[Any, Transform, Any]:
    return model.bert, model.cls.predictions.transform, model.cls.predictions.decoder


def _distilbert(model: Any) -> tuple[Any, Transform, Any]:
    def transform(hidden: torch.Tensor) -> torch.Tensor:
        changed: torch.Tensor = model.vocab_layer_norm(model.activation(model.vocab_transform(hidden)))
        return changed

    return model.distilbert, transform, model.vocab_projector


def _roberta(model: Any) -> tuple[Any, Transform, Any]:
    return model.roberta, _dense_gelu_norm(model.lm_head), model.lm_head.decoder


def _mpnet(model: Any) -> tuple[Any, Transform, Any]:
    return model.mpnet, _dense_gelu_norm(model.lm_head), model.lm_head.decoder


def _dense_gelu_norm(head: Any) -> Transform:
    def transform(hidden: torch.Tensor) -> torch.Tensor:
        from torch.nn.functional import gelu

        changed: torch.Tensor = head.layer_norm(gelu(head.dense(hidden)))
        return changed

    return transform


def _albert(model: Any) -> tuple[Any, Transform, Any]:
    head = model.predictions
    return model.albert, lambda hidden: head.LayerNorm(head.activation(head.dense(hidden))), head.decoder


def _electra(model: Any) -> tuple[Any, Transform, Any]:
    return model.electra, model.generator_predictions, model.generator_lm_head


def _modernbert(model: Any) -> tuple[Any, Transform, Any]:
    return model.model, model.head, model.decoder


_PARTS: dict[str, Callable[[Any], tuple[Any, Transform, Any]]] = {
    "bert": _bert,
    "distilbert": _distilbert,
    "roberta": _roberta,
    "xlm-roberta": _roberta,
    "camembert": _roberta,
    "albert": _albert,
    "electra": _electra,
    "mpnet": _mpnet,
    "modernbert": _modernbert,
}


# Last layers that can be computed at selected positions only


def _cut_bert(encoder: Any) -> tuple[Any, LastLayer]:
    layer = encoder.encoder.layer[-1]
    attention = layer.attention.self

    def last(hidden: torch.Tensor, mask: torch.Tensor | None, at: TokenPositions) -> torch.Tensor:
        states = hidden[at.rows, at.positions]
        context = _attend(
            attention.query(states),
            attention.key(hidden),
            attention.value(hidden),
            mask,
            at,
            attention.num_attention_heads,
        )
        attended = layer.attention.output(context, states)
        output: torch.Tensor = layer.output(layer.intermediate(attended), attended)
        return output

    return _without_last_layer(encoder, "encoder"), last


def _cut_distilbert(encoder: Any) -> tuple[Any, LastLayer]:
    layer = encoder.transformer.layer[-1]
    attention = layer.attention

    def last(hidden: torch.Tensor, mask: torch.Tensor | None, at: TokenPositions) -> torch.Tensor:
        states = hidden[at.rows, at.positions]
        context = _attend(
            attention.q_lin(states),
            attention.k_lin(hidden),
            attention.v_lin(hidden),
            mask,
            at,
            encoder.config.n_heads,
        )
        attended = layer.sa_layer_norm(attention.out_lin(context) + states)
        output: torch.Tensor = layer.output_layer_norm(layer.ffn(attended) + attended)
        return output

    return _without_last_layer(encoder, "transformer"), last


_LAST_LAYERS: dict[str, Callable[[Any], tuple[Any, LastLayer]]] = {
    "bert": _cut_bert,
    "roberta": _cut_bert,
    "xlm-roberta": _cut_bert,
    "camembert": _cut_bert,
    "electra": _cut_bert,
    "distilbert": _cut_distilbert,
}


def cut_last_layer(model_type: str, encoder: Any) -> tuple[Any, LastLayer] | None:
    """The encoder without its last layer, and that layer at selected positions; None for unknown architectures."""
    cut = _LAST_LAYERS.get(model_type)
    return None if cut is None else cut(encoder)


def _attend(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None,
    at: TokenPositions,
    heads: int,
) -> torch.Tensor:
    """Attention from single positions (n, width) to the whole rows they are in (batch, length, width)."""
    from torch.nn.functional import scaled_dot_product_attention

    batch, length, width = key.shape
    query = query.view(-1, heads, 1, width // heads)
    key = key.view(batch, length, heads, -1).transpose(1, 2)
    value = value.view(batch, length, heads, -1).transpose(1, 2)
    if not at.one_per_row:
        key, value = key[at.rows], value[at.rows]
        mask = mask[at.rows] if mask is not None else None
    allowed = mask[:, None, None, :].bool() if mask is not None else None
    return scaled_dot_product_attention(query, key, value, attn_mask=allowed).reshape(-1, width)


def _without_last_layer(encoder: Any, stack: str) -> Any:
    """A copy of the encoder that shares all weights and ends one layer earlier."""
    import torch

    shorter = _shallow(encoder)
    layers = _shallow(getattr(encoder, stack))
    layers.layer = torch.nn.ModuleList(list(layers.layer)[:-1])
    setattr(shorter, stack, layers)
    return shorter


def _shallow(module: Any) -> Any:
    twin = copy.copy(module)
    twin._modules = dict(module._modules)
    return twin
