"""Refuses models that claim to be far larger than their files, before anything is made of the claim.

A model is built as its config.json says, so a file of a few lines that claims a million layers would keep the server
busy for hours. Real models have at most a few hundred layers, and embeddings that their weight files hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from counterpoise.core.errors import ModelError
from counterpoise.core.files import read_json
from counterpoise.web import limits

_MOST = {
    "layers": (re.compile(r"(num|n)_.*layers?|n_layers?|.*_layers?"), limits.LAYERS),
    "labels": (re.compile("num_labels"), limits.LABELS),  # transformers makes a name for each
}
_WIDTH = re.compile(r"hidden_size|n_embd|d_model|dim|embedding_size")
_WEIGHTS = (".safetensors", ".bin", ".gguf", ".onnx", ".pt", ".h5", ".msgpack")
_SMALLEST_NUMBER = 0.25  # bytes of a weight, however it is packed


def check_claimed_size(name: str) -> None:
    """Refuses a folder whose configuration claims more layers, labels or embeddings than it can have."""
    folder = Path(name).expanduser()
    config = folder / "config.json"
    if not folder.is_dir() or not config.is_file():
        return
    if config.stat().st_size > limits.FILE:
        raise ModelError(f"the config.json of {name} has more than {limits.FILE >> 20} MB")
    claims = dict(_whole_numbers(read_json(config)))
    for field, value in claims.items():
        for what, (pattern, most) in _MOST.items():
            if pattern.fullmatch(field) and value > most:
                raise ModelError(
                    f"the config.json of {name} claims {value:,} {what} ({field}), and {most:,} are the most"
                )
    sizes = [file.stat().st_size for file in folder.iterdir() if file.suffix in _WEIGHTS and file.is_file()]
    width = max((value for field, value in claims.items() if _WIDTH.fullmatch(field)), default=0)
    claimed = claims.get("vocab_size", 0) * width * _SMALLEST_NUMBER
    if claimed > sum(sizes):
        raise ModelError(
            f"the config.json of {name} claims {claims['vocab_size']:,} embeddings of {width:,} numbers, more than its "
            "weight files hold"
        )


def _whole_numbers(config: Any) -> Iterator[tuple[str, int]]:
    """The whole numbers of a configuration and of those in it."""
    if isinstance(config, dict):
        for field, value in config.items():
            if isinstance(value, dict):
                yield from _whole_numbers(value)
            elif isinstance(value, int):
                yield str(field), value
