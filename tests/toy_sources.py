"""Data sets made up for tests of fetching, and archives."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

from counterpoise.data.thirdparty.sources import DataSource

TEXT = b"the published file\n" * 1000
ABOUT = {"title": "A set", "cite": "kurita2019", "licence": "MIT", "home": "https://x.org"}


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def source_of(*files: dict[str, object], **about: object) -> DataSource:
    return DataSource.model_validate({**ABOUT, "files": list(files), **about})


def left(folder: Path) -> list[str]:
    """All that is in a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def archive(kind: str, members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(buffer, "w") as zipped:
            for name, content in members.items():
                zipped.writestr(name, content)
    else:
        with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
            for name, content in members.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()
