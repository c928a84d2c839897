"""The folder of a measured corpus: making it, and the manifest that says what was measured, how and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from counterpoise.audit.record import versions
from counterpoise.core.errors import RunError
from counterpoise.core.files import make_folder, make_inner_folder, write_json
from counterpoise.core.manifests import CORPUS
from counterpoise.corpus.counting.count_files import CountSettings

if TYPE_CHECKING:
    from counterpoise.corpus.learning.experiment import LearningSettings


def make_corpus_folder(folder: Path) -> None:
    """Makes the folder; one that holds something else is left alone."""
    if folder.exists() and not folder.is_dir():
        raise RunError(f"{folder} is a file; choose another folder with --out")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "counts").is_dir():
        raise RunError(f"{folder} exists and holds something else; choose another folder with --out")
    make_folder(folder)
    make_inner_folder(folder / "counts")


def write_corpus_manifest(
    folder: Path,
    corpora: Sequence[str],
    method: str,
    settings: CountSettings,
    min_count: int,
    learning: LearningSettings | None = None,
) -> None:
    """Writes `manifest.json`, the last file of a folder that is complete."""
    manifest = {
        "schema": 1,
        "kind": CORPUS,
        "corpora": list(corpora),
        "method": method,
        "settings": asdict(settings) | {"min_count": min_count},
        "learning": asdict(learning) if learning is not None else None,
        "versions": versions(),
        "finished": datetime.now(timezone.utc).isoformat(timespec="seconds"),
    }
    write_json(folder / "manifest.json", manifest)
