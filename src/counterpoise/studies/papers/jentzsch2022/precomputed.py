"""Trainings that were carried out elsewhere: a JSON and an NPZ each, as `tools/jentzsch_builtin.py` writes them.

Base models that were made for them are in the folder `bases`: a JSON each, and the weights where these were kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterpoise.core.errors import RunError
from counterpoise.core.files import read_json
from counterpoise.studies.papers.jentzsch2022.options import DECISIVE, DEFAULTS

BASES = "bases"  # the folder of base models
OWN = "own"  # the batch size that the settings name, or the authors' own


@dataclass(frozen=True)
class PrecomputedTraining:
    """What `train` and `rate` returned, with which settings, and the file of ratings."""

    factors: Mapping[str, Any]
    settings: Mapping[str, Any]
    train: Mapping[str, Any]
    rate: Mapping[str, Any]
    ratings: Path

    @classmethod
    def read(cls, path: Path) -> PrecomputedTraining:
        record = read_json(path)
        try:
            return cls(
                factors=record["factors"],
                settings=record["settings"],
                train=record["train"],
                rate=record["rate"],
                ratings=path.with_suffix(".npz"),
            )
        except (KeyError, TypeError) as error:
            raise RunError(f"{path} is no training of jentzsch2022: {error}") from error


@dataclass(frozen=True)
class PrecomputedBase:
    """What `prepare` returned, and where the weights are if they were kept."""

    result: Mapping[str, Any]
    model: Path


def file_stem(factors: Mapping[str, Any]) -> str:
    """The name of a training's files.

    >>> file_stem({"base": "builtin", "condition": "R-pro", "seed": 1})
    'builtin_R-pro_own_1'
    """
    named = (factors["base"], factors["condition"], factors.get("batch_size", OWN), factors["seed"])
    return "_".join(str(value).replace("/", "-") for value in named)


def find_training(
    folder: str | Path | None, factors: Mapping[str, Any], settings: Mapping[str, Any]
) -> PrecomputedTraining | None:
    """The training with these factors, or None; what was set then must agree with these settings."""
    path = _find(folder, f"{file_stem(factors)}.json")
    if path is None:
        return None
    training = PrecomputedTraining.read(path)
    _check_settings(path, training.settings, settings)
    return training


def find_base(folder: str | Path | None, base: str, settings: Mapping[str, Any]) -> PrecomputedBase | None:
    """The base model of this name, or None; what was set then must agree with these settings."""
    path = _find(folder, f"{BASES}/{base}.json")
    if path is None:
        return None
    record = read_json(path)
    try:
        result, then = record["prepare"], record["settings"]
    except (KeyError, TypeError) as error:
        raise RunError(f"{path} is no base model of jentzsch2022: {error}") from error
    _check_settings(path, then, settings)
    return PrecomputedBase(result, path.with_suffix(""))


def read_trainings(folder: str | Path) -> list[PrecomputedTraining]:
    """Every training in a folder."""
    trainings = [PrecomputedTraining.read(path) for path in sorted(Path(folder).glob("*.json"))]
    if not trainings:
        raise RunError(f"{folder} has no training runs of jentzsch2022")
    return trainings


def _find(folder: str | Path | None, name: str) -> Path | None:
    if folder is None:
        return None
    place = Path(folder).expanduser()
    if not place.is_dir():
        raise RunError(f"there is no folder {place} to take results from")
    return path if (path := place / name).is_file() else None


def _check_settings(path: Path, then: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    for name in DECISIVE:
        value = then.get(name, DEFAULTS[name])
        if name in now and value != now[name]:
            raise RunError(f"{path} was made with {name} {value!r}, and the study has {now[name]!r}")
