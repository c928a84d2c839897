"""What can be set of the study, checked before its first cell: settings, factors, and files that are at hand.

Third-party data that are not at hand are no error: the cells that need them are left out with the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated

from pydantic import Field

from counterpoise.data.spec import Variant
from counterpoise.data.thirdparty.folders import look_for
from counterpoise.data.thirdparty.kurita_attributes import job_titles, skills, traits
from counterpoise.models.vector_readers import VectorReader
from counterpoise.models.vectors import WordVectors
from counterpoise.studies.engine.study import Study
from counterpoise.studies.papers.kurita2019.attributes import AttributeKind
from counterpoise.studies.papers.kurita2019.passages import Split, Training, passages
from counterpoise.studies.papers.kurita2019.resolution import Probe
from counterpoise.studies.papers.kurita2019.topics import TOPICS
from counterpoise.studies.replication.settings import (
    Count,
    Device,
    Seed,
    StrictModel,
    read_if_at_hand,
    validated,
)

_PLAIN_SUFFIXES = (".txt", ".vec", ".glove", ".w2v", ".bin")  # read block by block; others only as a whole


class _Settings(StrictModel):
    """The study's settings."""

    device: Device
    at_most: Annotated[int, Field(ge=TOPICS)] | None  # as many passages as topics are looked for in them
    patience: Count
    epochs: Count
    standardise: bool


class _Factors(StrictModel):
    """The values that the study's factors can have."""

    model: list[str]
    variant: list[Variant]
    vectors: list[str]
    attributes: list[AttributeKind]
    passages: list[Split]
    training: list[Training]
    probe: list[Probe]
    seed: list[Seed]


# How the words of each row of table 5 are read.
_READERS: dict[AttributeKind, Callable[[], object]] = {
    "job titles": job_titles,
    "positive traits": partial(traits, "positive"),
    "negative traits": partial(traits, "negative"),
    "O*NET skills": partial(skills, "onet"),
    "repository skills": partial(skills, "in-demand"),
}


def check(study: Study) -> None:
    """Raises an error in one line where a setting, a factor or a file is not what the cells can use."""
    validated(_Settings, study.settings, "setting")
    factors = validated(_Factors, study.factors, "factor")
    for name in factors.vectors:
        _check_vectors(name)
    for split in factors.passages:
        read_if_at_hand(partial(passages, split))
    for kind in factors.attributes:
        read_if_at_hand(_READERS[kind])


def _check_vectors(name: str) -> None:
    """An error where the file is at hand and does not hold word vectors; of a big file the first block is read."""
    path = look_for("vectors", name)
    if path is None:
        return
    if path.suffix not in _PLAIN_SUFFIXES:
        WordVectors.open(path)
        return
    with path.open("rb") as file:
        next(VectorReader(path, file, file).chunks())
