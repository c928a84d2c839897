"""Files of the cache that carry checksums, so that a damaged one is made again and never used."""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from counterpoise.core.errors import CounterpoiseError, RunError, in_one_line
from counterpoise.core.files import plain, read_json, write_json
from counterpoise.core.hashing import hash_file
from counterpoise.core.limits import check_regular

CHECKSUMS = "checksums.json"


def write_checked_json(path: str | Path, content: Any) -> None:
    """Writes JSON with a checksum of its content."""
    content = plain(content)
    write_json(path, {"checksum": _checksum(content), "content": content})


def read_checked_json(path: str | Path) -> Any:
    """The content of a file that `write_checked_json` wrote; anything else is a `RunError`."""
    document = read_json(path)
    if not isinstance(document, dict) or document.keys() != {"checksum", "content"}:
        raise RunError(f"{path} has no checksum: it is damaged or from an earlier version")
    if document["checksum"] != _checksum(document["content"]):
        raise RunError(f"{path} is damaged: its checksum does not match")
    return document["content"]


def write_checksums(folder: Path) -> None:
    """Writes the checksums of all files in a folder beside them."""
    write_checked_json(folder / CHECKSUMS, _checksums(folder))


def is_intact(folder: Path) -> bool:
    """Whether a folder has the files that it had when its checksums were written, to the byte."""
    try:
        return bool(read_checked_json(folder / CHECKSUMS) == _checksums(folder))
    except (CounterpoiseError, OSError):
        return False


def file_checksum(path: str | Path) -> int:
    """The CRC-32 of a file: quick enough to check files of gigabytes whenever they are opened."""
    checksum = 0
    with Path(path).open("rb") as file:
        while block := file.read(1 << 24):
            checksum = zlib.crc32(block, checksum)
    return checksum


def read_arrays(path: str | Path, error: type[Exception] = RunError) -> dict[str, np.ndarray]:
    """The arrays of an .npz file, which has a checksum of each; whatever is wrong with it is an `error`."""
    check_regular(path, error)
    try:
        with zipfile.ZipFile(path) as archive:
            return {name.removesuffix(".npy"): _read_member(archive, name) for name in archive.namelist()}
    except Exception as problem:  # zipfile, zlib and numpy raise many kinds for a damaged file
        raise error(f"cannot read {path}: {in_one_line(problem)}") from problem


def _read_member(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    with archive.open(name) as file:
        array: np.ndarray = np.lib.format.read_array(file, allow_pickle=False)
        # `np.load` would stop here, but the checksum is compared at the end, which a smaller shape does not reach.
        if file.read(1):
            raise ValueError(f"{name} goes on after its array")
    return array


def _checksums(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != CHECKSUMS)
    return {path.relative_to(folder).as_posix(): hash_file(path) for path in files}


def _checksum(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, ensure_ascii=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
