"""Files and folders of texts, as they are named on the command line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from counterpoise.core.errors import DataError, InputError
from counterpoise.io.records import FORMATS
from counterpoise.io.streams import suffixes


class TextFile(NamedTuple):
    """A file of texts; `name` is its path in the folder that was named, or the file's own name."""

    path: Path
    name: Path


def text_files(named: Sequence[str | Path]) -> list[TextFile]:
    """The files named, and those in the folders named whose suffix is that of a format we read, in order of name.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("b.txt", "a.csv.gz", "notes.pdf"):
    ...     (folder / name).touch()
    >>> [str(file.name) for file in text_files([folder])]
    ['a.csv.gz', 'b.txt']
    """
    files: list[TextFile] = []
    for path in map(Path, named):
        if not path.is_dir():
            files.append(TextFile(path, Path(path.name)))
            continue
        inside = [entry for entry in _entries(path) if _is_text(entry.relative_to(path), entry)]
        if not inside:
            raise DataError(f"the folder {path} has no file of texts ({', '.join(FORMATS)}, also compressed)")
        files += [TextFile(entry, entry.relative_to(path)) for entry in inside]
    names = [file.name for file in files]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"there are two files {twice}; their outputs would be one")
    return files


def _entries(folder: Path) -> list[Path]:
    """All that is in a folder and in folders within; one that cannot be read is not passed over in silence."""

    def refuse(error: OSError) -> None:
        raise DataError(f"cannot read the folder {error.filename}: {error.strerror}") from error

    return sorted(Path(place) / name for place, _, names in os.walk(folder, onerror=refuse) for name in names)


def _is_text(name: Path, path: Path) -> bool:
    hidden = any(part.startswith(".") for part in name.parts)
    return not hidden and path.is_file() and suffixes(str(path))[0] in FORMATS
