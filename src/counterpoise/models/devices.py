"""Which device a model is on."""

from __future__ import annotations

from typing import Any

from counterpoise.core.errors import InputError, did_you_mean
from counterpoise.models.sources import first_line

_NAMES = ("auto", "cpu", "cuda", "cuda:1", "mps")
_MISSING = {
    "cuda": "torch finds no NVIDIA GPU, or was installed without CUDA",
    "mps": "torch finds no Mac with a GPU of its own",
}


def resolve_device(name: str) -> Any:
    """The torch device of a name; "auto" is a GPU if there is one, else the CPU. An error if it cannot be used.

    >>> resolve_device("cpu")
    device(type='cpu')
    """
    import torch

    if name == "auto":
        name = next((kind for kind in _MISSING if _is_available(kind)), "cpu")
    try:
        device = torch.device(name)
    except (RuntimeError, TypeError):
        raise InputError(
            f"the device {name!r} cannot be used here: there are {', '.join(_NAMES)}{did_you_mean(name, _NAMES)}"
        ) from None
    if device.type in _MISSING and not _is_available(device.type):
        raise InputError(f"the device {name!r} cannot be used here: {_MISSING[device.type]}")
    try:
        torch.empty(0, device=device).cpu()  # a device that holds no numbers fails here
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = first_line(error).partition(". ")[0]  # what follows are lists of everything that torch has
        raise InputError(f"the device {name!r} cannot be used here: {reason}") from error
    return device


def _is_available(kind: str) -> bool:
    import torch

    return torch.cuda.is_available() if kind == "cuda" else torch.backends.mps.is_available()


def input_device(model: Any) -> Any:
    """The device that a transformers model takes its inputs on, wherever its weights are."""
    import torch

    if getattr(model, "hf_device_map", None) is None:
        return next(model.parameters()).device
    embeddings = model.get_input_embeddings()
    weights = next(embeddings.parameters())
    if not weights.is_meta:
        return weights.device
    device = embeddings._hf_hook.execution_device  # accelerate brings the weights there when they are needed
    return torch.device("cuda", device) if isinstance(device, int) else torch.device(device)
