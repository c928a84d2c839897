"""Keeps the traceback of an error that nobody foresaw, for a report of it."""

from __future__ import annotations

import platform
import shlex
import tempfile
import traceback
from datetime import datetime
from pathlib import Path

from counterpoise.core.version import __version__


def keep_traceback(error: BaseException, arguments: list[str]) -> Path | None:
    """Writes the traceback, with the command and the versions, to a file of its own; None if that fails too."""
    lines = [
        f"counterpoise {shlex.join(arguments)}",
        f"Counterpoise {__version__}, Python {platform.python_version()}, {platform.platform()}",
        "",
        *traceback.format_exception(error),
    ]
    try:
        with tempfile.NamedTemporaryFile(
            "w",
            prefix=f"counterpoise-{datetime.now():%Y%m%d-%H%M%S}-",
            suffix=".traceback.txt",
            encoding="utf-8",
            errors="backslashreplace",
            delete=False,
        ) as file:
            file.write("\n".join(lines))
    except OSError:
        return None
    return Path(file.name)
