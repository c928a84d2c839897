"""What the cells of the study cost, from the numbers and lengths of IMDB's reviews."""

from __future__ import annotations

from dataclasses import replace

from counterpoise.studies.engine.costs import Cost
from counterpoise.studies.engine.grid import PlannedCell
from counterpoise.studies.engine.study import Study
from counterpoise.studies.papers.jentzsch2022.cells import training_settings
from counterpoise.studies.papers.jentzsch2022.reviews import IMDB_HALF
from counterpoise.studies.replication.costs import (
    ModelSize,
    Training,
    asking,
    model_size,
    plain,
    together,
    with_files,
)
from counterpoise.text.conditions import CONDITIONS
from counterpoise.tuning.presets import PRESETS, PUBLISHED_EVALUATION_LENGTH

_REVIEWS, _LENGTH, _CUT_SHORT = (
    IMDB_HALF,
    275.0,
    0.97,
)  # of each half; mean tokens up to 512; of 128 that reviews fill
_SENTENCES, _SENTENCE_LENGTH = 11.0, 27.0  # of a review; tokens
_TURNED = (
    1.5  # versions of a review, turned both ways with all sets of terms, that differ from it and each other
)
_PER_REVIEW = 15.0  # bytes of ratings


def estimate(cell: PlannedCell, study: Study) -> Cost | None:
    """What a cell costs; None where the size of its base model is not known."""
    if study.settings["results"] is not None:
        return plain(1.0)  # taken, not computed
    size = base_size(cell.factors["base"])
    if size is None:
        return None
    match cell.step:
        case "prepare":
            return _preparation(cell, size)
        case "train":
            return _training(cell, size)
        case "rate":
            return _rating(cell, size)
        case "count":
            return plain(0.1, disk=10e3)
    return None


def base_size(base: str) -> ModelSize | None:
    """The size of a base model: with the layers that the authors kept, or those of a derived model."""
    preset = PRESETS.get(base)
    name = preset.hub if preset else "builtin" if base.startswith("builtin-") else base
    size = model_size(name)
    if size is None:
        return None
    layers = preset.config.get("num_hidden_layers", size.layers) if preset else size.layers
    return replace(size, layers=layers // 2 if base == "builtin-half" else layers)


def _preparation(cell: PlannedCell, size: ModelSize) -> Cost:
    """A base model that is trained further on the sentences of the reviews; others are used as they are."""
    if not cell.factors["base"].startswith("builtin-"):
        return plain(0.1)
    training, texts = cell.settings["base_training"], cell.settings["train_reviews"] or _REVIEWS
    return Training(
        texts * _SENTENCES, _SENTENCE_LENGTH, int(training["batch_size"]), training["epochs"]
    ).cost(size, keeps=True)


def _training(cell: PlannedCell, size: ModelSize) -> Cost:
    settings = training_settings(cell.factors, cell.settings)
    texts = (cell.settings["train_reviews"] or _REVIEWS) * _versions(cell)
    length = _length(settings.max_length)
    training = Training(
        texts * (1 - settings.validation), length, settings.batch_size, settings.epochs, predicts=False
    ).cost(size, keeps=True)
    validation = asking(size, texts * settings.validation * settings.epochs, length, predicted=0)
    return together(training, replace(validation, seconds=0.0))


def _rating(cell: PlannedCell, size: ModelSize) -> Cost:
    own = CONDITIONS[cell.factors["condition"]].terms
    all_sets = cell.settings["cross"] or not own
    reviews = cell.settings["test_reviews"] or _REVIEWS
    whole = asking(size, reviews * (_versions(cell) + (_TURNED if all_sets else 1.0)), _LENGTH, predicted=0)
    short = asking(size, reviews * _versions(cell), PUBLISHED_EVALUATION_LENGTH, predicted=0)
    return with_files(together(whole, short), reviews * _PER_REVIEW)


def _versions(cell: PlannedCell) -> int:
    """A mixed condition has each review twice."""
    return 2 if cell.factors["condition"].startswith("mix") else 1


def _length(longest: int) -> float:
    """The mean tokens of a review that is cut to a length."""
    return min(_LENGTH, longest * _CUT_SHORT)
