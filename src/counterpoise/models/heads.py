"""The two halves of a masked language model: the encoder, and the head that turns a vector into word scores.

Scoring needs the head at the masked positions only, and the head is a large part of the work (48 of 218 million
multiplications per token in BERT-base). Each architecture keeps its head under another name; the table below knows
them, and `split` proves on a short input that the halves give what the whole gives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

Head = Callable[["torch.Tensor"], "torch.Tensor"]


def split(model: Any) -> tuple[Any, Head] | None:
    """The encoder and the head of a masked language model, or None if its architecture is not known."""
    find = _HALVES.get(model.config.model_type)
    if find is None:
        return None
    try:
        encoder, head = find(model)
    except AttributeError:  # a relative that shares the name but not the shape
        return None
    return (encoder, head) if _halves_make_the_whole(model, encoder, head) else None


def _halves_make_the_whole(model: Any, encoder: Any, head: Head) -> bool:
    import torch

    ids = torch.arange(1, 9, device=next(model.parameters()).device)[None] % model.config.vocab_size
    training = model.training
    model.eval()
    with torch.inference_mode():
        whole = model(input_ids=ids).logits
        halves = head(encoder(input_ids=ids).last_hidden_state)
    model.train(training)
    return whole.shape == halves.shape and torch.allclose(whole, halves, rtol=1e-3, atol=1e-3)


def _distilbert(model: Any) -> tuple[Any, Head]:
    def head(hidden: torch.Tensor) -> torch.Tensor:
        scores: torch.Tensor = model.vocab_projector(
            model.vocab_layer_norm(model.activation(model.vocab_transform(hidden)))
        )
        return scores

    return model.distilbert, head


def _electra(model: Any) -> tuple[Any, Head]:
    return model.electra, lambda hidden: model.generator_lm_head(model.generator_predictions(hidden))


def _modernbert(model: Any) -> tuple[Any, Head]:
    return model.model, lambda hidden: model.decoder(model.head(hidden))


_HALVES: dict[str, Callable[[Any], tuple[Any, Head]]] = {
    "bert": lambda model: (model.bert, model.cls),
    "distilbert": _distilbert,
    "roberta": lambda model: (model.roberta, model.lm_head),
    "xlm-roberta": lambda model: (model.roberta, model.lm_head),
    "camembert": lambda model: (model.roberta, model.lm_head),
    "albert": lambda model: (model.albert, model.predictions),
    "electra": _electra,
    "mpnet": lambda model: (model.mpnet, model.lm_head),
    "modernbert": _modernbert,
}
