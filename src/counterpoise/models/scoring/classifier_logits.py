"""Classifiers that read the first token alone: their last layer is computed there and nowhere else.

Of a model with six layers that saves a seventh of the work, of one with twelve a fourteenth. Each architecture keeps
its head under other names; `quicker` proves on a text that the short way gives what the model gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from counterpoise.models.scoring.splitting import TokenPositions, cut_last_layer

if TYPE_CHECKING:
    import torch

Logits = Callable[[Mapping[str, "torch.Tensor"]], "torch.Tensor"]
Head = Callable[["torch.Tensor"], "torch.Tensor"]


def whole(model: Any) -> Logits:
    """The model as it is."""

    def logits(inputs: Mapping[str, torch.Tensor]) -> torch.Tensor:
        found: torch.Tensor = model(**inputs).logits
        return found

    return logits


def quicker(model: Any, example: Mapping[str, torch.Tensor]) -> Logits:
    """The quickest way to the logits that agrees with the model on an example; else the model as it is."""
    import torch

    from counterpoise.models.scoring.packed_linear import packed

    plain = whole(model)
    expected = plain(example).float()
    tolerance = 1e-3 if next(model.parameters()).dtype in (torch.float32, torch.float64) else 0.1
    twin = packed(model)
    ways: tuple[Callable[[Any], Logits], ...] = (_short, whole)
    for make in ways:
        # A relative may share the name of a known architecture and not its shape.
        with suppress(AttributeError, TypeError, RuntimeError, KeyError):
            way = make(twin)
            if torch.allclose(way(example).float(), expected, rtol=tolerance, atol=tolerance):
                return way
    return plain


def _short(model: Any) -> Logits:
    import torch

    kind = model.config.model_type
    encoder, head = _HEADS[kind](model)
    cut = cut_last_layer(kind, encoder)
    if cut is None:
        raise KeyError(kind)
    body, last = cut

    def logits(inputs: Mapping[str, torch.Tensor]) -> torch.Tensor:
        hidden = body(**inputs).last_hidden_state
        rows = torch.arange(len(hidden), device=hidden.device)
        first = TokenPositions(rows, torch.zeros_like(rows), one_per_row=True)
        return head(last(hidden, inputs.get("attention_mask"), first))

    return logits


# Where each architecture keeps its encoder and its head


def _bert(model: Any) -> tuple[Any, Head]:
    pooler = model.bert.pooler
    return model.bert, lambda first: model.classifier(pooler.activation(pooler.dense(first)))


def _roberta(model: Any) -> tuple[Any, Head]:
    return model.roberta, lambda first: model.classifier(first[:, None])


def _electra(model: Any) -> tuple[Any, Head]:
    return model.electra, lambda first: model.classifier(first[:, None])


def _distilbert(model: Any) -> tuple[Any, Head]:
    return model.distilbert, lambda first: model.classifier(model.pre_classifier(first).relu())


_HEADS: dict[str, Callable[[Any], tuple[Any, Head]]] = {
    "bert": _bert,
    "roberta": _roberta,
    "xlm-roberta": _roberta,
    "camembert": _roberta,
    "electra": _electra,
    "distilbert": _distilbert,
}
