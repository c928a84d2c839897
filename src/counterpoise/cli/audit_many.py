"""`counterpoise audit` with several models, or checkpoints of one training."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from counterpoise.cli.interruption import resumable
from counterpoise.cli.tracking import log_to
from counterpoise.core.files import slug

if TYPE_CHECKING:
    from counterpoise.audit.request import AuditRequest
    from counterpoise.studies.audits.models import NamedModels

_LONGEST = 60  # characters of the models' names in that of a folder


def audit_several(
    found: NamedModels,
    request: AuditRequest,
    folder: Path,
    *,
    curve: bool,
    trackers: Sequence[str],
    engine: str,
    workers: int | None,
    address: str | None,
) -> None:
    """Audits the models, prints and logs what was found, and exits with 1 if a model failed."""
    from counterpoise.report.audits_terminal import print_audits
    from counterpoise.studies.audits.many import audits_engine, run_audits
    from counterpoise.studies.audits.results import BiasCurve

    where = audits_engine(request, engine, workers, address)
    with resumable(folder):
        audits = run_audits(found, request, folder, where, curve)
        page = audits.report()
    print_audits(audits, page)
    for name, run in audits.runs.items():
        log_to(trackers, run, audits.steps[name] if isinstance(audits, BiasCurve) else None)
    if audits.failed:
        typer.echo("counterpoise: some models failed; the same command tries them again", err=True)
        raise typer.Exit(1)


def label_of(found: NamedModels, curve: bool) -> str:
    """The models as part of a folder's name: the folder that all are in, so that it stays when more are added."""
    sources = [model.source for model in found.models if Path(model.source).exists()]
    if curve and sources:
        parent = Path(os.path.commonpath([str(Path(source).parent) for source in sources])).name
        return f"{slug(parent) or 'checkpoints'}-curve"
    return "-".join(model.name for model in found.models)[:_LONGEST].rstrip("-")
