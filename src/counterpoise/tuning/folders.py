"""The folder in which a training works: nothing is overwritten, a checkpoint that was cut off is not used."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from counterpoise.core.errors import RunError
from counterpoise.core.files import read_json, write_json

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # the disk, the user's share of it, the largest file
_OPTIONS, _STATE = "options.json", "trainer_state.json"


def refuse_existing(out: Path) -> None:
    """An error if a folder is there already and not empty."""
    if out.is_dir() and not any(out.iterdir()):
        out.rmdir()
    if out.exists():
        raise RunError(f"{out} is there already; give the trained model another name")


def check_folders(out: Path, work: Path, options: Mapping[str, Any]) -> None:
    """Nothing is overwritten: no other model, and no training with other options that was stopped."""
    refuse_existing(out)
    if not any(work.glob("checkpoint-*")):
        return
    before = read_json(work / _OPTIONS)
    for key in {**before, **options}:
        if before.get(key) != options.get(key):
            raise RunError(
                f"{work} has a training that was stopped, with {key} {before.get(key)!r} instead of "
                f"{options.get(key)!r}; remove it or give the model another name"
            )


def make_folder(work: Path, options: Mapping[str, Any]) -> None:
    try:
        work.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"cannot write {work}: {error.strerror or error}") from error
    write_json(work / _OPTIONS, options)


def last_checkpoint(work: Path) -> str | None:
    """The newest whole checkpoint; its state is written last, so one without it was cut off and is removed."""
    found = sorted(
        work.glob("checkpoint-*"), key=lambda path: int(path.name.rpartition("-")[2]), reverse=True
    )
    for folder in found:
        try:
            read_json(folder / _STATE)
            return str(folder)
        except RunError:
            shutil.rmtree(folder)
    return None


@contextmanager
def one_line_when_full(work: Path) -> Iterator[None]:
    """What the various writers say when a disk is full, in a line; the checkpoints that are whole stay."""
    from safetensors import SafetensorError

    try:
        yield
    except (OSError, SafetensorError, RuntimeError) as error:
        if isinstance(error, OSError) and error.errno not in _FULL:
            raise
        if isinstance(error, RuntimeError) and "PytorchStreamWriter" not in str(error):
            raise
        reason = getattr(error, "strerror", None) or str(error).strip().splitlines()[0]
        raise RunError(
            f"cannot write {work}: {reason}; make room there, and the same command goes on from the last checkpoint"
        ) from error
