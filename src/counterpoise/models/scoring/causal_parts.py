"""Splits a causal language model into its layers and its output layer, so that logits are computed only where asked.

Nothing is taken on trust: on a few tokens the parts must give what the whole model gives to each text alone. A model
that does not split so is asked as it is; one that ignores attention masks of single pairs of tokens, or positions
(ALiBi, state-space models), reads every text in a row of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from counterpoise.models.devices import input_device
from counterpoise.models.gradients import no_gradients
from counterpoise.models.scoring.batching import is_out_of_memory
from counterpoise.models.scoring.output_layer import OutputLayer, transforms, upload
from counterpoise.models.scoring.prefix_tree import TreeRow, plan_reading

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class CausalParts:
    """The layers up to the output layer, the output layer, and whether texts may share their beginnings in a row."""

    body: Any  # None: the whole model, whose logits stand for the states
    model: Any
    output: OutputLayer
    shares: bool

    def states(self, rows: list[TreeRow]) -> torch.Tensor:
        """The hidden states of all tokens of the rows, padded to one length and flattened: (rows * longest, width).

        Either all rows branch or none does.
        """
        longest = max(len(row.ids) for row in rows)
        device = input_device(self.model)
        inputs = {"input_ids": upload(_pad([row.ids for row in rows], longest), device)}
        # Padding on the right is behind all tokens: causal attention never sees it, and no mask is needed.
        branches = [row.branches for row in rows if row.branches]
        if branches:
            inputs["position_ids"] = upload(_pad([each.depths for each in branches], longest), device)
            ends = upload(_pad([each.ends for each in branches], longest), device)
            inputs["attention_mask"] = _tree_mask(ends, self.model.dtype)
        if self.body is None:
            whole: torch.Tensor = self.model(**inputs).logits
            return whole.flatten(0, 1)
        hidden: torch.Tensor = self.body(**inputs, use_cache=False).last_hidden_state
        return hidden.flatten(0, 1)


def _pad(rows: list[np.ndarray], longest: int) -> np.ndarray:
    lengths = np.array([len(row) for row in rows])
    table = np.zeros((len(lengths), longest), dtype=np.int64)
    table[np.arange(longest) < lengths[:, None]] = np.concatenate(rows)
    return table


def _tree_mask(ends: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """What is added to the attention of token j to token i: 0 where i <= j < end[i], else as good as minus infinity."""
    import torch

    at = torch.arange(ends.shape[1], device=ends.device)
    attends = (at[None, :] <= at[:, None]) & (at[None, :, None] < ends[:, None, :])
    attends |= at[None, :] == at[:, None]  # padding attends to itself, since it must attend to something
    return torch.zeros(attends.shape, dtype=dtype, device=ends.device).masked_fill_(
        ~attends, torch.finfo(dtype).min
    )[:, None]


def split_causal(model: Any) -> CausalParts:
    """The fastest parts that agree with the model."""
    whole = CausalParts(None, model, OutputLayer(None, lambda logits: logits), shares=False)
    parts = next((parts for parts in _candidates(model) if _agrees(parts, share=False)), whole)
    if _agrees(parts, share=True):
        return CausalParts(parts.body, model, parts.output, shares=True)
    return parts


def _candidates(model: Any) -> list[CausalParts]:
    from counterpoise.models.scoring.fused_norm import with_fused_norms  # these two import torch
    from counterpoise.models.scoring.packed_linear import packed_head, with_packed_linears

    head, plain = model.get_output_embeddings(), model.base_model
    if head is None or plain is model:
        return []
    fast = with_packed_linears(with_fused_norms(plain), exact=True), packed_head(head)
    return [
        CausalParts(body, model, OutputLayer(head, transform, product), shares=False)
        for body, product in dict.fromkeys([fast, (plain, None)])
        for transform in transforms(model.config)
    ]


def _agrees(parts: CausalParts, *, share: bool) -> bool:
    """Whether the parts give what the whole model gives; not if the model raises anything but a lack of memory."""
    try:
        return _gives_the_same(parts, share=share)
    except Exception as error:
        if is_out_of_memory(error):
            raise
        return False


def _gives_the_same(parts: CausalParts, *, share: bool) -> bool:
    """Compares the parts with the whole model on three texts, each read alone; two begin alike, one is shorter."""
    import torch

    vocabulary = int(parts.model.get_input_embeddings().weight.shape[0])
    ids = [[2, 3, 4, 5, 6, 7], [2, 3, 4, 8, 9, 10, 11], [12, 13, 14]]
    texts = [np.array(text, dtype=np.int64) % vocabulary for text in ids]
    half = parts.model.dtype not in (torch.float32, torch.float64)
    with no_gradients():
        plan = plan_reading(texts, share=share)
        states = parts.states(plan.rows)
        longest = max(len(row.ids) for row in plan.rows)
        for number, row in enumerate(plan.rows):
            for i in row.texts:
                logits = parts.output.logits(states[plan.nodes[i] + number * longest])
                text = torch.from_numpy(texts[i])[None].to(states.device)
                alone = parts.model(input_ids=text).logits[0].float().to(logits.device)
                # In half precision the two ways of computing differ by rounding.
                tolerance = max(1.0, float(alone.abs().max())) * (0.03 if half else 1e-4)
                if logits.shape != alone.shape or not float((logits - alone).abs().max()) <= tolerance:
                    return False
    return True
