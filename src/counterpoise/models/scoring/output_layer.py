"""The output layer of a causal model, piece by piece: there is never a table of all tokens and the whole vocabulary.

    log P(token) = logit(token) - log sum over the vocabulary of exp(logit)

Logits are float32, whatever the precision of the weights: products of half-precision numbers are summed in float32 and
not rounded back, which costs a model with large logits two digits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import torch

Transform = Callable[["torch.Tensor"], "torch.Tensor"]

# Logits at once: on a GPU enough to keep it busy, on a CPU what its caches hold.
_MOST_LOGITS = {"cuda": 1 << 28, "mps": 1 << 26, "cpu": 1 << 23}
_VOCABULARY_BLOCK = 1 << 14


def upload(values: np.ndarray, device: torch.device) -> torch.Tensor:
    """An array on a device; a copy to a GPU does not wait for the work that the GPU still has."""
    import torch

    tensor = torch.from_numpy(values)
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)


@dataclass(frozen=True)
class OutputLayer:
    """From hidden states to logits; `head` None means that the states are logits already."""

    head: Any
    transform: Transform
    product: Any = None  # the head's product in float32, where there is a faster way than its own

    def log_probs(
        self, states: torch.Tensor, at: np.ndarray, targets: np.ndarray, normalized: np.ndarray
    ) -> torch.Tensor:
        """The log-probability of each target token at its state; where not `normalized`, the logit alone.

        `at` holds the number of each target's state. All bookkeeping is done here, on the host, so that a GPU is never
        waited for.
        """
        import torch

        device = states.device
        scores = torch.empty(len(targets), dtype=torch.float32, device=device)
        alone = ~normalized if self._is_plain else np.zeros(len(targets), dtype=bool)
        if alone.any():
            which = upload(np.flatnonzero(alone), device)
            scores[which] = self._target_logits(
                states[upload(at[alone], device)], upload(targets[alone], device)
            )
        needed = np.flatnonzero(~alone)
        needed = needed[np.argsort(at[needed], kind="stable")]
        used, place = np.unique(at[needed], return_inverse=True)  # sorted, so that pieces are neighbours
        size = self._rows_at_once(states)
        for first in range(0, len(used), size):
            left, right = np.searchsorted(place, [first, first + size])
            mine = needed[left:right]
            logits = self.logits(states[upload(used[first : first + size], device)])
            there = logits.device  # of the head, which a device map may have put elsewhere
            row, token = upload(place[left:right] - first, there), upload(targets[mine], there)
            constant = logits.logsumexp(-1)[row]  # log_softmax adds up less exactly
            if not normalized[mine].all():
                constant = constant * upload(normalized[mine], there)
            scores[upload(mine, device)] = (logits[row, token] - constant).to(device)
        return scores

    def logits(self, states: torch.Tensor) -> torch.Tensor:
        """The logits of the whole vocabulary at each state, in float32."""
        import torch

        if self.head is None:
            return states.float()
        if self.product is not None:
            return self.transform(self.product(states))
        if not self._is_plain or states.dtype in (torch.float32, torch.float64):
            return self.transform(self.head(states).float())
        weight, bias = self.head.weight, self.head.bias
        if states.device.type == "cuda":
            logits = torch.mm(states, weight.T, out_dtype=torch.float32)
        else:
            blocks = weight.split(_VOCABULARY_BLOCK)
            logits = torch.cat([states.float() @ block.float().T for block in blocks], dim=-1)
        return self.transform(logits if bias is None else logits + bias.float())

    def _target_logits(self, states: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The logits of one token per state, from that token's row of the output layer."""
        logits = (states.float() * self.head.weight[targets].float()).sum(-1)
        return self.transform(logits if self.head.bias is None else logits + self.head.bias[targets].float())

    @property
    def _is_plain(self) -> bool:
        """Whether the weights can be read directly: not quantised, not offloaded, nothing added by an adapter."""
        import torch

        return type(self.head) is torch.nn.Linear and not hasattr(self.head, "_hf_hook")

    def _rows_at_once(self, states: torch.Tensor) -> int:
        vocabulary = states.shape[-1] if self.head is None else self.head.out_features
        return max(1, _MOST_LOGITS.get(states.device.type, _MOST_LOGITS["cpu"]) // int(vocabulary))


def transforms(config: Any) -> list[Transform]:
    """What architectures do to the logits after the output layer, as far as a configuration tells; first nothing."""
    text = config.get_text_config()
    candidates: list[Transform] = [lambda logits: logits]
    for name in ("logit_scale", "lm_head_multiplier"):
        if factor := getattr(text, name, None):
            candidates.append(lambda logits, factor=factor: logits * factor)  # type: ignore[misc]
    if divisor := getattr(text, "logits_scaling", None):
        candidates.append(lambda logits: logits / divisor)
    if cap := getattr(text, "final_logit_softcapping", None):
        candidates.append(lambda logits: (logits / cap).tanh() * cap)
    return candidates
