"""Root-mean-square layer norms by torch's fused kernel, which reads and writes every number once.

    x * weight / sqrt(mean(x^2) + eps)

transformers computes it in six steps, on a GPU a fifth of the time of a model of a billion parameters. Relatives that
compute something else (Gemma's weight is 1 + weight) are told apart by comparing results, as for all parts.
"""

from __future__ import annotations

import copy
from typing import Any

import torch


class FusedRMSNorm(torch.nn.Module):
    """Computes what the norm that it replaces computes, with the same weights."""

    def __init__(self, norm: Any) -> None:
        super().__init__()
        self.weight, self.eps = norm.weight, norm.variance_epsilon

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.rms_norm(states, self.weight.shape, self.weight, self.eps)


def with_fused_norms(module: Any) -> Any:
    """A copy of a module that shares everything with it but has fused norms on a GPU; elsewhere the module itself."""
    if next(module.parameters()).device.type != "cuda":
        return module
    return _replace(module)


def _replace(module: Any) -> Any:
    if type(module).__name__.endswith("RMSNorm") and hasattr(module, "variance_epsilon"):
        return FusedRMSNorm(module)
    twin = copy.copy(module)
    twin._modules = {name: child and _replace(child) for name, child in module._modules.items()}
    return twin
