"""Where third-party datasets are on this machine.

They are looked for in `--data DIR`, then in the folder that `COUNTERPOISE_DATA` names, then where
`counterpoise catalog fetch` puts them: `data` in the cache folder. Each has a folder of its own there. Nothing here
downloads.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from counterpoise.core.cache import cache_folder
from counterpoise.core.errors import DataError, MissingData
from counterpoise.core.hashing import hash_file
from counterpoise.data.thirdparty.sources import find_source, sources

_chosen: ContextVar[Path | None] = ContextVar("data folder", default=None)


def data_folder() -> Path | None:
    """The folder of datasets that was given, or None."""
    return next(iter(_given()), None)


def fetched_folder() -> Path:
    """Where `counterpoise catalog fetch` puts datasets."""
    return cache_folder() / "data"


def data_folders() -> list[Path]:
    """All folders in which datasets are looked for, in this order."""
    return [*_given(), fetched_folder()]


def _given() -> list[Path]:
    named = os.environ.get("COUNTERPOISE_DATA")
    folders = [_chosen.get(), Path(named).expanduser() if named else None]
    return [folder for folder in folders if folder is not None]


@contextmanager
def using_data(folder: str | Path | None) -> Iterator[None]:
    """Within the block datasets are looked for in this folder first; None changes nothing."""
    if folder is None:
        yield
        return
    path = Path(folder).expanduser()
    if not path.is_dir():
        raise DataError(f"there is no folder {path} to take data from")
    token = _chosen.set(path)
    try:
        yield
    finally:
        _chosen.reset(token)


def place_of(dataset: str) -> Path | None:
    """The first folder that has anything of a dataset, or None."""
    for folder in data_folders():
        place = folder / dataset
        if place.is_dir() and any(not entry.name.startswith(".") for entry in place.iterdir()):
            return place
    return None


def at_hand() -> dict[str, bool]:
    """For each third-party dataset and model whether it is on this machine."""
    return {name: place_of(name) is not None for name in sources()}


def look_for(dataset: str, *names: str) -> Path | None:
    """The first of these files that is on this machine, or None; an earlier folder goes before an earlier name."""
    find_source(dataset)
    paths = (folder / dataset / name for folder in data_folders() for name in names)
    return next((path for path in paths if path.is_file()), None)


def find_file(dataset: str, *names: str) -> Path:
    """The first of these files that is on this machine; where there is none, it says how to get it.

    >>> find_file("gap", "gap-development.txt")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    counterpoise.core.errors.MissingData: GAP... is not at hand: get it with `counterpoise catalog fetch gap`, or...
    """
    if (path := look_for(dataset, *names)) is not None:
        return path
    source = find_source(dataset)
    how = (
        f"{source.by_hand}, and"
        if source.by_hand
        else f"get it with `counterpoise catalog fetch {dataset}`, or"
    )
    place = data_folders()[0] / dataset / names[0]
    raise MissingData(
        f"{source.title} is not at hand: {how} put it at {place} (--data DIR or COUNTERPOISE_DATA=DIR)"
    )


def check_whole(dataset: str, path: Path) -> None:
    """An error where a file is not the published one: half-downloaded, say. One without a known SHA-256 passes."""
    for file in find_source(dataset).files:
        expected = file.kept_sha256 if file.unpack else file.sha256
        if file.name == path.name and expected is not None and hash_file(path) != expected:
            size = (
                f" and {path.stat().st_size:,} of {file.size:,} bytes"
                if file.size and not file.unpack
                else ""
            )
            raise DataError(
                f"{path} is not the published file (its checksum differs{size}): remove it, and get it with "
                f"`counterpoise catalog fetch {dataset}`"
            )
