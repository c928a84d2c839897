"""Mistakes that a user can mend. Each is one clear line: what was wrong, what was found, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class CounterpoiseError(Exception):
    """The base of all errors that are shown as one line (exit code 2 on the command line)."""


class InputError(CounterpoiseError, ValueError):
    """What was typed or passed does not make sense."""


class DataError(CounterpoiseError):
    """A dataset or spec is missing, broken or empty."""


class MissingData(DataError):
    """A dataset is not on this machine; the message says how to get it."""


class ModelError(CounterpoiseError):
    """A model cannot be loaded, or cannot answer what it is asked."""


class FunctionError(CounterpoiseError):
    """A user's own function or classifier raised an error; no measure can go on, whatever else it could do."""


class EndpointError(CounterpoiseError):
    """A server does not answer, or not in a way that can be used; answers that were received are kept."""


class HubError(CounterpoiseError):
    """The hub cannot be reached, or refuses what it was asked; what was written here stays."""


class RunError(CounterpoiseError):
    """A run folder cannot be written, continued or read."""


def in_one_line(error: BaseException) -> str:
    """An error that is not ours, for a message that is: its kind, and what it says.

    >>> in_one_line(ValueError("seed 1 is\\nunlucky"))
    'ValueError: seed 1 is unlucky'
    """
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def did_you_mean(name: str, options: Iterable[str]) -> str:
    """A hint to append to an error, or nothing.

    >>> did_you_mean("lbps", ["lpbs", "ppd"])
    "; did you mean 'lpbs'?"
    >>> did_you_mean("zebra", ["lpbs", "ppd"])
    ''
    """
    close = difflib.get_close_matches(str(name), list(options), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def unknown(kind: str, name: object, options: Iterable[str]) -> InputError:
    """The error for a name that is not among the options.

    >>> str(unknown("measure", "lbps", ["lpbs", "ppd"]))
    "there is no measure 'lbps' (there are: lpbs, ppd); did you mean 'lpbs'?"
    """
    options = sorted(options)
    return InputError(
        f"there is no {kind} {name!r} (there are: {', '.join(options)}){did_you_mean(str(name), options)}"
    )
