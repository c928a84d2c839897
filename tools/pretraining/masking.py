"""Which tokens a masked model must guess, and what the guesses cost (Devlin 2019, section 3.1)."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import BertForMaskedLM

from pretraining.corpus import SENTENCE_LENGTH, Vocabulary

MASKED_SHARE = 0.15
IGNORED = -100  # the label that cross_entropy leaves out


class Masked(NamedTuple):
    input_ids: Tensor
    attention_mask: Tensor | None  # None where no row is padded, which lets attention take its fast path
    positions: Tensor  # the same number of predicted positions in each row, so that shapes never change
    labels: Tensor  # the original tokens there, or IGNORED for places a short row does not need


class Masker:
    """Chooses 15 % of each row's tokens: 80 % become [MASK], 10 % a random token, 10 % stay."""

    def __init__(self, vocabulary: Vocabulary, device: torch.device, seed: int) -> None:
        self.pad, self.mask = vocabulary.pad, vocabulary.mask
        self.maskable = torch.from_numpy(vocabulary.maskable).to(device)
        self.replacements = torch.from_numpy(vocabulary.replacements).to(device)
        self.generator = torch.Generator(device=device).manual_seed(seed)

    def __call__(self, rows: Tensor) -> Masked:
        rows = rows.long()
        most = round(MASKED_SHARE * (rows.shape[1] - 2))
        maskable = self.maskable[rows]
        wanted = (maskable.sum(1, keepdim=True).double() * MASKED_SHARE).round().clamp(1, most)
        lottery = self._uniform(rows.shape).masked_fill(~maskable, -1.0)
        positions = lottery.topk(most, dim=1).indices
        # A row of special tokens alone has nothing to predict, though `wanted` is 1 there.
        predicted = torch.arange(most, device=rows.device) < wanted
        predicted &= maskable.gather(1, positions)
        original = rows.gather(1, positions)

        draw = self._uniform(original.shape)
        drawn = torch.randint(
            len(self.replacements), original.shape, device=rows.device, generator=self.generator
        )
        changed = torch.where(draw < 0.9, self.replacements[drawn], original)
        changed = changed.masked_fill(draw < 0.8, self.mask)
        input_ids = rows.scatter(1, positions, torch.where(predicted, changed, original))
        attention = (rows != self.pad).long() if rows.shape[1] == SENTENCE_LENGTH else None
        return Masked(input_ids, attention, positions, original.masked_fill(~predicted, IGNORED))

    def _uniform(self, shape: torch.Size) -> Tensor:
        return torch.rand(shape, device=self.generator.device, generator=self.generator)


def masked_loss(model: BertForMaskedLM, batch: Masked) -> tuple[Tensor, Tensor]:
    """The mean loss and the logits, with the head at the predicted positions only."""
    hidden = model.bert(input_ids=batch.input_ids, attention_mask=batch.attention_mask).last_hidden_state
    chosen = hidden.gather(1, batch.positions[..., None].expand(-1, -1, hidden.shape[-1]))
    logits = model.cls(chosen).float()
    return cross_entropy(logits.flatten(0, 1), batch.labels.flatten(), ignore_index=IGNORED), logits
