"""Sentiment bias (Jentzsch & Turan 2022, section 2.4).

    bias(t)        = rating(male version of t) - rating(female version of t)      equation 2
    total bias     = mean of bias(t)                                              equation 3
    absolute bias  = mean of |bias(t)|                                            equation 4

Each text is turned all male and all female with a set of terms, whatever it was before, and both versions are rated.
Means are given over all texts, as in the equations, and over those whose bias is not zero, as in the paper's Table 1.
The test is Wilcoxon's signed-rank test, which leaves zeros out; V is the sum of the ranks above zero. Intervals and the
smallest detectable bias are those of the mean.

A bias of zero can mean three things, which are counted apart: the text has no term, so that its versions are one and
the same; its terms come after the last token that the model reads; or the model rates two different versions alike.

A term's own row is the mean bias of the texts that have the pair (from five texts on), with all else that they have;
with `alone` only that pair is turned, and the rest of the text stays as it was.

Published: texts are cleaned and swapped as the authors' code did, with their terms if their file is given
(`term_lists.json#all`), and ratings are rounded to single precision, in which many are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.core.errors import DataError
from counterpoise.data.spec import Variant
from counterpoise.data.texts import Texts
from counterpoise.data.user.files import TEXTS
from counterpoise.data.user.texts import imdb_texts
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.result import GENDERS, Direction
from counterpoise.measures.base.row_builders import absolute_row, figure_row, mean_row, share_row
from counterpoise.measures.base.rows import OVERALL, Place, Row, in_group, of_word
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.measures.base.source import Observed, Source, observe
from counterpoise.measures.base.units import COUNT, RATING
from counterpoise.measures.base.versions import Versions
from counterpoise.measures.classifiers.common.ratings import (
    TextsToDraw,
    chance_warning,
    cut_warning,
    rating_measure,
)
from counterpoise.models.classifier import Classifier
from counterpoise.models.function_classifier import FunctionClassifier
from counterpoise.text import Swapper, TermSet, clean
from counterpoise.text.gendered_versions import GenderedVersions, gendered_versions

_OF_IMDB = 500  # 25,000 reviews take a CPU hours
_FEWEST = 5  # texts that a pair of words needs for a row of its own
_NAMES = "first names"

# Why a bias is zero
NO_TERM = "no term"
BEYOND = "term beyond the model's length"
EQUAL = "rated alike"
_ZEROS = {NO_TERM: "zero_no_term", BEYOND: "zero_beyond_length", EQUAL: "zero_rated_alike"}  # in row keys
_COUNTS = ("wilcoxon_v", "above_zero", "below_zero", *_ZEROS.values())  # statistics that count texts or ranks
_NOT_ZERO = Place("overall", "not zero", "not_zero")


@rating_measure(
    "sentiment",
    label="Ratings of texts about men and women (sentiment bias)",
    unit=RATING,
    units=dict.fromkeys(_COUNTS, COUNT),
    data="imdb",
    direction=Direction(
        "Texts are rated higher when they are about men than when they are about women.",
        "Texts are rated higher when they are about women than when they are about men.",
        GENDERS,
    ),
    cites="jentzsch2022",
    identity=("text", "label"),
    versions=Versions.marked("versions", ("rating_male", "rating_female")),
    suites=("quick", "full"),
    accepts=(TEXTS,),
    rows=lambda items, variant, seed: [*overall_rows(items), *_label_rows(items)],
)
def sentiment(
    model: Classifier | FunctionClassifier,
    data: Texts | Sequence[str] | None = None,
    *,
    variant: Variant = "corrected",
    seed: int = 0,
    terms: str | Path | TermSet = "all",
    names: bool = False,
    n: TextsToDraw = None,
    alone: bool = False,
) -> Measured:
    """Does the classifier rate a text higher when it is about a man or about a woman?

    Parameters
    ----------
    data
        Texts; 500 test reviews of IMDB, drawn with the seed, if not given.
    terms
        Which words are turned: `pro`, `weat`, `all` or a file, as in `counterpoise.text.Swapper`.
    names
        Turn first names too.
    alone
        Rate each pair of words alone as well. This asks for two more ratings per text and pair.

    >>> import counterpoise as cp
    >>> kind_to_men = cp.models.Classifier.of(lambda texts: [0.5 + 0.1 * ("he" in text.split()) for text in texts])
    >>> result = cp.measures.sentiment(kind_to_men, ["I think he can sing.", "I think she can dance.", "It rains."])
    >>> result.items.bias.round(2).tolist()
    [0.1, 0.1, 0.0]
    """
    texts = _texts(data, n, seed)
    swapper = Swapper(terms, names=names, variant=variant)
    table, skipped = keep_scorable(texts.table, _problems(texts.table.text), "text")
    both = [
        gendered_versions(swapper, clean(text) if variant == "published" else text) for text in table.text
    ]
    _check_terms(both, texts.name, swapper.terms.name)

    ratings = model.ratings([*(text.male for text in both), *(text.female for text in both)])
    scores = ratings.scores.reshape(2, -1)
    if variant == "published":
        scores = scores.astype(np.float32).astype(np.float64)
    same_input = np.equal(*ratings.inputs.reshape(2, -1))
    truncated = np.logical_or(*ratings.truncated.reshape(2, -1))

    shown = [text.marked for text in both]
    items = table.assign(versions=shown, rating_male=scores[0], rating_female=scores[1])
    items["bias"] = items.rating_male - items.rating_female
    items["zero"] = [
        _why_zero(bias, text, same, cut)
        for bias, text, same, cut in zip(items.bias, both, same_input, truncated, strict=True)
    ]
    items["rank"] = items.bias.abs().rank(method="first", ascending=False).astype(int)

    return Measured(
        items,
        [
            *overall_rows(items),
            *_label_rows(items),
            *_pair_rows(model, items, both, swapper, alone),
        ],
        skipped=skipped,
        warnings=(
            *cut_warning(truncated, model.max_length),
            *chance_warning((items.rating_male + items.rating_female) / 2, items.label),
        ),
        dataset=f"{texts.name}, terms {swapper.terms.name}{' and names' if names else ''}",
    )


def _texts(data: Texts | Sequence[str] | None, n: int | None, seed: int) -> Texts:
    if data is None:
        return imdb_texts("test").sample(_OF_IMDB if n is None else n, seed)
    texts = data if isinstance(data, Texts) else Texts.of(data)
    return texts if n is None else texts.sample(n, seed)


def _problems(texts: pd.Series) -> list[str | None]:
    return [None if text.strip() else "the text is empty" for text in texts]


def _check_terms(both: Sequence[GenderedVersions], texts: str, terms: str) -> None:
    """Said before the work starts: without a term there is nothing to compare."""
    if all(text.male == text.female for text in both):
        raise DataError(
            f"no text of {texts} has a term of the set {terms} "
            f"(tried {len(both)}, e.g. {both[0].text!r:.60}); the two versions would be the same"
        )


def _why_zero(bias: float, both: GenderedVersions, same_input: bool, truncated: bool) -> str:
    if bias != 0:
        return ""
    if both.male == both.female:
        return NO_TERM
    return BEYOND if same_input and truncated else EQUAL


def overall_rows(items: pd.DataFrame) -> list[Row]:
    """All numbers of one set of ratings; `zero` says why a `bias` is zero, and is empty where it is not."""
    biases = observe(items, "bias")
    not_zero = biases.only(zero="")
    rows = [_total(biases), absolute_row(biases, "absolute_bias", "absolute bias")]
    if len(not_zero):
        rows += [
            # No test of its own: Wilcoxon's leaves zeros out, so it would be the same again.
            mean_row(not_zero, "total_bias", "total bias", at=_NOT_ZERO, test=None),
            absolute_row(not_zero, "absolute_bias", "absolute bias", at=_NOT_ZERO),
            share_row(not_zero, "share_male", "% rated higher as male", at=_NOT_ZERO),
        ]
    bias, zero = items.bias, items.zero
    counted = {
        ("standard_deviation", "standard deviation"): float(bias.std(ddof=1)) if len(bias) > 1 else np.nan,
        ("wilcoxon_v", "Wilcoxon V"): stats.wilcoxon(bias.to_numpy()).v,
        ("above_zero", "texts above zero"): int((bias > 0).sum()),
        ("below_zero", "texts below zero"): int((bias < 0).sum()),
        **{(key, f"texts at zero: {why}"): int((zero == why).sum()) for why, key in _ZEROS.items()},
    }
    source = biases.as_source("figure")
    return rows + [
        figure_row(value, key, label, n=len(bias), source=source) for (key, label), value in counted.items()
    ]


def _total(biases: Observed, at: Place = OVERALL) -> Row:
    return mean_row(biases, "total_bias", "total bias", at=at, test="wilcoxon")


def _label_rows(items: pd.DataFrame) -> list[Row]:
    labels = observe(items, "bias").by("label", sort=True)
    groups = [(label, texts) for label, texts in labels if label != ""]
    if len(groups) < 2:
        return []
    return [_total(texts, in_group(f"label {label}")) for label, texts in groups]


def _pair_rows(
    model: Classifier | FunctionClassifier,
    items: pd.DataFrame,
    both: Sequence[GenderedVersions],
    swapper: Swapper,
    alone: bool,
) -> list[Row]:
    """A row for each pair of words that enough texts have, the most frequent first."""
    numbers_of: dict[str, list[int]] = {}
    for number, text in enumerate(both):
        for pair in dict.fromkeys(_pair(place.pair, swapper) for place in text.places):
            numbers_of.setdefault(pair, []).append(number)
    often = sorted(
        ((pair, numbers) for pair, numbers in numbers_of.items() if len(numbers) >= _FEWEST),
        key=lambda entry: -len(entry[1]),
    )
    rows = [
        _pair_row(items.bias.iloc[numbers], "pair_bias", "bias of texts with the pair", pair)
        for pair, numbers in often
    ]
    if alone:
        asked = [
            side
            for pair, numbers in often
            for number in numbers
            for side in both[number].only_at(lambda place, pair=pair: _pair(place.pair, swapper) == pair)  # type: ignore[misc]
        ]
        bias = pd.Series(-np.diff(model.rate(asked).reshape(-1, 2))[:, 0])
        done = 0
        for pair, numbers in often:
            of_pair = bias.iloc[done : done + len(numbers)]
            done += len(numbers)
            rows.append(_pair_row(of_pair, "pair_alone_bias", "bias of the pair alone", pair))
    return rows


def _pair_row(biases: pd.Series, statistic: str, label: str, pair: str) -> Row:
    """Which texts have a pair of words is not in the items, so the row has no source there."""
    table = pd.DataFrame({"bias": biases.to_numpy()})
    row = mean_row(Observed(table, Source("bias")), statistic, label, at=of_word(pair), test="wilcoxon")
    return replace(row, source=None)


def _pair(pair: str, swapper: Swapper) -> str:
    """The pair itself; all pairs of first names are one."""
    male, _, female = pair.partition("/")
    known = male in swapper.terms.to_female or female in swapper.terms.to_male
    return pair if known or swapper.variant == "published" else _NAMES
