"""What can be set of the study, checked before its first cell: settings, factors, and files that are at hand.

Third-party data that are not at hand are no error: the cells that need them are left out with the reason.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field

from counterpoise.core.errors import InputError
from counterpoise.data.corpus import Corpus
from counterpoise.mitigate.finetune.recipes import preset_recipe
from counterpoise.mitigate.finetune.training_texts import FEWEST_SENTENCES
from counterpoise.studies.engine.study import Study
from counterpoise.studies.papers.barza2023.training import (
    BOUND_WORDING,
    GAP,
    MT_GENDER,
    NEUTRAL_WORDING,
    REMINDER_WORDS,
    TEXTS,
)
from counterpoise.studies.replication.settings import (
    Count,
    Device,
    Name,
    Seed,
    StrictModel,
    check_training,
    read_if_at_hand,
    validated,
)

_FEWEST_PAIRS = 4  # two about women and two about men, for an interval within both
MOST_PAIRS = 117  # of the largest category
MOST_REMINDERS = 411  # different ones about the word that has the fewest
_Sentences = Annotated[int, Field(ge=FEWEST_SENTENCES)]


class _Settings(StrictModel):
    """What `--set` may change."""

    device: Device
    recipe: Literal["paper", "published"]
    training: dict[str, Any]
    sentences: _Sentences | None
    pairs: Annotated[int, Field(ge=_FEWEST_PAIRS, le=MOST_PAIRS)] | None
    corpora: Annotated[list[Name], Field(min_length=1)]
    sizes: Annotated[list[Count], Field(min_length=1)]
    repeats: Count
    reminders: Annotated[int, Field(ge=1, le=MOST_REMINDERS)]


class _Factors(StrictModel):
    """The values that the study's factors can have; a model is known when it is loaded."""

    models: list[Name]
    model: list[Name]
    text: list[Literal[TEXTS]]  # type: ignore[valid-type]
    word: list[Literal[tuple(REMINDER_WORDS)]]  # type: ignore[valid-type]
    wording: list[Literal[BOUND_WORDING, NEUTRAL_WORDING]]  # type: ignore[valid-type]
    copies: list[Count]
    size: list[_Sentences]
    sample: list[Seed]
    seed: list[Seed]


def check(study: Study) -> None:
    """One line where a setting, a factor or a file is such that no cell could use it.

    >>> from counterpoise.studies.engine.study import read_study
    >>> check(read_study("barza2023")[0].at("smoke", {"pairs": -1}))
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: the setting pairs must be greater than or equal to 4, not -1
    """
    settings = validated(_Settings, study.settings, "setting")
    validated(_Factors, study.factors, "factor")
    check_training("training", settings.training, preset_recipe(settings.recipe).settings, fixed=["seed"])
    if len(set(settings.corpora)) < len(settings.corpora):
        raise InputError(f"the setting corpora names one twice: {', '.join(settings.corpora)}")
    for name in dict.fromkeys((MT_GENDER, GAP, *settings.corpora)):
        read_if_at_hand(partial(_first_text, name))


def _first_text(name: str) -> str | None:
    """The beginning of a corpus: a file that is no text, or has other columns, is an error."""
    advice = "the study reads the column 'text'; rename the one that holds the texts"
    return next(Corpus.of(name, column_advice=advice).documents(), None)
