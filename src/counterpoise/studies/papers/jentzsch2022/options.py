"""The settings of the study: what `settings` in study.yaml may hold, and what holds where it says nothing.

imdb            a file of reviews; the dataset `imdb` of the data folder if not given
train_reviews   so many reviews of the training half, drawn alike from both labels; all if not given
test_reviews    the same of the test half
training        settings of a training (`counterpoise.tuning.Settings`); the authors' own if not given, variant
                "published", and a base model of theirs
base_training   how `builtin-adapted` and `builtin-half` are trained further (bases.py)
variant         "published" does as the authors' code did
lists           a file of terms; if not given, "published" takes the authors' (`jentzsch-turan/term_lists.json` or
                `.py` in the data folder) where they are at hand. "builtin" are ours
lists_hash      of the terms in use, filled in before the study is planned: other terms make other cells
cross           rate with all three sets of terms, not only the condition's own
dtype, device   how the trained model is loaded to rate
results         a folder of cells that were computed elsewhere (tools/jentzsch_builtin.py): taken, not computed
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from counterpoise.core.errors import unknown

# What study.yaml says too: the built-in model on all reviews.
DEFAULTS: dict[str, Any] = {
    "imdb": None,
    "train_reviews": None,
    "test_reviews": None,
    "training": {"epochs": 2, "learning_rate": 7e-5, "batch_size": 32, "patience": None},
    "base_training": {"epochs": 1, "learning_rate": 2e-4, "batch_size": 64, "seed": 0},
    "variant": "corrected",
    "lists": None,
    "lists_hash": None,
    "cross": True,
    "dtype": "float32",
    "device": "auto",
    "results": None,
}
# What must agree where results come from elsewhere: all that changes a number.
DECISIVE = (
    "train_reviews",
    "test_reviews",
    "training",
    "base_training",
    "variant",
    "lists",
    "cross",
    "dtype",
)


def options(settings: Mapping[str, Any]) -> dict[str, Any]:
    """All settings, with what is not given as in `DEFAULTS`.

    >>> options({"test_reviews": 100})["test_reviews"], options({})["variant"]
    (100, 'corrected')
    """
    for name in settings:
        if name not in DEFAULTS:
            raise unknown("setting of jentzsch2022", name, DEFAULTS)
    return {**DEFAULTS, **settings}
