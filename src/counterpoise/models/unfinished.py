"""Folders that hold a model only in part: checkpoints of a training run, and adapters without their base model."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from counterpoise.core.files import read_json

_CHECKPOINT = re.compile(r"checkpoint-([0-9]+)")
_MOST_NAMED = 6
_LONGEST_NAME = 80
ADAPTER_CONFIG = "adapter_config.json"


def about_training(folder: Path) -> str:
    """What to say of a folder with nothing but checkpoints, as a Trainer writes it; empty for any other folder."""
    checkpoints = _checkpoints(folder)
    if not checkpoints:
        return ""
    names = [path.name for path in checkpoints]
    if len(names) > _MOST_NAMED:
        names = [*names[:2], "...", *names[2 - _MOST_NAMED :]]
    return (
        f"{folder} is a training folder, not a model; its checkpoints are {', '.join(names)}; "
        f"for the last one: counterpoise audit {shlex.quote(str(checkpoints[-1]))}; for all: "
        f"counterpoise audit {shlex.quote(str(folder))}/checkpoint-* --curve"
    )


def is_adapter(folder: Path) -> bool:
    """Whether a folder holds a PEFT adapter without the weights of its base model."""
    weights = (path for path in folder.glob("*.safetensors") if not path.name.startswith("adapter_"))
    pickles = folder.glob("pytorch_model*.bin")
    return (folder / ADAPTER_CONFIG).is_file() and not any(weights) and not any(pickles)


def about_adapter(folder: Path) -> str:
    """What to say of an adapter that stands where a base model is wanted."""
    config = read_json(folder / ADAPTER_CONFIG)
    base = quoted(config.get("base_model_name_or_path")) if isinstance(config, dict) else ""
    of_base = f" of {base}" if base else ""
    return (
        f"{folder} is a PEFT adapter{of_base}, not a whole model; give the base model, and the adapter with adapter= "
        "(--adapter)"
    )


def quoted(value: object) -> str:
    """A string of a file as an error message may show it, on one line and bounded; empty for anything else."""
    if not isinstance(value, str) or not value.strip():
        return ""
    return repr(value if len(value) <= _LONGEST_NAME else f"{value[:_LONGEST_NAME]}...")


def _checkpoints(folder: Path) -> list[Path]:
    """The checkpoints of a training run, by step."""
    steps = {path: _CHECKPOINT.fullmatch(path.name) for path in folder.iterdir() if path.is_dir()}
    numbered = {path: int(match[1]) for path, match in steps.items() if match}
    return sorted(numbered, key=lambda path: numbered[path])
