"""The folder in which training works: nothing is overwritten, and damaged checkpoints are not used."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from counterpoise.core.checked_files import is_intact
from counterpoise.core.errors import RunError
from counterpoise.core.files import read_json, write_json
from counterpoise.core.locks import locked
from counterpoise.core.notices import notice

_FULL = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
)  # disk full, quota exceeded, file too large
_OPTIONS, _STATE = "options.json", "trainer_state.json"
_FINISHED = "finished_training.json"


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
    before = _read_record(work / _OPTIONS)
    if before is None:
        raise RunError(
            f"{work} has a training that was stopped, and its {_OPTIONS} is damaged; remove that folder to start again"
        )
    for key in {**before, **options}:
        if before.get(key) != options.get(key):
            raise RunError(
                f"{work} has a training that was stopped, with {key} {before.get(key)!r} instead of "
                f"{options.get(key)!r}; remove it or give the model another name"
            )


@contextmanager
def working_in(out: Path, work: Path, options: Mapping[str, Any]) -> Iterator[None]:
    """Makes the folder of a training and holds it, so that no other process trains in it."""
    try:
        work.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"cannot write {work}: {error.strerror or error}") from error
    with locked(work):
        check_folders(out, work, options)
        write_json(work / _OPTIONS, options)
        yield


def note_finished(model: Path, options: Mapping[str, Any], figures: Mapping[str, Any]) -> None:
    """Writes into the folder of a trained model what it was trained with and how that went."""
    write_json(model / _FINISHED, {"options": dict(options), **figures})


def finished(out: Path, options: Mapping[str, Any]) -> dict[str, Any] | None:
    """How a training with these options went, if it is what made the model in a folder."""
    record = _read_record(out / _FINISHED) or {}
    same = record.get("options") == options
    return record if same and {"steps", "epochs", "best"} <= record.keys() else None


def _read_record(path: Path) -> dict[str, Any] | None:
    """The entries of a file; None if it is missing or damaged."""
    try:
        record = read_json(path)
    except RunError:
        return None
    return record if isinstance(record, dict) else None


def last_checkpoint(work: Path) -> str | None:
    """The newest checkpoint that is intact, and so is the best one before it; others are removed."""
    newest_first = sorted(
        (path for path in work.glob("checkpoint-*") if path.name.rpartition("-")[2].isdigit()),
        key=lambda path: int(path.name.rpartition("-")[2]),
        reverse=True,
    )
    damaged: list[Path] = []
    for folder in newest_first:
        if _is_usable(folder):
            if damaged:
                notice(f"{damaged[0]} is damaged or incomplete; training goes on from {folder.name}")
            return str(folder)
        damaged.append(folder)
        shutil.rmtree(folder)
    if damaged:
        notice(f"{damaged[0]} is damaged or incomplete; training starts again")
    return None


def _is_usable(checkpoint: Path) -> bool:
    """Whether training can go on from a checkpoint and end with the model that it would have ended with."""
    if not is_intact(checkpoint):
        return False
    state = _read_record(checkpoint / _STATE)
    if state is None:
        return False
    best = state.get("best_model_checkpoint")
    return (
        best is None or Path(best).name == checkpoint.name or is_intact(checkpoint.parent / Path(best).name)
    )


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
