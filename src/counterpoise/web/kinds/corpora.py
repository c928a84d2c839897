"""Measured corpora: what `counterpoise corpus` writes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from counterpoise.core.errors import RunError
from counterpoise.core.manifests import CORPUS as NAME
from counterpoise.core.manifests import is_corpus_manifest
from counterpoise.report.one_line import corpus_line
from counterpoise.web.kinds.base import RunEntry, RunKind, one_line
from counterpoise.web.safe_files import SafeFiles

_TABLES = ("words", "differences", "learnt")


def _describe(files: SafeFiles, entry: RunEntry, manifest: Any) -> RunEntry:
    files.inside(entry.folder / "report.html")
    summary = corpus_summary(files, entry)
    names = [one_line(corpus["name"]) for corpus in summary.get("corpora", [])]
    names = names or [one_line(name) for name in manifest["corpora"]]
    return replace(
        entry,
        subject=", ".join(names),
        verdict=one_line(corpus_line(summary)),
        corpora=tuple(names),
        started=one_line(manifest.get("finished", "")),
        tables={name: f"{name}.parquet" for name in _TABLES if files.has(entry.folder / f"{name}.parquet")},
    )


def corpus_summary(files: SafeFiles, entry: RunEntry) -> dict[str, Any]:
    """What summary.json holds."""
    summary = files.json(entry.folder / "summary.json")
    if not isinstance(summary, dict) or "schema" not in summary:
        raise RunError("summary.json is damaged")
    rows = summary.get("results", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise RunError("summary.json is damaged: its results are no list of rows")
    return summary


CORPUS = RunKind(
    NAME,
    "Corpus",
    marker="manifest.json",
    page="report.html",
    describe=_describe,
    accepts=is_corpus_manifest,
    depends_on=("manifest.json", "report.html", "summary.json", *(f"{name}.parquet" for name in _TABLES)),
)
