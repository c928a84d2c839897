"""One process at a time in a folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

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
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    try:
        lock: IO[str] = (folder / ".lock").open("w")
    except OSError as error:
        raise RunError(f"cannot write to {folder}: {error.strerror or error}") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise RunError(f"another process is at work in {folder}") from None
        yield
