"""The model, where it starts from, and its training inside a box of time."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor
from transformers import BertConfig, BertForMaskedLM

from counterpoise.core.errors import ModelError
from pretraining.corpus import LENGTHS, Vocabulary
from pretraining.masking import Masker, masked_loss

LOG = logging.getLogger("pretrain")


@dataclass(frozen=True)
class Settings:
    seconds: float = 960.0
    steps: int | None = None  # ends the training earlier, and makes it repeatable on one machine
    tokens_per_step: int = 262_144
    learning_rate: float = 6e-4
    seed: int = 0
    compile: bool = True


class Trained(NamedTuple):
    steps: int
    tokens: int


def learning_rate_factor(done: float, warmup: float = 0.03) -> float:
    """Up in a straight line over the warm-up, then down to nothing at the end of the time.

    >>> [round(learning_rate_factor(done), 2) for done in (0.0, 0.015, 0.03, 0.515, 1.0)]
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    return min(1.0, done / warmup) * (1.0 - max(0.0, (done - warmup) / (1.0 - warmup)))


def new_model(vocabulary: Vocabulary, layers: int = 6, width: int = 384, heads: int = 12) -> BertForMaskedLM:
    """A BERT with random weights, without dropout (so were the shipped weights trained)."""
    return BertForMaskedLM(
        BertConfig(
            vocab_size=len(vocabulary.maskable),
            hidden_size=width,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            intermediate_size=4 * width,
            pad_token_id=vocabulary.pad,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
    )


def start_from(model: BertForMaskedLM, path: Path) -> None:
    """Takes over the weights of a sentence encoder of the same shape, less its pooler."""
    try:
        weights = {name: tensor.float() for name, tensor in load_file(path).items()}
    except (OSError, SafetensorError) as error:
        raise ModelError(f"cannot read --init {path}: {error}") from error
    encoder = {
        name: tensor
        for name, tensor in weights.items()
        if not name.startswith("pooler.") and not name.endswith("position_ids")
    }
    try:
        model.bert.load_state_dict(encoder)
    except RuntimeError as error:
        reason = " ".join(str(error).split())
        raise ModelError(f"--init {path} is no BERT encoder of this shape: {reason[:300]}") from error


def train(
    model: BertForMaskedLM,
    pools: dict[int, list[Tensor]],
    weights: Sequence[float],
    masker: Masker,
    settings: Settings,
) -> Trained:
    """Trains until the time is up; `pools` has, by length, each corpus's rows in the order of `weights`."""
    device = model.device
    loss_of = torch.compile(masked_loss, dynamic=False) if _compiles(settings, device) else masked_loss
    optimizer = _optimizer(model, settings.learning_rate)
    rng = np.random.default_rng(settings.seed)
    shares = np.asarray(weights) / np.sum(weights)
    lengths, odds = list(LENGTHS), list(LENGTHS.values())
    step = tokens = 0
    start = logged = time.monotonic()
    model.train()
    while (done := _fraction_done(time.monotonic() - start, step, settings)) < 1.0:
        length = int(rng.choice(lengths, p=odds))
        counts = rng.multinomial(max(1, settings.tokens_per_step // length), shares)
        batch = masker(_draw(pools[length], counts, masker.generator))
        for group in optimizer.param_groups:
            group["lr"] = settings.learning_rate * learning_rate_factor(done)
        with autocast(device):
            loss, _ = loss_of(model, batch)
        optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        tokens += batch.input_ids.numel()
        if step % 200 == 0 or time.monotonic() - logged > 60:
            logged = time.monotonic()
            _log_step(step, length, loss.item(), tokens / (logged - start))
    return Trained(step, tokens)


def _fraction_done(elapsed: float, step: int, settings: Settings) -> float:
    return max(elapsed / settings.seconds, step / settings.steps if settings.steps else 0.0)


def _draw(pools: Sequence[Tensor], counts: NDArray[np.int64], generator: torch.Generator) -> Tensor:
    def rows(pool: Tensor, count: int) -> Tensor:
        return pool[torch.randint(len(pool), (count,), device=pool.device, generator=generator)]

    return torch.cat([rows(pool, int(count)) for pool, count in zip(pools, counts, strict=True)])


def _optimizer(model: BertForMaskedLM, learning_rate: float) -> torch.optim.AdamW:
    parameters = list(model.parameters())
    groups = [
        {"params": [p for p in parameters if p.ndim >= 2], "weight_decay": 0.01},
        {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0},  # biases and layer norms
    ]
    fused = model.device.type == "cuda"
    return torch.optim.AdamW(groups, lr=learning_rate, betas=(0.9, 0.98), eps=1e-6, fused=fused)


def autocast(device: torch.device) -> torch.autocast:
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")


def _compiles(settings: Settings, device: torch.device) -> bool:
    return settings.compile and device.type == "cuda"


def _log_step(step: int, length: int, loss: float, rate: float) -> None:
    if not np.isfinite(loss):
        raise ModelError(f"the loss is {loss} at step {step}; try a lower --learning-rate")
    LOG.info("step %d, rows of %d: loss %.3f, %.3g tokens/s", step, length, loss, rate)
