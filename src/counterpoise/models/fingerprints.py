"""The fingerprint of a transformers model: a hash of everything that decides its numbers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

_UNSTABLE = ("_name_or_path", "transformers_version", "dtype", "torch_dtype")
# Fields of an adapter's configuration that leave its numbers alone: where it comes from, and how it was trained.
_NO_MATTER = (
    "auto_mapping",
    "base_model_name_or_path",
    "inference_mode",
    "lora_dropout",
    "peft_version",
    "revision",
    "task_type",
)


def fingerprint_of(model: Any, tokenizer: Any) -> str:
    """A hash of weights, configuration, adapters and tokenizer, wherever the model was loaded from or to."""
    digest = hashlib.blake2b(digest_size=16)
    for name, weights in _weights(model):
        digest.update(name.encode())
        digest.update(_bytes_of(weights))
    config = model.config.to_dict()
    for unstable in _UNSTABLE:
        config.pop(unstable, None)
    digest.update(repr(sorted(config.items())).encode())
    for name, adapter in getattr(model, "peft_config", {}).items():
        digest.update(f"{name} {_adapter_text(adapter)}".encode())
    words = json.loads(tokenizer.backend_tokenizer.to_str())
    for state in ("truncation", "padding"):  # left there by the last call
        words.pop(state, None)
    digest.update(json.dumps(words, sort_keys=True).encode())
    return digest.hexdigest()


def _weights(model: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """The weights by name, in order, one at a time in memory; of a quantised model also what its buffers hold."""
    is_quantised = getattr(model.config, "quantization_config", None) is not None
    weights = dict(model.state_dict() if is_quantised else model.named_parameters())
    is_offloaded = any(tensor.is_meta for tensor in weights.values())
    if is_offloaded:
        for name in _tied(model):  # weights that are shared are listed twice once they are offloaded
            weights.pop(name, None)
    for name, tensor in sorted(weights.items(), key=lambda item: item[0]):
        if not tensor.is_meta:
            yield name, tensor
            continue
        from accelerate.utils import align_module_device

        path, _, own = name.rpartition(".")
        module = model.get_submodule(path)
        with align_module_device(module):
            yield name, getattr(module, own)


def _tied(model: Any) -> list[str]:
    """The names under which weights are listed a second time."""
    tied = getattr(model, "all_tied_weights_keys", None)  # of transformers 5
    if tied is not None:
        return list(tied)
    return list(model._tied_weights_keys or ()) if model.config.tie_word_embeddings else []


def _adapter_text(adapter: Any) -> str:
    """The fields of an adapter's configuration that decide its numbers, such as rank and alpha."""
    fields = {name: value for name, value in adapter.to_dict().items() if name not in _NO_MATTER}
    return json.dumps(fields, sort_keys=True, default=lambda value: sorted(map(str, value)))


def _bytes_of(weights: torch.Tensor) -> bytes:
    import torch

    flat = weights.detach().cpu().contiguous().view(-1)
    return flat.view(torch.uint8).numpy().tobytes()
