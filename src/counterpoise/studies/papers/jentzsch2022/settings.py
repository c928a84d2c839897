"""The study's settings, factors and files, checked before its first cell. What they mean stands in options.py.

Third-party data that are not at hand are no error here: cells that need them are left out with the reason.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from counterpoise.core.errors import InputError, RunError
from counterpoise.models.loading import Dtype
from counterpoise.studies.engine.grid import plan
from counterpoise.studies.engine.study import Study
from counterpoise.studies.papers.jentzsch2022.bases import base_settings
from counterpoise.studies.papers.jentzsch2022.cells import training_settings
from counterpoise.studies.papers.jentzsch2022.precomputed import OWN, find_base, find_training
from counterpoise.studies.papers.jentzsch2022.rating import TERM_SETS
from counterpoise.studies.papers.jentzsch2022.reviews import IMDB_HALF, check_reviews
from counterpoise.studies.papers.jentzsch2022.term_lists import lists_in_use
from counterpoise.studies.replication.settings import (
    Count,
    Device,
    Name,
    Seed,
    StrictModel,
    check_training,
    validated,
)
from counterpoise.text.conditions import CONDITIONS
from counterpoise.text.swap import Swapper, Variant
from counterpoise.tuning import Settings

_Reviews = Annotated[int, Field(ge=4)]  # two of each label: one to train on, one to validate with


class _Settings(StrictModel):
    """What `--set` may change."""

    imdb: Name | None
    train_reviews: _Reviews | None
    test_reviews: _Reviews | None
    training: dict[str, Any] | None
    base_training: dict[str, Any]
    variant: Variant
    lists: Name | None
    lists_hash: Name | None
    cross: bool
    dtype: Dtype
    device: Device
    results: Name | None


class _OfImdb(StrictModel):
    """No more reviews than there are, unless they are the user's own."""

    train_reviews: Annotated[int, Field(le=IMDB_HALF)] | None
    test_reviews: Annotated[int, Field(le=IMDB_HALF)] | None


class _Factors(StrictModel):
    """The values that the study's factors can have; a base model is known when it is loaded."""

    base: list[Name]
    condition: list[Literal[tuple(CONDITIONS)]]  # type: ignore[valid-type]
    batch_size: list[Literal["own"] | Count]
    seed: list[Seed]


def check(study: Study) -> None:
    """Raises an error in one line where a setting, a factor or a file is not what the cells can use."""
    validated(_Factors, study.factors, "factor")
    validated(_Settings, study.settings, "setting")
    settings: dict[str, Any] = dict(study.settings)
    for name in ("training", "base_training"):
        check_training(name, settings[name] or {}, Settings())
    for base in study.factors["base"]:
        factors = {"base": base, "condition": "original", "batch_size": OWN, "seed": 0}
        if training_settings(factors, settings).validation == 0:
            raise InputError(
                "the setting training: a classifier needs validation, a share of reviews above 0"
            )
    if base_settings(settings["base_training"]).validation:
        raise InputError(
            "the setting base_training: a base model is trained without validation; leave it out"
        )
    if settings["imdb"] is not None:
        check_reviews(Path(settings["imdb"]))
    else:
        validated(_OfImdb, {name: settings[name] for name in _OfImdb.model_fields}, "setting")
    if (lists := lists_in_use(settings)) is not None:
        for terms in TERM_SETS:
            Swapper(f"{lists}#{terms}", variant=settings["variant"])
    if settings["results"] is not None:
        _check_results(study)


def _check_results(study: Study) -> None:
    """Every record that the study would take must be readable and made with the same settings."""
    folder: Any = study.settings["results"]
    try:
        for cell in plan(study).values():
            if cell.step == "prepare":
                find_base(folder, cell.factors["base"], cell.settings)
            elif cell.step == "train":
                find_training(folder, cell.factors, cell.settings)
    except RunError as error:
        raise InputError(str(error)) from error
