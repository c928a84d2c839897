"""How large what is read may be. Each limit is stated when it is exceeded, with the variable that raises it."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from counterpoise.core.errors import DataError, InputError


@dataclass(frozen=True)
class Limit:
    """A number of megabytes, which an environment variable may change."""

    what: str
    variable: str
    default: float

    @property
    def bytes(self) -> int:
        given = os.environ.get(self.variable)
        try:
            megabytes = self.default if given is None else float(given)
            bytes_ = int(megabytes * 1e6)
        except (ValueError, OverflowError):
            raise InputError(f"{self.variable} must be a number of megabytes, not {given!r}") from None
        if bytes_ < 1:
            raise InputError(f"{self.variable} must be a number of megabytes above 0, not {given!r}")
        return bytes_

    def exceeded(self, place: object) -> str:
        """The line that says so."""
        return (
            f"{place}: {self.what} has more than {self.bytes / 1e6:g} MB; "
            f"the variable {self.variable} (in MB) raises that limit"
        )


LINE = Limit("a line", "COUNTERPOISE_MAX_LINE", 64)
YAML = Limit("the file", "COUNTERPOISE_MAX_YAML", 4)
JSON = Limit("the JSON file", "COUNTERPOISE_MAX_JSON", 256)
TABLE = Limit("the table", "COUNTERPOISE_MAX_TABLE", 1024)
DOWNLOAD = Limit("the download", "COUNTERPOISE_MAX_DOWNLOAD", 8192)


def check_regular(path: str | Path, error: type[Exception] = DataError) -> None:
    """Raises an error unless a path is that of an ordinary file; devices and pipes may never end.

    >>> check_regular("/dev/zero")
    Traceback (most recent call last):
    counterpoise.core.errors.DataError: /dev/zero is not an ordinary file
    """
    try:
        mode = os.stat(path).st_mode
    except OSError as problem:
        raise error(f"cannot read {path}: {problem.strerror or problem}") from problem
    except ValueError as problem:  # a zero byte in the name
        raise error(f"cannot read {str(path)!r}: {problem}") from problem
    if stat.S_ISDIR(mode):
        raise error(f"{path} is a folder; name a file in it")
    if not stat.S_ISREG(mode):
        raise error(f"{path} is not an ordinary file")
