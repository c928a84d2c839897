"""Debiased models: what `counterpoise debias` writes."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from counterpoise.mitigate.evaluation.proof import Proof
from counterpoise.report.debias_page import render_proof
from counterpoise.web.kinds.base import RunEntry, RunKind, name_of_model, one_line
from counterpoise.web.safe_files import SafeFiles


def _describe(files: SafeFiles, entry: RunEntry, document: Any) -> RunEntry:
    made_from, verdict = document["made_from"], document["proof"]["verdict"]
    written = files.inside(entry.folder / DEBIAS.marker).stat().st_mtime
    base, corpus = (
        name_of_model(made_from["base"], files.root),
        name_of_model(made_from["corpus"], files.root),
    )
    return replace(
        entry,
        subject=f"{base}, trained on {corpus} ({one_line(made_from['method'])})",
        verdict=one_line(verdict[0]) if verdict else "",
        model=str(entry.folder),
        started=datetime.fromtimestamp(written, timezone.utc).isoformat(timespec="seconds"),
    )


def _render(files: SafeFiles, folder: Path) -> str:
    return render_proof(Proof.from_dict(files.json(folder / DEBIAS.marker)["proof"]))


DEBIAS = RunKind(
    "debias",
    "Debiased model",
    marker="debias.json",
    page="debias.html",
    describe=_describe,
    render=_render,
    depends_on=("debias.json",),
)
