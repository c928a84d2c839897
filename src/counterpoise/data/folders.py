"""Where data sets that are not ours lie on this machine: `--data DIR`, else the folder `COUNTERPOISE_DATA` names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from counterpoise.core.errors import DataError

_chosen: ContextVar[Path | None] = ContextVar("data folder", default=None)

# What each data set is looked for under.
KNOWN = {
    "bec-pro": "BEC-Pro as published, and the gender-swapped GAP (Bartl et al. 2020)",
    "bls": "US employment by occupation and sex",
    "crows-pairs": "CrowS-Pairs (Nangia et al. 2020)",
    "eec": "Equity Evaluation Corpus (Kiritchenko & Mohammad 2018)",
    "gap": "GAP coreference (Webster et al. 2018)",
    "imdb": "Large Movie Review Dataset (Maas et al. 2011)",
    "kurita": "job titles, traits and skills (Kurita et al. 2019)",
    "mt-gender": "MT Gender (Stanovsky et al. 2019)",
    "names": "US births by first name and gender",
    "sexism": "EDOS and generic pronouns",
    "stereoset": "StereoSet (Nadeem et al. 2020)",
    "ud": "Universal Dependencies, English EWT and German GSD",
    "vectors": "GloVe and word2vec vectors",
    "weat": "WEAT and SEAT stimuli",
    "winobias": "WinoBias (Zhao et al. 2018)",
    "winogender": "Winogender (Rudinger et al. 2018)",
}


def data_folder() -> Path | None:
    """The folder of data sets, or None if none was given."""
    if (chosen := _chosen.get()) is not None:
        return chosen
    named = os.environ.get("COUNTERPOISE_DATA")
    return Path(named) if named else None


@contextmanager
def using_data(folder: str | Path | None) -> Iterator[None]:
    """Within the block data sets are looked for in this folder; None changes nothing."""
    if folder is None:
        yield
        return
    path = Path(folder).expanduser()
    if not path.is_dir():
        raise DataError(f"there is no folder {path} to take data from")
    token = _chosen.set(path)
    try:
        yield
    finally:
        _chosen.reset(token)


def at_hand() -> dict[str, bool]:
    """For each known data set whether it is in the data folder."""
    folder = data_folder()
    return {name: folder is not None and (folder / name).is_dir() for name in KNOWN}


def find_file(data_set: str, *names: str) -> Path:
    """The first of these files that is in the folder of a data set; where there is none, it says where to put it."""
    folder = data_folder()
    found = (
        [folder / data_set / name for name in names if (folder / data_set / name).is_file()] if folder else []
    )
    if found:
        return found[0]
    place = f"{folder or 'DIR'}/{data_set}/{names[0]}"
    raise DataError(
        f"{KNOWN[data_set]} is not at hand: put it at {place} (--data DIR or COUNTERPOISE_DATA=DIR)"
    )
