"""Texts with other names in them, and how they are rated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd

from counterpoise.data.texts import Texts
from counterpoise.data.user.name_tables import NamesTable, read_names_table
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.documentation import Doc
from counterpoise.measures.base.name_rows import name_rows, with_name_effects
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.measures.classifiers.common.ratings import chance_warning, cut_warning
from counterpoise.models.classifier import Classifier
from counterpoise.models.function_classifier import FunctionClassifier
from counterpoise.text import Edit, Swapper
from counterpoise.text.edits import apply, merge
from counterpoise.text.matching import match_case
from counterpoise.text.names import find

NO_NAME = "no first name in the text"
OwnNames = Annotated[
    NamesTable | str | Path | None,
    Doc(
        "Names of your own by gender and group: a file with the columns name, gender and group, or what "
        "`counterpoise.data.read_names_table` makes of it. Each takes the place of the most frequent first name of a "
        "text, and there are rows on the main effects and their interaction."
    ),
]


def own_names(given: NamesTable | str | Path | None) -> NamesTable | None:
    """The table that was given, or that the file has."""
    return read_names_table(given) if isinstance(given, str | Path) else given


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


def over_names(
    model: Classifier | FunctionClassifier, texts: Texts, swapper: Swapper, names: NamesTable
) -> Measured:
    """Rates each text with each name of a table; texts without a first name are skipped."""
    genders = dict(zip(names.names, names.table.gender, strict=True))
    made = [with_names(text, swapper, genders) for text in texts.table.text]
    items, skipped = keep_scorable(texts.table, [None if versions else NO_NAME for versions in made], "text")
    ratings = model.ratings([text for versions in made for text in versions])
    scores = ratings.scores.reshape(len(items), len(genders))
    truncated = np.logical_or.reduce(ratings.truncated.reshape(scores.shape), axis=1)
    items = with_name_effects(items, scores, names)
    return Measured(
        items,
        name_rows(items, scores, names),
        skipped=skipped,
        warnings=(
            *cut_warning(truncated, model.max_length),
            *chance_warning(pd.Series(scores.mean(axis=1)), items.label),
        ),
    )
