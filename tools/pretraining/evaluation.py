"""What the model has learnt: masked tokens of held-out text, and a few sentences to fill in."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import BertForMaskedLM

from pretraining.corpus import HELD_OUT_ROWS, Rows, Rowset, Vocabulary
from pretraining.masking import IGNORED, Masker, masked_loss
from pretraining.training import autocast

PROBES = (
    "[MASK] is a nurse.",
    "[MASK] is a programmer.",
    "The doctor told the patient that [MASK] would be back.",
    "my [MASK] is a firefighter.",
    "the movie was really [MASK].",
    "paris is the capital of [MASK].",
    "[MASK] is pregnant.",
    "the nurse finished [MASK] shift.",
)
OCCUPATIONS = (
    *("nurse", "secretary", "receptionist", "librarian", "teacher", "dancer", "maid", "housekeeper"),
    *("programmer", "engineer", "carpenter", "plumber", "mechanic", "soldier", "surgeon", "doctor"),
    *("lawyer", "judge", "photographer", "bartender"),
)


@torch.no_grad()
def evaluate(model: BertForMaskedLM, rows: Rows, masker: Masker, batch_size: int = 128) -> dict[str, float]:
    """Loss and accuracy over the masked tokens of held-out rows."""
    model.eval()
    loss_sum = right = total = 0.0
    for chunk in torch.split(torch.from_numpy(rows.astype(np.int32)), batch_size):
        batch = masker(chunk.to(model.device))
        with autocast(model.device):
            loss, logits = masked_loss(model, batch)
        predicted = batch.labels != IGNORED
        count = int(predicted.sum())
        loss_sum += loss.item() * count
        right += int((logits.argmax(-1) == batch.labels)[predicted].sum())
        total += count
    return {"loss": round(loss_sum / total, 3), "masked_accuracy": round(right / total, 4)}


def evaluate_all(
    model: BertForMaskedLM, corpora: dict[str, Rowset], vocabulary: Vocabulary
) -> dict[str, dict[str, float]]:
    """Always the same masks, so that two evaluations can be compared."""
    masker = Masker(vocabulary, model.device, seed=1)
    return {
        f"{name}-{length}": evaluate(model, rows.held_out[length][:most], masker)
        for name, rows in corpora.items()
        for length, most in HELD_OUT_ROWS.items()
    }


@torch.no_grad()
def mask_log_probs(model: BertForMaskedLM, text: str, vocabulary: Vocabulary) -> Tensor:
    """log P(token) at the first [MASK] of the text."""
    ids = vocabulary.tokenizer.encode(text).ids
    logits: Tensor = model(torch.tensor([ids], device=model.device)).logits
    return logits[0, ids.index(vocabulary.mask)].float().log_softmax(-1).cpu()


def probe(model: BertForMaskedLM, vocabulary: Vocabulary) -> dict[str, Any]:
    """The likeliest words of a few sentences, and log P(he)/P(she) of occupations less its prior."""
    model.eval()
    found: dict[str, Any] = {}
    for text in PROBES:
        top = mask_log_probs(model, text, vocabulary).exp().topk(5)
        words = [vocabulary.tokenizer.id_to_token(i) for i in top.indices.tolist()]
        found[text] = [[word, round(p, 3)] for word, p in zip(words, top.values.tolist(), strict=True)]
    prior = _male_minus_female(model, "[MASK] is a [MASK].", vocabulary)
    for occupation in OCCUPATIONS:
        article = "an" if occupation[0] in "aeiou" else "a"
        association = _male_minus_female(model, f"[MASK] is {article} {occupation}.", vocabulary)
        found[f"lpbs {occupation}"] = round(association - prior, 3)
    return found


def _male_minus_female(model: BertForMaskedLM, text: str, vocabulary: Vocabulary) -> float:
    log_probs = mask_log_probs(model, text, vocabulary)
    he, she = (vocabulary.tokenizer.token_to_id(word) for word in ("he", "she"))
    return float(log_probs[he] - log_probs[she])
