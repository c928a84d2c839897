"""Runs commands in this process and tells a mistake that was foreseen from a traceback."""

from __future__ import annotations

import contextlib
import functools
import io
import signal
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import click
import typer

from counterpoise.cli.main import app
from counterpoise.core.errors import CounterpoiseError

LONGEST = 20  # seconds after which a command hangs


class Hang(BaseException):
    """A call that takes too long; not an Exception, which a reader might turn into a line."""


@dataclass(frozen=True)
class Outcome:
    """How a call ended: `message` of a mistake, or None; `trace` of an error that nobody foresaw, or None."""

    message: str | None = None
    trace: str | None = None


def command(arguments: Sequence[object]) -> Outcome:
    """Runs a command without the handlers of the command line."""
    return attempt(lambda: _commands()([str(part) for part in arguments], standalone_mode=False))


@functools.cache
def _commands() -> Any:
    return typer.main.get_command(app)  # which takes longer than many a command


def attempt(call: Callable[[], Any]) -> Outcome:
    silent = io.StringIO()
    try:
        with (
            contextlib.redirect_stdout(silent),
            contextlib.redirect_stderr(silent),
            warnings.catch_warnings(),
            _bounded(),
        ):
            warnings.simplefilter("ignore")
            call()
    except Hang:
        return Outcome(trace=f"more than {LONGEST} seconds")
    except (CounterpoiseError, OSError) as error:
        return Outcome(message=str(error))
    except (click.ClickException, click.exceptions.Exit, SystemExit) as error:
        return Outcome(message=str(error))
    except Exception as error:
        if hasattr(error, "format_message"):  # typer's own, which are no longer click's
            return Outcome(message=str(error))
        return Outcome(trace="".join(traceback.format_exception(error)[-3:]))
    return Outcome()


@contextlib.contextmanager
def _bounded() -> Iterator[None]:
    """Ends what hangs, where the system can."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def end(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
