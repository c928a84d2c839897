"""What a model is trained on: the CPU, the first NVIDIA GPU, or the GPU of a Mac; and in which precision."""

from __future__ import annotations

from typing import Any

from counterpoise.core.errors import InputError, did_you_mean
from counterpoise.models.devices import resolve_device
from counterpoise.tuning.settings import Precision

_DEVICES = ("cpu", "cuda", "mps")


def training_device(name: str = "auto", precision: Precision = "auto") -> Any:
    """The torch device to train on; an error if it cannot be used, or not with this precision.

    >>> training_device("cpu")
    device(type='cpu')
    >>> training_device("cpu", "fp16")
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: fp16 needs an NVIDIA GPU, and the device is cpu; take float32 or bf16
    """
    if name.partition(":")[0] not in ("auto", *_DEVICES):
        raise InputError(
            f"models are trained on {', '.join(_DEVICES)} or auto, not on {name!r}{did_you_mean(name, _DEVICES)}"
        )
    device = resolve_device(name)
    if device.type == "cuda" and device.index:
        raise InputError(
            f"training takes the first GPU, not {name}; CUDA_VISIBLE_DEVICES={device.index} makes that one the first"
        )
    _check_precision(precision, device)
    return device


def mixed_precision(precision: Precision, device: Any) -> Precision:
    """The precision that "auto" stands for on a device; any other as it is."""
    import torch

    if precision != "auto":
        return precision
    if device.type != "cuda":
        return "float32"
    return "bf16" if torch.cuda.is_bf16_supported() else "fp16"


def _check_precision(precision: Precision, device: Any) -> None:
    import torch

    if precision == "fp16" and device.type != "cuda":
        others = "float32 or bf16" if device.type == "cpu" else "float32"
        raise InputError(f"fp16 needs an NVIDIA GPU, and the device is {device}; take {others}")
    if precision == "bf16" and device.type == "mps":
        raise InputError("bf16 needs an NVIDIA GPU or a CPU, and the device is mps; take float32")
    if precision == "bf16" and device.type == "cuda" and not torch.cuda.is_bf16_supported():
        raise InputError("this GPU has no bf16; take fp16 or float32")
