"""`--log`: experiment trackers that audits go to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from counterpoise.audit.auditing import Audit
    from counterpoise.audit.run import Run


def usable_trackers(names: Sequence[str]) -> list[str]:
    """Trackers that can be used, as far as that can be told before a model is loaded."""
    if not names:
        return []
    from counterpoise.integrations.trackers.registry import find_trackers

    return [tracker.name for tracker in find_trackers(names)]


def log_to(trackers: Sequence[str], audited: Audit | Run, step: int | None = None) -> None:
    for name in trackers:
        from counterpoise.integrations.trackers.sending import log

        if where := log(audited, to=name, step=step):
            typer.echo(f"logged to {name}: {where}")
