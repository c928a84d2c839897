"""What else the weights of a loaded model can be asked as: a masked language model is also an encoder."""

from __future__ import annotations

from typing import Any

from counterpoise.models.encoder import Encoder
from counterpoise.models.masked import MaskedLM


def views(model: Any) -> tuple[Any, ...]:
    """The model, and after it what else its weights can be asked as; nothing is loaded twice.

    >>> import counterpoise as cp
    >>> views(cp.load())
    (<MaskedLM 'builtin' on cpu, float32>, <Encoder 'builtin' on cpu, float32>)
    >>> views(cp.load(kind="encoder"))
    (<Encoder 'builtin' on cpu, float32>,)
    """
    if isinstance(model, MaskedLM) and _has_readable_body(model):
        return model, Encoder.of(model)
    return (model,)


def _has_readable_body(masked: MaskedLM) -> bool:
    """Whether the transformer below the head can be run alone; that of a model with code of its own may not."""
    config = masked.model.config
    return masked.model.base_model is not masked.model and all(
        hasattr(config, name) for name in ("num_hidden_layers", "hidden_size")
    )
