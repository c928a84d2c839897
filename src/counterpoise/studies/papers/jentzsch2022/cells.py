"""The cells of the study: make the base model, train a classifier, rate the test reviews with it, count.

    prepare base                                  a base model, if it must be made first (bases.py)
    train   base, condition, batch size, seed     a classifier, in the folder `model`
    rate    the same                              ratings.npz: the bias of each test review, with each set of terms
    count   the same                              a row per set of terms: bias, interval, test, counts, accuracy

All but `count` need torch, transformers and little else (no pydantic, no statsmodels), so that they also run on a
bare machine with a GPU: `tools/jentzsch_builtin.py` calls them there, and the setting `results` takes what it wrote.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, Literal

import pandas as pd

from counterpoise.studies.engine.cells import Cell, left_out_without_data
from counterpoise.studies.papers.jentzsch2022.bases import base_location
from counterpoise.studies.papers.jentzsch2022.options import options
from counterpoise.studies.papers.jentzsch2022.precomputed import OWN, find_training
from counterpoise.studies.papers.jentzsch2022.rating import TERM_SETS, Rated, rate_reviews
from counterpoise.studies.papers.jentzsch2022.reviews import reviews
from counterpoise.studies.papers.jentzsch2022.term_lists import lists_name, planned_lists
from counterpoise.text.conditions import CONDITIONS
from counterpoise.tuning import PRESETS, Settings, train_classifier

RATINGS = "ratings.npz"


def train(cell: Cell) -> dict[str, Any]:
    """Fine-tunes a base model on the training reviews under a condition."""
    chosen = options(cell.settings)
    if (precomputed := find_training(chosen["results"], cell.factors, cell.settings)) is not None:
        return dict(precomputed.train)
    training = _reviews("train", chosen)
    settings = training_settings(cell.factors, chosen)
    lists = planned_lists(chosen)
    trained = train_classifier(
        training.review.tolist(),
        training.sentiment.tolist(),
        cell.folder / "model",
        base=base_location(cell, chosen["results"]),
        condition=cell.factors["condition"],
        variant=chosen["variant"],
        lists=lists,
        settings=settings,
        device=chosen["device"],
    )
    best = {f"validation_{name}": value for name, value in trained.best.items()}
    return {
        "reviews": len(training),
        "variant": chosen["variant"],
        "lists": lists_name(lists),
        "batch": settings.batch_size,
        "steps": trained.steps,
        "epochs": trained.epochs,
        **best,
    }


def rate(cell: Cell) -> dict[str, Any]:
    """Rates the test reviews, treated like the training ones and turned male and female."""
    chosen = options(cell.settings)
    if (precomputed := find_training(chosen["results"], cell.factors, cell.settings)) is not None:
        shutil.copyfile(precomputed.ratings, cell.folder / RATINGS)
        return dict(precomputed.rate)
    from counterpoise.models import Classifier, load

    classifier = load(
        cell.needed("train").folder / "model",
        kind="classifier",
        device=chosen["device"],
        dtype=chosen["dtype"],
    )
    assert isinstance(classifier, Classifier)
    test = _reviews("test", chosen)
    own = CONDITIONS[cell.factors["condition"]].terms
    rated, right, right_short = rate_reviews(
        classifier,
        test.review.tolist(),
        test.sentiment.tolist(),
        cell.factors["condition"],
        TERM_SETS if chosen["cross"] or not own else (own,),
        chosen["variant"],
        planned_lists(chosen),
    )
    rated.save(cell.folder / RATINGS)
    return {
        "reviews": len(test),
        **asdict(right),
        **{f"{name}_64": count for name, count in asdict(right_short).items()},
    }


def count(cell: Cell) -> dict[str, Any]:
    """The rows of the paper's tables, from the ratings."""
    from counterpoise.studies.papers.jentzsch2022.summary_rows import bias_rows

    rated = cell.needed("rate")
    own = CONDITIONS[cell.factors["condition"]].terms
    return {"rows": bias_rows(Rated.read(rated.folder / RATINGS), rated.result, own)}


def training_settings(factors: Mapping[str, Any], chosen: Mapping[str, Any]) -> Settings:
    """How the classifier of a cell is trained."""
    preset = PRESETS.get(factors["base"])
    if chosen["training"] is not None:
        settings = Settings(**chosen["training"])
    elif preset is not None and chosen["variant"] == "published":
        settings = preset.published(factors["condition"])
    else:
        settings = Settings()
    if (size := factors.get("batch_size", OWN)) != OWN:
        settings = replace(settings, batch_size=size)
    return replace(settings, seed=factors["seed"])


def _reviews(half: Literal["train", "test"], chosen: Mapping[str, Any]) -> pd.DataFrame:
    with left_out_without_data():
        return reviews(half, chosen[f"{half}_reviews"], chosen["imdb"])
