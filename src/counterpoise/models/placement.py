"""Where the weights of a model go, and in which precision: dtype, device, device map and quantisation."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from counterpoise.core.errors import InputError, ModelError, unknown
from counterpoise.models.devices import resolve_device
from counterpoise.models.extras import need
from counterpoise.models.pretrained import Kind
from counterpoise.models.quantization import (
    Quantize,
    bitsandbytes_config,
    check_compute_dtype,
    check_quantised,
    quantization_of,
)

Dtype = Literal["float32", "tf32", "bf16", "bfloat16", "float16", "float64"]
DeviceMap = Literal["auto"] | Mapping[str, int | str]


@dataclass(frozen=True)
class Placement:
    """What was asked, checked as far as that goes without the model."""

    dtype: Dtype | None = None
    device: str = "auto"
    device_map: DeviceMap | None = None
    quantize: Quantize | None = None

    def __post_init__(self) -> None:
        for value, options, what in (
            (self.dtype, get_args(Dtype), "dtype"),
            (self.quantize, get_args(Quantize), "quantisation"),
        ):
            if value is not None and value not in options:
                raise unknown(what, value, options)
        if self.device_map is None:
            return
        if isinstance(self.device_map, str) and self.device_map != "auto":
            raise unknown("device map", self.device_map, ["auto"])
        if self.device != "auto":
            raise InputError(
                f"device_map (--device-map) chooses the devices itself; leave out device (--device) {self.device}"
            )

    @cached_property
    def offload(self) -> tempfile.TemporaryDirectory[str]:
        """A folder for weights that are offloaded to disk; it is removed with the model."""
        return tempfile.TemporaryDirectory(prefix="counterpoise-offload-", ignore_cleanup_errors=True)

    def weight_options(self, config: Any, kind: Kind, name: str, is_gguf: bool) -> dict[str, Any]:
        """What `from_pretrained` must be told; an error if this model cannot be loaded so."""
        self._check_kind(kind, name, is_gguf)
        quantised = quantization_of(config)
        if quantised and self.quantize:
            raise InputError(
                f"{name} is quantised already ({quantised['method']}): leave out quantize (--quantize)"
            )
        if quantised or self.quantize:
            check_compute_dtype(self.dtype, "a quantised model")
        device = self._device()
        dtype = self._torch_dtype(kind, is_gguf)
        options: dict[str, Any] = {_dtype_keyword(): dtype}
        if self.device_map is not None:
            need("accelerate", "device_map (--device-map)")
            given = self.device_map if isinstance(self.device_map, str) else dict(self.device_map)
            options |= {"device_map": given, "offload_folder": self.offload.name}
        elif quantised or self.quantize:  # such a model is put in place layer by layer
            need("accelerate", f"{name}, a quantised model,")
            options["device_map"] = {"": str(device)}
        if self.quantize:
            compute = None if dtype == "auto" else dtype
            options["quantization_config"] = bitsandbytes_config(self.quantize, config, compute, device)
        return options

    def put(self, model: Any, options: Mapping[str, Any], name: str) -> Any:
        """The model on its device; an error if it did not take the precision that was asked for."""
        if "device_map" not in options:
            return model.to(device=self._device())
        if quantised := quantization_of(model.config):
            check_quantised(model, quantised["method"], options[_dtype_keyword()], name)
        if "offload_folder" in options:
            model.offload_folder = self.offload
        return model

    def details(self, model: Any) -> dict[str, Any]:
        """What a manifest says of it: the precision that was asked for, the device map, the quantisation."""
        device_map = self.device_map if isinstance(self.device_map, str | None) else dict(self.device_map)
        found = {
            "dtype": self.dtype,
            "device_map": device_map,
            "quantization": quantization_of(model.config) or None,
        }
        return {name: value for name, value in found.items() if value is not None}

    def _check_kind(self, kind: Kind, name: str, is_gguf: bool) -> None:
        for option, flag in (("quantize", "--quantize"), ("device_map", "--device-map")):
            if getattr(self, option) is not None and kind != "causal":
                raise InputError(
                    f"{option} ({flag}) is for causal language models, and {name} is loaded as {kind}"
                )
        if self.quantize and is_gguf:
            raise InputError(
                f"quantize (--quantize) is for folders and hub names: {name} is a GGUF file, whose weights are "
                "dequantised when it is read"
            )

    def _device(self) -> Any:
        """The device of a model that is on one device."""
        device = resolve_device(self.device)
        if self.dtype == "tf32" and device.type != "cuda":
            raise InputError(f"tf32 is a precision of NVIDIA GPUs, and the device is {device}")
        return device

    def _torch_dtype(self, kind: Kind, is_gguf: bool) -> Any:
        import torch

        if self.dtype is None:
            return "auto" if kind == "causal" and not is_gguf else torch.float32
        return getattr(torch, {"tf32": "float32", "bf16": "bfloat16"}.get(self.dtype, self.dtype))


def check_offloaded(model: Any, name: str) -> None:
    """Raises an error if output embeddings that are tied to the input embeddings were offloaded without them."""
    output = model.get_output_embeddings() if getattr(model, "hf_device_map", None) else None
    if output is None or not any(weights.is_meta for weights in output.parameters()):
        return
    from accelerate.utils import align_module_device

    try:
        with align_module_device(output):
            pass
    except KeyError as error:
        raise ModelError(
            f"the input and output embeddings of {name} are the same weights, and its device map offloads them in a "
            "way that loses them; keep both on one GPU or the CPU"
        ) from error


def _dtype_keyword() -> str:
    import transformers

    major, minor, *_ = transformers.__version__.split(".")
    return "dtype" if (int(major), int(minor)) >= (4, 56) else "torch_dtype"
