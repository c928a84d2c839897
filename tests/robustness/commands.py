"""Runs commands in this process and tells a mistake that was foreseen from a traceback."""

from __future__ import annotations

import contextlib
import io
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import click

from counterpoise.cli.main import app
from counterpoise.core.errors import CounterpoiseError


@dataclass(frozen=True)
class Outcome:
    """How a call ended: `message` of a mistake, or None; `trace` of an error that nobody foresaw, or None."""

    message: str | None = None
    trace: str | None = None


def command(arguments: Sequence[object]) -> Outcome:
    """Runs a command without the handlers of the command line."""
    return attempt(lambda: app([str(part) for part in arguments], standalone_mode=False))


def attempt(call: Callable[[], Any]) -> Outcome:
    silent = io.StringIO()
    try:
        with (
            contextlib.redirect_stdout(silent),
            contextlib.redirect_stderr(silent),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            call()
    except (CounterpoiseError, OSError) as error:
        return Outcome(message=str(error))
    except (click.ClickException, click.exceptions.Exit, SystemExit) as error:
        return Outcome(message=str(error))
    except Exception as error:
        if hasattr(error, "format_message"):  # typer's own, which are no longer click's
            return Outcome(message=str(error))
        return Outcome(trace="".join(traceback.format_exception(error)[-3:]))
    return Outcome()
