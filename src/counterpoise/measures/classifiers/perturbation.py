"""Perturbation sensitivity (Prabhakaran, Hutchinson & Mitchell 2019).

    ScoreSens(v)  = mean over texts x of  f(x_v) - f(x)             how a name or version v moves ratings
    ScoreDev      = mean over x of  sd over v of f(x_v)
    ScoreRange    = mean over x of  max over v - min over v of f(x_v)
    LabelDist     = mean over v of the Jaccard distance between the texts labelled positive as they are and under v
    label flips   = share of texts that are not labelled alike under all v

Over names, x_v is a text whose most frequent first name has become v; its pronouns are turned to v's gender, so that
names of one gender differ in the name alone. Over terms, v are the all-male and the all-female version. The standard
deviation is that of all v, not of a sample (divided by their number). A label is positive from the threshold on.

With `versions` x_v over terms are any set of them: male, female, neutral, they, xe, other pronoun sets. Then the
largest gap between the mean ratings of any two versions leads, with a test that permutes the versions within each text
since a largest gap is above 0 by chance, and the difference of every pair follows, corrected together (Holm). Sentences
that can be read in two ways stay as they are, and are counted.

With a table of names by gender and group (`names_table`) every name is written into every text, and the main effects
of gender and group and their interaction lead. Texts and names are crossed and both are samples, so intervals count
both; the tests are corrected together (Holm).

Otherwise the first row, male minus female, is the mean over texts of the difference between the mean rating under male
and that under female names (or versions). Intervals and tests count texts. Both variants are the same here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from counterpoise.core.errors import InputError
from counterpoise.data.texts import Texts
from counterpoise.data.user.files import NAMES_TABLE, TEXTS
from counterpoise.data.user.name_tables import NamesTable, names_table_of
from counterpoise.data.user.texts import imdb_texts
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.name_rows import NAME_DIRECTIONS, name_rows, with_name_effects
from counterpoise.measures.base.result import GENDERS, Direction
from counterpoise.measures.base.rows import Row
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.measures.base.units import COUNT, RATING
from counterpoise.measures.base.version_names import GENDERED
from counterpoise.measures.base.version_rows import VERSION_DIRECTIONS, version_rows, with_versions
from counterpoise.measures.classifiers.common.name_ratings import (
    NO_NAME,
    OwnNames,
    neutral_versions,
    with_names,
)
from counterpoise.measures.classifiers.common.perturbation_rows import (
    difference_row,
    label_distance_row,
    sensitivity_rows,
    spread_rows,
)
from counterpoise.measures.classifiers.common.ratings import TextsToDraw, cut_warning, rating_measure
from counterpoise.measures.classifiers.common.text_versions import (
    ONE_AT_A_TIME,
    VersionedTexts,
    VersionNames,
    left_rows,
    left_warning,
    make_versions,
    versions_beyond_gender,
)
from counterpoise.models.classifier import Classifier
from counterpoise.models.function_classifier import FunctionClassifier
from counterpoise.text import Swapper, TermSet
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
    units={"largest_gap": RATING, "sentences_left": COUNT},
    directions={
        **VERSION_DIRECTIONS,
        **NAME_DIRECTIONS,
        "score_sensitivity": Direction(
            "This name or version raises the rating of a text.",
            "This name or version lowers the rating of a text.",
        ),
        **dict.fromkeys(
            ("score_deviation", "score_range", "label_flips", "label_distance"),
            Direction(
                "Ratings change with the name or version.", "Ratings do not change with the name or version."
            ),
        ),
    },
    cites="prabhakaran2019",
    identity=("text", "label"),
    accepts=(TEXTS, NAMES_TABLE),
    rows=lambda items, variant, seed: [difference_row(items), *spread_rows(items)],
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
    versions: VersionNames = None,
    names_table: OwnNames = None,
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
        How many of the most frequent names of each gender; not used with a table of names.
    threshold
        The rating from which on a text is labelled positive.
    versions
        They are compared over terms, whatever `over` says.
    names_table
        They are compared over names.

    >>> import counterpoise as cp
    >>> long_names = cp.models.Classifier.of(lambda texts: [len(text) / 100 for text in texts], name="long names")
    >>> result = cp.measures.perturbation(long_names, ["I saw Mary here."], n_names=2)
    >>> result.items[["lowest", "highest"]].values.tolist()
    [['john', 'barbara']]
    """
    kinds = _kinds(over, n_names, versions, names_table_of(names_table))
    of_names = kinds.over == "names"
    swapper = Swapper("pro" if of_names else terms)
    # A text is changed once, though it is looked at before it is drawn, and its sentences are counted at the end.
    versions_of = cache(lambda text: make_versions(swapper, [text], kinds.genders))
    change = cache(
        partial(with_names, swapper=swapper, genders=kinds.genders) if of_names else _differing(versions_of)
    )
    texts = _texts(data, n, seed, change)
    changed = [change(text) for text in texts.table.text]
    of_terms = "no version of the text differs" if kinds.targets else "no term in the text"
    reason = NO_NAME if of_names else of_terms
    items, skipped = keep_scorable(
        texts.table, [None if versions else reason for versions in changed], "text"
    )

    ratings = model.ratings([*items.text, *(text for of_text in changed for text in of_text)])
    before = ratings.scores[: len(items)]
    after = ratings.scores[len(items) :].reshape(len(items), len(kinds.genders))
    items = _items(items, before, after, kinds, threshold)
    made = (
        VersionedTexts.joined(map(versions_of, items.text))
        if kinds.targets
        else neutral_versions(swapper, items.text.tolist(), kinds.genders)
    )
    return Measured(
        items,
        [
            *_compared(items, after, kinds, seed),
            *spread_rows(items),
            label_distance_row(before >= threshold, after >= threshold),
            *sensitivity_rows(after - before[:, None], [*kinds.genders]),
            *left_rows(made),
        ],
        skipped=skipped,
        warnings=(
            *left_warning(made),
            *cut_warning(ratings.truncated[: len(items)], model.max_length),
        ),
        dataset=f"{texts.name}, {kinds.described}",
    )


@dataclass(frozen=True)
class _Kinds:
    """What is put into texts: names or versions, with genders; `targets` where versions are not male and female."""

    over: Over
    genders: Mapping[str, str]
    described: str
    targets: Mapping[str, str] = field(default_factory=dict)
    names: NamesTable | None = None


def _kinds(over: Over, n_names: int, versions: Sequence[str] | None, names: NamesTable | None) -> _Kinds:
    targets = versions_beyond_gender(versions)
    if targets:
        if names is not None:
            raise InputError(ONE_AT_A_TIME)
        return _Kinds("terms", targets, targets=targets, described=f"versions {', '.join(targets)}")
    if over == "names":
        if names is None:
            return _Kinds(over, _names(n_names), described=over)
        genders = dict(zip(names.names, names.table.gender, strict=True))
        return _Kinds(over, genders, names=names, described=f"names of {Path(names.name).name}")
    if names is not None:
        raise InputError("a table of names is compared over names (over=names)")
    return _Kinds(over, dict(zip(GENDERED, GENDERED, strict=True)), described=over)


def _items(
    items: pd.DataFrame, before: np.ndarray, after: np.ndarray, kinds: _Kinds, threshold: float
) -> pd.DataFrame:
    """The items with what the names or versions do to each text; `after` has a column for each of them."""
    versions = [*kinds.genders]
    items["rating"] = before
    if kinds.targets:
        items = with_versions(items, after, versions)
    elif kinds.names is not None:
        items = with_name_effects(items, after, kinds.names)
    else:
        is_male = np.array([gender == "male" for gender in kinds.genders.values()])
        items["male_minus_female"] = after[:, is_male].mean(axis=1) - after[:, ~is_male].mean(axis=1)
    items["deviation"] = after.std(axis=1)
    items["range"] = after.max(axis=1) - after.min(axis=1)
    items["flips"] = np.ptp((after >= threshold).astype(int), axis=1) > 0
    items["lowest"] = [versions[i] for i in after.argmin(axis=1)]
    items["highest"] = [versions[i] for i in after.argmax(axis=1)]
    return items


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


def _texts(
    data: Texts | Sequence[str] | None, n: int | None, seed: int, change: Callable[[str], list[str]]
) -> Texts:
    if data is not None:
        texts = data if isinstance(data, Texts) else Texts.of(data)
        return texts if n is None else texts.sample(n, seed)
    reviews = imdb_texts("test").sample(10 * (n or _OF_IMDB), seed)
    usable = reviews.table[[bool(change(text)) for text in reviews.table.text]]
    return Texts(reviews.name, usable).sample(n or _OF_IMDB, seed)


def _differing(versions_of: Callable[[str], VersionedTexts]) -> Callable[[str], list[str]]:
    """The versions of a text; none where they are all the same."""

    def of(text: str) -> list[str]:
        made = versions_of(text)
        return list(made.texts[0]) if made.differ[0] else []

    return of


def _compared(items: pd.DataFrame, after: np.ndarray, kinds: _Kinds, seed: int) -> list[Row]:
    """Names or versions against each other."""
    if kinds.targets:
        return version_rows(items, [*kinds.targets], seed=seed)
    if kinds.names is not None:
        return name_rows(after, kinds.names)
    return [difference_row(items)]
