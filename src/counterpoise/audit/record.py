"""The record of an audit: what was asked, by which versions and when, and which measures are done.

A run keeps its record as `manifest.json`; an audit that writes nothing has one too, so that its page can be made.
"""

from __future__ import annotations

import datetime
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from counterpoise.core.errors import CounterpoiseError
from counterpoise.core.secrets import hide_in_command
from counterpoise.core.version import __version__
from counterpoise.measures.base.result import Result

SCHEMA = 2  # 1 had neither keys and sources of rows nor directions; it is still read

_PACKAGES = ("torch", "transformers", "tokenizers", "numpy", "pandas", "scipy", "statsmodels")


class AuditRecord:
    """Everything that is known about an audit apart from its results."""

    def __init__(self, manifest: dict[str, Any]) -> None:
        self.manifest = manifest
        self.altered: list[str] = []  # files read of a run that are not as the audit wrote them

    @staticmethod
    def begin(options: Mapping[str, Any], kind: str | None = None) -> AuditRecord:
        """The record of an audit that starts now; `kind` is that of the model."""
        return AuditRecord(
            {
                "schema": SCHEMA,
                "kind": kind,
                "options": dict(options),
                "command": " ".join([Path(sys.argv[0]).name, *hide_in_command(sys.argv[1:])]),
                "versions": versions(),
                "platform": platform.platform(),
                "started": _now(),
                "finished": None,
                "measures": {},
                "left_out": {},
            }
        )

    @staticmethod
    def of_result(result: Result) -> AuditRecord:
        """The record of a measure that was called by itself."""
        options = {
            "model": result.model,
            "measures": [result.measure],
            "variant": result.variant,
            "seed": result.seed,
        }
        record = AuditRecord.begin(options)
        record.save([result])
        record.finish()
        return record

    @property
    def done(self) -> list[str]:
        return list(self.manifest["measures"])

    @property
    def is_complete(self) -> bool:
        return self.manifest["finished"] is not None

    @property
    def left_out(self) -> dict[str, str]:
        """Measures that were not run, and why."""
        return dict(self.manifest["left_out"])

    def save(self, results: Sequence[Result], seconds: float | None = None) -> None:
        """Notes that the last of these results is there; what is known of the earlier ones is brought up to date."""
        newest = results[-1]
        self.manifest["left_out"].pop(newest.measure, None)
        self.manifest["finished"] = None
        took = {} if seconds is None else {"seconds": round(seconds, 1)}
        self.manifest["measures"][newest.measure] = {**took, "finished": _now()}
        for result in results:  # a folder of the first schema says less about them
            self.manifest["measures"][result.measure] |= _about(result)
        self.manifest["schema"] = SCHEMA

    def leave_out(self, measure: str, reason: str) -> None:
        self.manifest["left_out"][measure] = reason

    def finish(self) -> None:
        if not self.is_complete:
            self.manifest["finished"] = _now()


def versions() -> dict[str, str]:
    """The versions that numbers depend on."""
    numbers = {"counterpoise": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            numbers[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            raise CounterpoiseError(f"the package {package} is not installed") from None
    return numbers


def _about(result: Result) -> dict[str, Any]:
    """What the manifest says about a finished measure."""
    return {
        "dataset": result.dataset,
        "asked": result.asked,
        **({"sampling": dict(result.sampling)} if result.sampling else {}),
        "direction": asdict(result.direction),
        "directions": {key: asdict(direction) for key, direction in result.directions.items()},
        "identity": list(result.identity),
        "citation": result.citation,
        "warnings": list(result.warnings),
        "items": len(result.items),
        "skipped": len(result.skipped),
    }


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
