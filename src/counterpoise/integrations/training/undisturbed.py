"""A model can be asked amid its training without a trace: the training goes on as if nobody had asked."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from counterpoise.core.progress import without_progress
from counterpoise.models.devices import input_device
from counterpoise.models.gradients import amid_training

_WRAPPERS = ("DataParallel", "DistributedDataParallel")


def unwrapped(model: Any) -> Any:
    """The model inside what torch puts around it to compile it or to train copies of it."""
    while True:
        if hasattr(model, "_orig_mod"):
            model = model._orig_mod
        elif type(model).__name__ in _WRAPPERS:
            model = model.module
        else:
            return model


def is_sharded(model: Any) -> bool:
    """Whether each process has a part of the weights only (FSDP, DeepSpeed ZeRO-3), so that one alone cannot ask."""
    return any(type(module).__name__ == "FullyShardedDataParallel" for module in model.modules()) or any(
        hasattr(weights, "ds_id") or type(weights.data).__name__ == "DTensor"
        for weights in model.parameters()
    )


@contextmanager
def undisturbed(model: Any, tokenizer: Any) -> Iterator[None]:
    """For the block the model is in evaluation mode; after it, model, tokenizer and random numbers are as before."""
    modes = [(module, module.training) for module in model.modules()]
    device = input_device(model).type
    with (
        _random_numbers(device),
        _own_precision(model, device),
        _tokenizer_state(tokenizer),
        amid_training(),
        without_progress(),
    ):
        try:
            model.eval()
            yield
        finally:
            for module, mode in modes:
                module.training = mode


def wait_for(model: Any) -> None:
    """Waits until a GPU has done what was asked of it, so that it counts as the time of whoever asked."""
    if input_device(model).type == "cuda":
        torch.cuda.synchronize()


@contextmanager
def _random_numbers(device: str) -> Iterator[None]:
    """Draws in the block leave torch's, numpy's and Python's random numbers alone."""
    ours, numpys = random.getstate(), np.random.get_state()  # noqa: NPY002
    devices = list(range(torch.cuda.device_count())) if device == "cuda" else [0] if device == "mps" else []
    try:
        with torch.random.fork_rng(devices, device_type=device if devices else "cuda"):
            yield
    finally:
        random.setstate(ours)
        np.random.set_state(numpys)  # noqa: NPY002


@contextmanager
def _own_precision(model: Any, device: str) -> Iterator[None]:
    """The model as its checkpoint would be loaded, where the training computes in a lower precision than it keeps.

    For mixed precision, accelerate puts a `forward` of its own on the model, which casts.
    """
    casting = model.__dict__.get("forward") if hasattr(model, "_original_forward") else None
    if casting is not None:
        del model.forward
    try:
        with torch.autocast(device, enabled=False):
            yield
    finally:
        if casting is not None:
            model.forward = casting


@contextmanager
def _tokenizer_state(tokenizer: Any) -> Iterator[None]:
    """Padding and truncation, which a tokenizer keeps from one call to the next."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        yield
        return
    padding, truncation = backend.padding, backend.truncation
    try:
        yield
    finally:
        backend.no_padding() if padding is None else backend.enable_padding(**padding)
        backend.no_truncation() if truncation is None else backend.enable_truncation(**truncation)
