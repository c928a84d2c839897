"""The options of a run, which decide its numbers, and whether another audit may go on with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counterpoise.core.errors import RunError
from counterpoise.core.version import __version__


@dataclass(frozen=True)
class RunOptions:
    """Everything that decides the numbers of a run: it resumes only with the same options; measures may be added."""

    model: str
    fingerprint: str
    precision: str
    measures: tuple[str, ...]
    variant: str
    seed: int
    data: str | None
    files: Mapping[str, str | None] = field(default_factory=dict)  # SHA-256 of the user's files, by kind
    settings: Mapping[str, Any] = field(default_factory=dict)
    counterpoise: str = __version__
    kind: str | None = None  # of the model; the fingerprint decides it, so it stands beside the options

    def as_dict(self) -> dict[str, Any]:
        options = {
            **vars(self),
            **self.files,
            "measures": list(self.measures),
            "settings": dict(self.settings),
        }
        del options["files"], options["kind"]
        return options


def check_options(folder: Path, saved: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Raises an error if a run was begun with other options. Further measures are no such difference."""
    for name, value in wanted.items():
        if saved.get(name) == value or (name == "measures" and set(saved.get(name, ())) <= set(value)):
            continue
        raise RunError(
            f"{folder} holds a run with {name} {_show(saved.get(name))}, and this one has {_show(value)}; "
            "choose another folder with --out, or delete that one"
        )


def _show(value: Any) -> str:
    return ",".join(value) if isinstance(value, list) else str(value)
