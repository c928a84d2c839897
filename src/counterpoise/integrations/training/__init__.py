"""Bias curves while a model is trained; public as `counterpoise.callbacks`.

BiasCallback     for transformers' Trainer
BiasEvaluator    for sentence-transformers
measure          for a training loop of your own
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from counterpoise.integrations.training.bias_callback import BiasCallback
from counterpoise.integrations.training.measuring import measure

if TYPE_CHECKING:
    from counterpoise.integrations.training.evaluator import BiasEvaluator

__all__ = ["BiasCallback", "BiasEvaluator", "measure"]


def __getattr__(name: str) -> Any:
    if name == "BiasEvaluator":  # imported when it is used, since it needs sentence-transformers
        from counterpoise.integrations.training.evaluator import BiasEvaluator

        return BiasEvaluator
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
