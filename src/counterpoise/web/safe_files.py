"""Reads files of the folder that is served, and never any other.

Every path is resolved before the file is read; what lies outside of the folder, is no plain file or is too large is
not read.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from counterpoise.core.errors import RunError
from counterpoise.core.files import read_json
from counterpoise.web import limits
from counterpoise.web.bounded_tables import check_claims

Stamp = tuple[tuple[str, int, int], ...]  # name, time of change and size of files


class SafeFiles:
    """The files below a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def inside(self, path: Path, largest: int = limits.FILE) -> Path:
        """The resolved path of a file; an error if it is outside the folder, not a file, or too large."""
        real = path.resolve()
        if not real.is_relative_to(self.root):
            raise RunError(f"{path.name} leads out of the folder")
        if not real.is_file():
            raise RunError(f"{path.name} is missing")
        if real.stat().st_size > largest:
            raise RunError(f"{path.name} has more than {largest >> 20} MB")
        return real

    def json(self, path: Path) -> Any:
        """What a JSON file holds; one that is nested too deep to be handed on is an error."""
        document = read_json(self.inside(path))
        if not _is_shallow(document):
            raise RunError(f"{path.name} is nested more than {limits.NESTING} levels deep")
        return document

    def text(self, path: Path) -> str:
        return self.inside(path).read_text(encoding="utf-8", errors="replace")

    def table(self, path: Path) -> Path:
        """The path of a Parquet file; one that was cut short, or says that it is too large, is an error."""
        real = self.inside(path, limits.TABLE)
        if not _is_parquet(real):
            raise RunError(f"{path.parent.name}/{path.name} is no Parquet file")
        check_claims(real)
        return real

    def has(self, path: Path) -> bool:
        """Is there anything of that name?"""
        return os.path.lexists(path)

    def without_root(self, text: str) -> str:
        """A message without the folders of this machine."""
        return text.replace(f"{self.root}{os.sep}", "").replace(str(self.root), self.root.name)


def stamp_of(folder: Path, names: tuple[str, ...]) -> Stamp:
    """Changes whenever one of the files does; those that are not there are left out."""
    stamp = []
    for name in names:
        try:
            stat = (folder / name).stat()
        except OSError:
            continue
        stamp.append((name, stat.st_mtime_ns, stat.st_size))
    return tuple(stamp)


def _is_shallow(document: Any) -> bool:
    """Whether lists and objects are nested at most `limits.NESTING` levels; without recursion."""
    level = [document]
    for _ in range(limits.NESTING + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return not level


def _is_parquet(path: Path) -> bool:
    """Whether a file begins and ends like a Parquet file; one that was cut short does not."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size < 12:
            return False
        begin = file.read(4)
        file.seek(-4, os.SEEK_END)
        return begin == file.read(4) == b"PAR1"
