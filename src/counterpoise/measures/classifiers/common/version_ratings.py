"""The ratings of any set of versions of texts, and the rows about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.data.texts import Texts
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.row_builders import figure_row
from counterpoise.measures.base.version_rows import version_rows, with_versions
from counterpoise.measures.classifiers.common.ratings import chance_warning, cut_warning
from counterpoise.measures.classifiers.common.text_versions import left_rows, left_warning, make_versions
from counterpoise.models.classifier import Classifier
from counterpoise.models.function_classifier import FunctionClassifier
from counterpoise.text import Swapper

NO_TERM = "no term"  # why a text is rated alike in all versions
NO_TERM_ROW = "zero_no_term"


def over_versions(
    model: Classifier | FunctionClassifier,
    texts: Texts,
    swapper: Swapper,
    targets: Mapping[str, str],
    seed: int,
) -> Measured:
    """Rates each version of each text as a whole; `targets` says what each version is called and made with."""
    made = make_versions(swapper, texts.table.text.tolist(), targets)
    check_terms(made.differ, texts, swapper.terms.name)
    ratings = model.ratings([text for versions in made.texts for text in versions])
    scores = ratings.scores.reshape(-1, len(targets))
    truncated = np.logical_or.reduce(ratings.truncated.reshape(-1, len(targets)), axis=1)

    shown = {f"text_{name}": side for name, side in zip(targets, zip(*made.texts, strict=True), strict=True)}
    items = with_versions(texts.table.assign(**shown), scores, made.names)
    items["sentences_left"] = made.left.max(axis=1)
    unchanged = made.differ.count(False)
    return Measured(
        items,
        [
            *version_rows(items, made.names, test="wilcoxon", seed=seed),
            figure_row(unchanged, NO_TERM_ROW, f"texts at zero: {NO_TERM}", n=len(items)),
            *left_rows(made),
        ],
        warnings=(
            *left_warning(made),
            *cut_warning(truncated, model.max_length),
            *chance_warning(pd.Series(scores.mean(axis=1)), items.label),
        ),
    )


def check_terms(differ: Sequence[bool], texts: Texts, terms: str) -> None:
    """Said before the work starts: without a term there is nothing to compare."""
    if not any(differ):
        raise DataError(
            f"no text of {texts.name} has a term of the set {terms} (tried {len(differ)}, e.g. "
            f"{texts.table.text.iloc[0]!r:.60}); its versions would be the same"
        )
