"""The folder in which training works: nothing is overwritten, and incomplete checkpoints are not used."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from counterpoise.core.errors import RunError
from counterpoise.core.files import read_json, write_json

_FULL = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
)  # disk full, quota exceeded, file too large
_OPTIONS, _STATE = "options.json", "trainer_state.json"


def refuse_existing(out: Path) -> None:
    """Raises an error if a folder exists and is not empty."""
    if out.is_dir() and not any(out.iterdir()):
        out.rmdir()
    if out.exists():
        raise RunError(f"{out} is there already; give the trained model another name")


def check_folders(out: Path, work: Path, options: Mapping[str, Any]) -> None:
    """Makes sure that nothing is overwritten: no other model, and no interrupted training with other options."""
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
    """The newest complete checkpoint; its state is written last, so a checkpoint without it is removed."""
    newest_first = sorted(
        work.glob("checkpoint-*"), key=lambda path: int(path.name.rpartition("-")[2]), reverse=True
    )
    for folder in newest_first:
        try:
            read_json(folder / _STATE)
            return str(folder)
        except RunError:
            shutil.rmtree(folder)
    return None


@contextmanager
def one_line_when_full(work: Path) -> Iterator[None]:
    """Turns what the various writers raise when a disk is full into one line; complete checkpoints stay."""
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
