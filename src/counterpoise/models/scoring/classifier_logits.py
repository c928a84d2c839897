"""The logits of a classifier, as fast as the model allows.

Many classifiers read only the first token: their last layer is computed there and nowhere else, which saves a seventh
of the work with six layers and a fourteenth with twelve. Each architecture keeps its head under other names;
`fastest_logits` checks on an example that the shortcut gives the logits of the model.
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


def plain_logits(model: Any) -> Logits:
    """Calls the model as it is."""

    def compute(inputs: Mapping[str, torch.Tensor]) -> torch.Tensor:
        logits: torch.Tensor = model(**inputs).logits
        return logits

    return compute


def fastest_logits(model: Any, example: Mapping[str, torch.Tensor]) -> Logits:
    """The fastest way to the logits that agrees with the model on an example; if none does, the model as it is."""
    import torch

    from counterpoise.models.scoring.packed_linear import with_packed_linears  # imports torch

    plain = plain_logits(model)
    expected = plain(example).float()
    tolerance = 1e-3 if next(model.parameters()).dtype in (torch.float32, torch.float64) else 0.1
    packed = with_packed_linears(model)
    variants: tuple[Callable[[Any], Logits], ...] = (_first_token_logits, plain_logits)
    for make in variants:
        # A relative may share the name of a known architecture but not its shape.
        with suppress(AttributeError, TypeError, RuntimeError, KeyError):
            compute = make(packed)
            if torch.allclose(compute(example).float(), expected, rtol=tolerance, atol=tolerance):
                return compute
    return plain


def _first_token_logits(model: Any) -> Logits:
    import torch

    model_type = model.config.model_type
    encoder, head = _HEADS[model_type](model)
    cut = cut_last_layer(model_type, encoder)
    if cut is None:
        raise KeyError(model_type)
    body, last = cut

    def compute(inputs: Mapping[str, torch.Tensor]) -> torch.Tensor:
        hidden = body(**inputs).last_hidden_state
        rows = torch.arange(len(hidden), device=hidden.device)
        first = TokenPositions(rows, torch.zeros_like(rows), one_per_row=True)
        return head(last(hidden, inputs.get("attention_mask"), first))

    return compute


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
