"""One process at a time in a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from counterpoise.core.errors import RunError


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds a folder while the block runs; the lock ends with the process, however that ends.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with locked(folder), locked(folder):  # doctest: +ELLIPSIS
    ...     pass
    Traceback (most recent call last):
    counterpoise.core.errors.RunError: another process is at work in ...
    """
    path = folder / ".lock"
    try:
        _create(path)  # filelock would create a missing folder, and wait for one that cannot be written to
    except OSError as error:
        raise RunError(f"cannot write to {folder}: {error.strerror or error}") from error
    lock = FileLock(path, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise RunError(f"another process is at work in {folder}") from None
    except OSError as error:
        raise RunError(f"cannot lock {folder}: {error.strerror or error}") from error
    try:
        yield
    finally:
        lock.release()


def _create(path: Path) -> None:
    """Makes an empty file, unless it is there; what a link points to would be emptied, so links are refused."""
    if path.is_symlink():
        raise RunError(f"{path} is a symbolic link, which a lock never is; remove it")
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o666))
    if not path.is_file():
        raise RunError(f"{path} is not an ordinary file, which a lock is; remove it")
