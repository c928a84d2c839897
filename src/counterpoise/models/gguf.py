"""GGUF files: what is wrong with one, and a progress bar of our own while transformers reads it."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from counterpoise.core.errors import CounterpoiseError, ModelError
from counterpoise.core.progress import progress
from counterpoise.models.extras import need

_MAGIC = b"GGUF"


def is_gguf(path: Path) -> bool:
    return path.suffix == ".gguf" and path.is_file()


def check_gguf(path: Path) -> None:
    """Raises an error if a file is no GGUF file, or if it cannot be read here."""
    need("gguf", f"{path}, a GGUF file,")
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ModelError(f"{path} is no GGUF file: it does not begin with {_MAGIC.decode()}")


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Says of a file that cannot be read whether it is whole. Its parts are read only then: that takes seconds."""
    try:
        yield
    except CounterpoiseError:
        raise
    except Exception:  # whatever half a file can raise
        from gguf import GGUFReader

        try:
            is_whole = bool(GGUFReader(path).tensors)  # maps the file; all its weights must lie within
        except Exception:
            is_whole = False
        if is_whole:
            raise
        raise ModelError(
            f"{path} is not a whole GGUF file: it was cut short or is damaged ({path.stat().st_size:,} bytes); "
            "get it again"
        ) from None


@contextlib.contextmanager
def own_progress(path: Path) -> Iterator[Counter[str]]:
    """Shows our progress bar instead of the one that transformers shows while it reads a GGUF file.

    Yields how many weights are saved in which type (Q4_1, F32), which is known when the file is read.
    """
    from transformers import modeling_gguf_pytorch_utils as reading

    types: Counter[str] = Counter()

    def shown(tensors: Iterable[Any], **_: Any) -> Iterator[Any]:
        listed = list(tensors)
        with progress(f"reading {path.name}", len(listed), unit="tensors") as advance:
            for tensor in listed:
                types[tensor.tensor_type.name] += int(tensor.n_elements)
                yield tensor
                advance(1)

    theirs = reading.tqdm
    reading.tqdm = shown
    try:
        yield types
    finally:
        reading.tqdm = theirs
