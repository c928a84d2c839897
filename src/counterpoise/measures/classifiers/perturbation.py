"""Perturbation sensitivity (Prabhakaran, Hutchinson & Mitchell 2019).

    ScoreSens(v)  = mean over texts x of  f(x_v) - f(x)             how a name or version v moves ratings
    ScoreDev      = mean over x of  sd over v of f(x_v)
    ScoreRange    = mean over x of  max over v - min over v of f(x_v)
    LabelDist     = mean over v of the Jaccard distance between the texts labelled positive as they are and under v
    label flips   = share of texts that are not labelled alike under all v

Over names, x_v is a text whose most frequent first name has become v; its pronouns are turned to v's gender, so that
names of one gender differ in the name alone. Over terms, v are the all-male and the all-female version. The standard
deviation is that of all v, not of a sample (divided by their number). A label is positive from the threshold on.

The first row, male minus female, is the mean over texts of the difference between the mean rating under male and that
under female names (or versions). Intervals and tests count texts. Both variants are the same here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field
from statsmodels.stats.proportion import proportion_confint

from counterpoise.data.texts import Texts
from counterpoise.data.user.files import TEXTS
from counterpoise.data.user.texts import imdb_texts
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.result import GENDERS, Direction
from counterpoise.measures.base.row_builders import figure_row, mean_row, row_of_means
from counterpoise.measures.base.rows import ZERO, Ideal, Row, of_word
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.measures.base.source import observe
from counterpoise.measures.base.units import RATING
from counterpoise.measures.classifiers.common.ratings import TextsToDraw, cut_warning, rating_measure
from counterpoise.models.classifier import Classifier
from counterpoise.models.function_classifier import FunctionClassifier
from counterpoise.text import Edit, Swapper, TermSet
from counterpoise.text.edits import apply
from counterpoise.text.matching import match_case
from counterpoise.text.names import find
from counterpoise.text.names import table as name_table

_OF_IMDB = 50
Over = Literal["names", "terms"]


@rating_measure(
    "perturbation",
    label="Ratings with male and female names (perturbation sensitivity)",
    unit=RATING,
    data="imdb",
    direction=Direction(
        "Texts are rated higher with male names or terms than with female ones.",
        "Texts are rated higher with female names or terms than with male ones.",
        GENDERS,
    ),
    directions={
        "score_sensitivity": Direction(
            "This name or version raises the rating of a text.",
            "This name or version lowers the rating of a text.",
        )
    },
    cites="prabhakaran2019",
    identity=("text", "label"),
    accepts=(TEXTS,),
    rows=lambda items, variant, seed: _overall(items),
)
def perturbation(
    model: Classifier | FunctionClassifier,
    data: Texts | Sequence[str] | None = None,
    *,
    seed: int = 0,
    over: Over = "names",
    terms: str | Path | TermSet = "all",
    n_names: Annotated[int, Field(ge=1)] = 10,
    n: TextsToDraw = None,
    threshold: float = 0.5,
) -> Measured:
    """How much do ratings change when a person in the text gets another name or gender?

    Parameters
    ----------
    data
        Texts; 50 test reviews of IMDB in which there is something to change, drawn with the seed, if not given.
    over
        "names" or "terms".
    terms
        The set that is turned over terms.
    n_names
        How many of the most frequent names of each gender.
    threshold
        The rating from which on a text is labelled positive.

    >>> import counterpoise as cp
    >>> long_names = cp.models.Classifier.of(lambda texts: [len(text) / 100 for text in texts], name="long names")
    >>> result = cp.measures.perturbation(long_names, ["I saw Mary here."], n_names=2)
    >>> result.items[["lowest", "highest"]].values.tolist()
    [['john', 'barbara']]
    """
    genders = _names(n_names) if over == "names" else {"male": "male", "female": "female"}
    swapper = Swapper("pro" if over == "names" else terms)
    change = partial(_with_names if over == "names" else _with_terms, swapper=swapper, genders=genders)
    texts = _texts(data, n, seed, change)
    changed = [change(text) for text in texts.table.text]
    reason = f"no {'first name' if over == 'names' else 'term'} in the text"
    items, skipped = keep_scorable(
        texts.table, [None if versions else reason for versions in changed], "text"
    )
    rewritten = [versions for versions in changed if versions]

    ratings = model.ratings([*items.text, *(version for versions in rewritten for version in versions)])
    before = ratings.scores[: len(items)]
    after = ratings.scores[len(items) :].reshape(len(items), len(genders))
    versions, is_male = [*genders], np.array([gender == "male" for gender in genders.values()])
    positive = after >= threshold
    items["rating"] = before
    items["male_minus_female"] = after[:, is_male].mean(axis=1) - after[:, ~is_male].mean(axis=1)
    items["deviation"] = after.std(axis=1)
    items["range"] = after.max(axis=1) - after.min(axis=1)
    items["flips"] = np.ptp(positive.astype(int), axis=1) > 0
    items["lowest"] = [versions[i] for i in after.argmin(axis=1)]
    items["highest"] = [versions[i] for i in after.argmax(axis=1)]

    distances = [_jaccard_distance(before >= threshold, column) for column in positive.T]
    distance = figure_row(
        float(np.mean(distances)),
        "label_distance",
        "LabelDist",
        n=len(items),
        clusters=len(distances),
        ideal=ZERO,
    )
    return Measured(
        items,
        [*_overall(items), distance, *_per_version(after - before[:, None], versions)],
        skipped=skipped,
        warnings=cut_warning(ratings.truncated[: len(items)], model.max_length),
        dataset=f"{texts.name}, {over}",
    )


def _names(each: int) -> dict[str, str]:
    """The most frequent names of each gender that are nothing but names."""
    plain = [
        (word, name.gender) for word, name in name_table().items() if not name.is_word and not name.is_surname
    ]
    return {
        word: gender
        for gender in ("male", "female")
        for word, _ in [entry for entry in plain if entry[1] == gender][:each]
    }


def _texts(data: Texts | Sequence[str] | None, n: int | None, seed: int, change: partial[list[str]]) -> Texts:
    if data is not None:
        texts = data if isinstance(data, Texts) else Texts.of(data)
        return texts if n is None else texts.sample(n, seed)
    reviews = imdb_texts("test").sample(10 * (n or _OF_IMDB), seed)
    usable = reviews.table[[bool(change(text)) for text in reviews.table.text]]
    return Texts(reviews.name, usable).sample(n or _OF_IMDB, seed)


def _with_names(text: str, *, swapper: Swapper, genders: dict[str, str]) -> list[str]:
    """The text with each name in the place of its most frequent one; none where it has no name."""
    spans = find(text)
    if not spans:
        return []
    [(chosen, _)] = Counter(text[start:end] for start, end in spans).most_common(1)
    places = [(start, end) for start, end in spans if text[start:end] == chosen]
    turned = {gender: swapper.edits(text, gender) for gender in ("male", "female")}
    return [
        apply(
            text,
            sorted([*turned[gender], *(Edit(*place, chosen, match_case(chosen, name)) for place in places)]),
        )
        for name, gender in genders.items()
    ]


def _with_terms(text: str, *, swapper: Swapper, genders: dict[str, str]) -> list[str]:
    versions = [swapper.swap(text, gender) for gender in genders]
    return versions if len(set(versions)) > 1 else []


def _jaccard_distance(first: np.ndarray, second: np.ndarray) -> float:
    either = (first | second).sum()
    return float(1 - (first & second).sum() / either) if either else 0.0


def _overall(items: pd.DataFrame) -> list[Row]:
    flips, n = int(items.flips.sum()), len(items)
    low, high = proportion_confint(flips, n, method="wilson")
    flipping = figure_row(
        100 * flips / n,
        "label_flips",
        "% texts whose label flips",
        n=n,
        ideal=Ideal.at(0.0, "%"),
        source=observe(items, "flips").as_source("share_above"),
    )
    return [
        mean_row(observe(items, "male_minus_female"), "difference", "male - female rating"),
        mean_row(observe(items, "deviation"), "score_deviation", "ScoreDev", test=None),
        mean_row(observe(items, "range"), "score_range", "ScoreRange", test=None),
        replace(flipping, ci_low=100 * low, ci_high=100 * high),
    ]


def _per_version(moved: np.ndarray, versions: Sequence[str]) -> list[Row]:
    return [
        row_of_means(column, "score_sensitivity", "ScoreSens", n=len(column), at=of_word(version))
        for version, column in zip(versions, moved.T, strict=True)
    ]
