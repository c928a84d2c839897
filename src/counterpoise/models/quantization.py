"""Quantised models: those that are saved as such, and those that bitsandbytes quantises while they are loaded.

A quantised model computes in a floating-point precision, its compute dtype. `dtype` (--precision) sets that and leaves
the number of bits alone; a method whose kernels know one precision only refuses another.
"""

from __future__ import annotations

import logging
from typing import Any, Literal

from counterpoise.core.errors import InputError, ModelError
from counterpoise.models.extras import need

Quantize = Literal["4bit", "8bit"]
COMPUTE_DTYPES = ("float32", "bf16", "bfloat16", "float16")


def quantization_of(config: Any) -> dict[str, Any]:
    """The method and the bits of a quantised model, from its configuration; empty for any other.

    >>> from types import SimpleNamespace
    >>> quantization_of(SimpleNamespace(quantization_config={"quant_method": "gptq", "bits": 4, "group_size": 128}))
    {'method': 'gptq', 'bits': 4}
    """
    settings = getattr(config, "quantization_config", None)
    if settings is None:
        return {}
    settings = settings if isinstance(settings, dict) else settings.to_dict()
    method = settings.get("quant_method")
    found = {"method": str(getattr(method, "value", method) or "unknown"), "bits": _bits(settings)}
    if found["bits"] == 4 and settings.get("bnb_4bit_quant_type"):
        found["type"] = settings["bnb_4bit_quant_type"]
    return {name: value for name, value in found.items() if value is not None}


def _bits(settings: dict[str, Any]) -> int | None:
    if settings.get("load_in_4bit"):
        return 4
    if settings.get("load_in_8bit"):
        return 8
    bits = settings.get("bits", settings.get("w_bit", settings.get("nbits")))
    if bits is None:  # compressed-tensors says it for each group of layers
        groups = settings.get("config_groups") or {}
        found = {(group.get("weights") or {}).get("num_bits") for group in groups.values()}
        bits = found.pop() if len(found) == 1 else None
    return bits if isinstance(bits, int) else None


def check_compute_dtype(dtype: str | None, what: str) -> None:
    """Raises an error if a quantised model cannot compute in a precision."""
    if dtype is not None and dtype not in COMPUTE_DTYPES:
        raise InputError(
            f"dtype (--precision) {dtype} is not for {what}: it computes in {', '.join(COMPUTE_DTYPES[:2])} or float16"
        )


def check_quantised(model: Any, method: str, dtype: Any, name: str) -> None:
    """Raises an error if a model was loaded without its quantisation, or in another precision than was asked for."""
    if getattr(model, "hf_quantizer", None) is None:
        raise ModelError(f"{name} is quantised by a method that transformers does not know ({method})")
    loaded = next(model.parameters()).dtype
    if dtype not in ("auto", loaded):
        asked, computes = (str(value).removeprefix("torch.") for value in (dtype, loaded))
        raise ModelError(
            f"{name} is quantised ({method}) and computes in {computes}, not in {asked}; leave out dtype (--precision)"
        )


def bitsandbytes_config(quantize: Quantize, config: Any, dtype: Any, device: Any) -> Any:
    """What tells transformers to quantise a model while it is loaded: LLM.int8() or 4-bit NormalFloat."""
    if device.type != "cuda":
        raise InputError(f"quantize (--quantize) {quantize} needs an NVIDIA GPU, and the device is {device}")
    for package in ("bitsandbytes", "accelerate"):
        need(package, f"quantize (--quantize) {quantize}")
    from transformers import BitsAndBytesConfig

    logging.getLogger("bitsandbytes").setLevel(
        logging.ERROR
    )  # it warns at every layer that 8-bit means float16
    if quantize == "8bit":
        return BitsAndBytesConfig(load_in_8bit=True)
    return BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_compute_dtype=dtype or saved_dtype(config),
    )


def saved_dtype(config: Any) -> Any:
    """The precision that a configuration says its weights are saved in; float32 if it does not say."""
    import torch

    dtype = getattr(config, "dtype", None) or getattr(config, "torch_dtype", None) or torch.float32
    return getattr(torch, dtype) if isinstance(dtype, str) else dtype


def missing_package(error: ImportError, config: Any, name: str) -> ModelError:
    """The error for a quantised model whose method needs a package that is not installed."""
    method = quantization_of(config)["method"]
    if method == "bitsandbytes":
        need("bitsandbytes", f"{name}, quantised by bitsandbytes,")
    reason = " ".join(str(error).split()).partition(". ")[0]
    return ModelError(f"{name} is quantised ({method}), and what reads it is not installed: {reason}")
