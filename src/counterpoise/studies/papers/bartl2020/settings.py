"""The settings and factors of the study, checked before its first cell."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from counterpoise.core.errors import InputError, ModelError
from counterpoise.core.hub import hub_is_offline
from counterpoise.data.thirdparty.folders import check_whole, look_for
from counterpoise.models.loading import BUILTIN
from counterpoise.models.sentence_transformers import transformer_folder
from counterpoise.models.sources import check_folder, check_hub_name, in_local_cache
from counterpoise.studies.engine.study import Study
from counterpoise.studies.papers.bartl2020.associations import VARIANTS
from counterpoise.studies.papers.bartl2020.published import GAP_PASSAGES, PAPERS_GERMAN_MODEL, PAPERS_MODEL
from counterpoise.studies.papers.bartl2020.training import GAP_FILES, RECIPES
from counterpoise.studies.replication.settings import Count, Device, Name, Seed, StrictModel, validated

PERSON_PAIRS = 9
_FILES = {
    "gap": GAP_FILES,
    "bec-pro": ("gap_flipped.tsv", "BEC-Pro_EN.tsv", "BEC-Pro_DE.tsv"),
}


class _Settings(StrictModel):
    """What `--set` may change."""

    device: Device
    german: Name | None
    passages: Annotated[int, Field(ge=1, le=GAP_PASSAGES)] | None
    epochs: Count
    batch_size: Count | None
    pairs: Annotated[int, Field(ge=1, le=PERSON_PAIRS)] | None


class _Factors(StrictModel):
    """The values that the study's factors can have."""

    model: list[Name]
    language: list[Literal["en", "de"]]
    variant: list[Literal[VARIANTS]]  # type: ignore[valid-type]
    recipe: list[Literal[tuple(RECIPES)]]  # type: ignore[valid-type]
    seed: list[Seed]


def check(study: Study) -> None:
    """Raises an error in one line if a setting, a factor or a file is such that no cell could use it.

    >>> from counterpoise.studies.engine.study import read_study
    >>> check(read_study("bartl2020")[0].at("smoke", {"pairs": 12}))
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: the setting pairs must be less than or equal to 9, not 12
    """
    german = validated(_Settings, study.settings, "setting").german
    if german == BUILTIN:
        raise InputError(
            f"the setting german must be a model that reads German, such as {PAPERS_GERMAN_MODEL}; "
            "the built-in model reads English"
        )
    if german is not None:
        _check_model("setting german", german, PAPERS_GERMAN_MODEL)
    for model in validated(_Factors, study.factors, "factor").model:
        _check_model("factor model", model, PAPERS_MODEL)
    for dataset, names in _FILES.items():
        for name in names:
            if (path := look_for(dataset, name, f"{name}.xz")) is not None:
                check_whole(dataset, path)


def _check_model(what: str, name: str, papers_model: str) -> None:
    """Raises an error if there is no such model.

    The paper's own models are not checked: without their weights only the cells that need them fail.
    """
    if name in (BUILTIN, papers_model):
        return
    path = Path(name).expanduser()
    if path.is_dir():
        check_folder(transformer_folder(path), allow_pickle=False)
        return
    try:
        check_hub_name(name, offline=False)
    except ModelError:
        raise InputError(
            f"the {what} must be a masked language model, and {name!r} is neither a folder nor a model that the hub "
            "offers now"
        ) from None
    if hub_is_offline() and not in_local_cache(name):
        raise InputError(
            f"the {what} must be a masked language model, and {name!r} is neither a folder nor in the local cache of "
            "the hub (HF_HUB_OFFLINE is set)"
        )
