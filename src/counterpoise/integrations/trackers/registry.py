"""The trackers that there are; another is one call of `register`."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from counterpoise.core.errors import CounterpoiseError, unknown
from counterpoise.integrations.trackers import mlflow_tracker, wandb_tracker
from counterpoise.integrations.trackers.entry import Entry


@dataclass(frozen=True)
class Tracker:
    """A tracker by its name, the package it needs, and how to install that.

    `send` writes an entry into the tracker's active run, or into a new one, and returns where it is. Any error that it
    raises is a warning. It imports the package itself, as this is done for the trackers in use only.
    """

    name: str
    package: str
    install: str
    send: Callable[[Entry], str]


_INSTALL = "pip install 'counterpoise[trackers]'"
_TRACKERS: dict[str, Tracker] = {}


def register(tracker: Tracker) -> None:
    """Makes a tracker known by its name, in place of one that has the same name."""
    _TRACKERS[tracker.name] = tracker


def find_trackers(names: Sequence[str]) -> list[Tracker]:
    """The trackers of these names, each once; an unknown name, or a package that is missing, is an error.

    >>> find_trackers(["mlfow"])
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: there is no tracker 'mlfow' (there are: mlflow, wandb); did you mean 'mlflow'?
    """
    return [_find(name) for name in dict.fromkeys(names)]


def _find(name: str) -> Tracker:
    if name not in _TRACKERS:
        raise unknown("tracker", name, _TRACKERS)
    tracker = _TRACKERS[name]
    spec = importlib.util.find_spec(tracker.package)
    if (
        spec is None or spec.origin is None
    ):  # no origin: a folder of that name, which W&B makes where it is run
        raise CounterpoiseError(
            f"logging to {name} needs the package {tracker.package}, which is not installed: {tracker.install}"
        )
    return tracker


register(Tracker("mlflow", "mlflow", _INSTALL, mlflow_tracker.send))
register(Tracker("wandb", "wandb", _INSTALL, wandb_tracker.send))
