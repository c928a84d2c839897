"""Texts with other names in them, and how they are rated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd

from counterpoise.data.texts import Texts
from counterpoise.data.user.name_tables import NamesTable
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.documentation import Doc
from counterpoise.measures.base.name_rows import name_rows, with_name_effects
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.measures.classifiers.common.ratings import chance_warning, cut_warning
from counterpoise.measures.classifiers.common.text_versions import (
    VersionedTexts,
    left_rows,
    left_warning,
    make_versions,
)
from counterpoise.models.classifier import Classifier
from counterpoise.models.function_classifier import FunctionClassifier
from counterpoise.text import Edit, Swapper
from counterpoise.text.edits import apply, merge
from counterpoise.text.matching import match_case
from counterpoise.text.names import find
from counterpoise.text.swap import NEUTRAL

NO_NAME = "no first name in the text"
OwnNames = Annotated[
    NamesTable | str | Path | None,
    Doc(
        "Names of your own by gender and group: a file with the columns name, gender and group, or what "
        "`counterpoise.data.read_names_table` makes of it. Each takes the place of the most frequent first name of a "
        "text, and there are rows on the main effects and their interaction."
    ),
]


def with_names(text: str, swapper: Swapper, genders: Mapping[str, str]) -> list[str]:
    """The text with each name in the place of its most frequent one; none where it has no name.

    `genders` has the gender of each name; pronouns and other terms are turned to it.

    >>> with_names("Then Mary said that she was late.", Swapper("pro"), {"Tom": "male", "Sam": "neutral"})
    ['Then Tom said that he was late.', 'Then Sam said that they were late.']
    """
    spans = find(text)
    if not spans:
        return []
    [(chosen, _)] = Counter(text[start:end] for start, end in spans).most_common(1)
    places = [(start, end) for start, end in spans if text[start:end] == chosen]
    turned = {gender: swapper.edits(text, gender) for gender in dict.fromkeys(genders.values())}
    return [
        apply(
            text,
            merge([Edit(*place, chosen, match_case(chosen, name)) for place in places], turned[gender]),
        )
        for name, gender in genders.items()
    ]


def neutral_versions(
    swapper: Swapper, texts: Sequence[str], genders: Mapping[str, str]
) -> VersionedTexts | None:
    """The neutral version of each text, where any name is neutral: it may have sentences that stay as they are."""
    return make_versions(swapper, texts, {NEUTRAL: NEUTRAL}) if NEUTRAL in genders.values() else None


def over_names(
    model: Classifier | FunctionClassifier, texts: Texts, swapper: Swapper, names: NamesTable
) -> Measured:
    """Rates each text with each name of a table; texts without a first name are skipped."""
    genders = dict(zip(names.names, names.table.gender, strict=True))
    named = [with_names(text, swapper, genders) for text in texts.table.text]
    items, skipped = keep_scorable(texts.table, [None if made else NO_NAME for made in named], "text")
    ratings = model.ratings([text for made in named for text in made])
    scores = ratings.scores.reshape(len(items), len(genders))
    truncated = np.logical_or.reduce(ratings.truncated.reshape(scores.shape), axis=1)
    items = with_name_effects(items, scores, names)
    neutral = neutral_versions(swapper, items.text.tolist(), genders)
    return Measured(
        items,
        [*name_rows(scores, names), *left_rows(neutral)],
        skipped=skipped,
        warnings=(
            *left_warning(neutral),
            *cut_warning(truncated, model.max_length),
            *chance_warning(pd.Series(scores.mean(axis=1)), items.label),
        ),
    )
