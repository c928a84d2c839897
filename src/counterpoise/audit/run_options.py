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
    files: Mapping[str, Any] = field(default_factory=dict)  # what tells the user's files from others, by kind
    settings: Mapping[str, Any] = field(default_factory=dict)
    counterpoise: str = __version__
    text_start: str | None = None  # what a causal model reads before every text
    loading: Mapping[str, Any] = field(default_factory=dict)  # how the model was loaded, if there is a choice
    limit: int | None = None  # items of each measure
    kind: str | None = None  # of the model; the fingerprint decides it, so it stands beside the options

    def as_dict(self) -> dict[str, Any]:
        options = {
            **vars(self),
            **self.files,
            "measures": list(self.measures),
            "settings": dict(self.settings),
        }
        del options["files"], options["kind"]
        for name in ("text_start", "limit"):
            if options[name] is None:
                del options[name]
        options["loading"] = dict(self.loading)
        if not self.loading:
            del options["loading"]
        return options


# How a model is loaded in these respects is told by its fingerprint and precision, or does not matter to its numbers.
_TOLD_ELSEWHERE = {"adapter_commit", "capabilities", "commit", "device_map", "dtype", "revision", "served_as"}
_NAMES_THE_MODEL = {"adapter", "base"}


def check_options(folder: Path, saved: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Raises an error if a run was begun with other options. Further measures are no such difference."""
    before, now = _decisive(saved), _decisive(wanted)
    for name, value in now.items():
        if before.get(name) == value or (name == "measures" and set(before.get(name, ())) <= set(value)):
            continue
        raise RunError(
            f"{folder} holds a run with {name} {_show(before.get(name))}, and this one has {_show(value)}; "
            "choose another folder with --out, or delete that one"
        )


def options_of(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a run, and beside them those of loading that are no part of the model's name."""
    options = with_own_limit(manifest["options"])
    loading = options.pop("loading", {})
    left_out = _TOLD_ELSEWHERE | _NAMES_THE_MODEL
    return {**options, **{name: value for name, value in loading.items() if name not in left_out}}


def with_own_limit(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a run; early ones have the limit on items among those of loading."""
    loading = dict(options.get("loading", {}))
    limit = loading.pop("limit", None)
    moved = {"limit": limit, "loading": loading} if limit is not None else {}
    return {**options, **moved}


def _decisive(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with how the model was loaded as far as that decides its numbers, and the limit if there is none."""
    options = with_own_limit(options)
    loading = {
        name: value for name, value in options.get("loading", {}).items() if name not in _TOLD_ELSEWHERE
    }
    return {"limit": None, **options, "loading": loading or None}


def _show(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {part}" for name, part in value.items())
    return ",".join(value) if isinstance(value, list) else str(value)
