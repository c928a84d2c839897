"""What is kept of a download that is not kept as it is.

Nothing is extracted: members of archives are read, and no name that an archive contains is ever used as a path.
"""

from __future__ import annotations

import csv
import re
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

from counterpoise.core.errors import DataError
from counterpoise.core.progress import progress
from counterpoise.data.thirdparty.sources import RemoteFile

_REVIEW = re.compile(r"aclImdb/(?P<split>train|test)/(?P<sentiment>pos|neg)/(?P<id>\d+)_(?P<rating>\d+)\.txt")
_REVIEWS = 50_000


# What archives raise that are damaged, encrypted (RuntimeError) or compressed in a way that Python does not know.
_UNPACKING = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    UnicodeDecodeError,
    OSError,
    RuntimeError,
    NotImplementedError,
)


def unpack(file: RemoteFile, download: Path, kept: Path) -> None:
    """Makes what is kept of a file out of its download."""
    if file.unpack is None:
        raise ValueError(f"{file.name} is kept as it is")
    try:
        _WAYS[file.unpack](file, download, kept)
    except _UNPACKING as error:
        raise DataError(f"{file.download_name} cannot be unpacked: {' '.join(str(error).split())}") from error


def _member(file: RemoteFile, download: Path, kept: Path) -> None:
    """One file of a zip or tar archive."""
    name = file.member or file.name
    with kept.open("wb") as target:
        if zipfile.is_zipfile(download):
            with zipfile.ZipFile(download) as archive:
                if name in archive.namelist():
                    shutil.copyfileobj(archive.open(name), target)
                    return
        else:
            with tarfile.open(download) as archive_of_files:
                for member in archive_of_files:
                    if member.name == name and member.isfile():
                        content = archive_of_files.extractfile(member)
                        assert content is not None  # it is a file
                        shutil.copyfileobj(content, target)
                        return
    raise DataError(f"{file.download_name} has no file {name}")


def _imdb(file: RemoteFile, download: Path, kept: Path) -> None:
    """The labelled reviews of the Large Movie Review Dataset as one table; the unlabelled ones are left out."""
    rows = []
    with (
        tarfile.open(download, mode="r:gz") as archive,
        progress(f"unpacking {file.download_name}", _REVIEWS, unit="reviews") as advance,
    ):
        for member in archive:
            match = _REVIEW.fullmatch(member.name)
            if match is None or not member.isfile():
                continue
            content = archive.extractfile(member)
            assert content is not None  # it is a file
            rows.append(
                (
                    match["split"],
                    match["sentiment"],
                    int(match["id"]),
                    int(match["rating"]),
                    content.read().decode("utf-8"),
                )
            )
            advance(1)
    if not rows:
        raise DataError(f"{file.download_name} has no reviews")
    # always the same table, whatever the order of the archive
    rows.sort(key=lambda row: (row[0] == "test", row[1] == "neg", row[2]))
    _write_csv(kept, ("split", "sentiment", "id", "rating", "review"), rows)


def _salaries(file: RemoteFile, download: Path, kept: Path) -> None:
    """Job titles and salaries; the names of the people are not kept.

    The file has names with a comma and without quotes, so that the authors' own way to read it, by commas, is the
    one that works: the third part is the title, the ninth the salary.
    """
    rows = []
    for line in download.read_text(encoding="utf-8", errors="replace").splitlines():
        parts = line.split(",")
        try:
            rows.append((parts[2], float(parts[8])))
        except (IndexError, ValueError):  # the header, and rows whose salary is no number
            continue
    if not rows:
        raise DataError(f"{file.download_name} has no salaries")
    _write_csv(kept, ("job_title", "annual_salary"), rows)


def _write_csv(path: Path, columns: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)


_WAYS: dict[str, Callable[[RemoteFile, Path, Path], None]] = {
    "member": _member,
    "imdb": _imdb,
    "salaries": _salaries,
}
