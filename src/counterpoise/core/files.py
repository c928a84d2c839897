"""Files are written aside and renamed, so that nothing is ever half-written or lost to an interruption."""

from __future__ import annotations

import glob
import hashlib
import json
import math
import os
import platform
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from counterpoise.core.documents import read_json_file
from counterpoise.core.errors import RunError

_PROCESS = hashlib.blake2b(platform.node().encode(), digest_size=4).hexdigest()  # marks files of this machine


@contextmanager
def write_aside(path: str | Path) -> Iterator[Path]:
    """Yields a path to write to; it takes the place of `path` when the block ends well, else it is removed.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "note.txt"
    >>> with write_aside(target) as aside:
    ...     _ = aside.write_text("whole or not at all")
    >>> target.read_text()
    'whole or not at all'

    Only an ordinary file is replaced, or a link, and then the link itself: what it leads to stays as it is.
    """
    path = Path(path)
    _check_replaceable(path)
    try:
        _remove_leftovers(path)
        prefix = f".{path.name}.{_PROCESS}.{os.getpid()}."
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=prefix, suffix=".part")
    except OSError as error:
        raise RunError(f"cannot write {path}: {error.strerror or error}") from error
    os.close(handle)
    aside = Path(name)
    try:
        aside.chmod(0o666 & ~_umask())  # mkstemp makes files private; a result is an ordinary file
        yield aside
        with aside.open("rb+") as file:
            os.fsync(file.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def check_output(path: str | Path, advice: str = "") -> None:
    """Raises unless a file that a user names to write to is an ordinary one, or not there yet.

    A link is refused too: to replace it would surprise whoever made it, and it may lead to a device.
    """
    path = Path(path)
    if path.is_symlink():
        raise RunError(f"cannot write {path}: it is a symbolic link; name an ordinary file{advice}")
    _check_replaceable(path, advice)


def make_folder(folder: str | Path) -> Path:
    """Makes a folder with its parents, if it is not there yet; one clear error if that cannot be done."""
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"cannot make the folder {folder}: {error.strerror or error}") from error
    return folder


def make_inner_folder(folder: Path) -> Path:
    """Makes a folder within a folder of results; a link would lead the results elsewhere, so it is refused."""
    if folder.is_symlink():
        raise RunError(f"{folder} is a symbolic link, and results are written to folders only; remove it")
    return make_folder(folder)


def slug(text: object) -> str:
    """Text as part of a file name, or as an id in a page: words joined by dashes.

    >>> slug("my models/<bert>")
    'my-models-bert'
    """
    return re.sub(r"\W+", "-", str(text)).strip("-")


def write_text(path: str | Path, text: str) -> None:
    with write_aside(path) as aside:
        aside.write_text(text, encoding="utf-8")


def write_json(path: str | Path, value: Any) -> None:
    write_text(path, json_text(value))


def json_text(value: Any) -> str:
    """Plain JSON that any reader takes: numbers keep every digit, and what is not a number becomes null.

    >>> json_text({"p": float("nan")})
    '{\\n  "p": null\\n}\\n'
    """
    return json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def read_json(path: str | Path) -> Any:
    """Reads JSON; a damaged or unreadable file is one clear error."""
    return read_json_file(path, RunError)


def plain(value: Any) -> Any:
    """A value as JSON can hold it: what is not a number becomes None.

    >>> plain({"values": (1.5, float("nan"))})
    {'values': [1.5, None]}
    """
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "item"):  # a numpy scalar
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _check_replaceable(path: Path, advice: str = "") -> None:
    """Raises for what a renamed file would remove: a device, a pipe, a socket; and for a folder."""
    try:
        mode = path.lstat().st_mode
    except OSError:  # nothing is there, or writing says why not
        return
    except ValueError as error:  # a zero byte, or half a surrogate pair
        raise RunError(f"cannot write {str(path)!r}: {error}") from error
    if stat.S_ISDIR(mode):
        raise RunError(f"cannot write {path}: it is a folder; name a file{advice}")
    if not stat.S_ISREG(mode) and not stat.S_ISLNK(mode):
        raise RunError(f"cannot write {path}: it is not an ordinary file{advice}")


def _remove_leftovers(path: Path) -> None:
    """Removes what processes of this machine wrote aside for a path before they were killed."""
    for leftover in path.parent.glob(f".{glob.escape(path.name)}.{_PROCESS}.*.part"):
        process = leftover.name.split(".")[-3]
        if process.isdigit() and not _is_running(int(process)):
            leftover.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    if os.name != "posix":  # there is no signal that only asks
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
