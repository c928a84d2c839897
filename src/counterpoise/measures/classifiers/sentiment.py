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

With `versions` any set of them is compared: male, female, neutral, they, xe, other pronoun sets. Then there are the
mean rating of each version, the difference of every pair, corrected together (Holm), and the largest gap between any
two versions, which leads. A largest gap is above 0 by chance alone: its test permutes the versions within each text,
and the row after it says what 95 % of samples stay below without any difference. Texts without a term count, as above.
They and other pronoun sets change pronouns and leave nouns as they are, so like is compared with like in he, she, they,
or in male, female, neutral. Sentences that can be read in two ways stay as they are, and are counted.

With a table of names by gender and group (`names_table`) each of its names takes the place of the most frequent first
name of a text, terms are turned to its gender, and the rows are the main effects of gender and group and their
interaction, corrected together (Holm). Texts and names are crossed and both are samples, so intervals count both.

Published: texts are cleaned and swapped as the authors' code did, with their terms if their file is given
(`term_lists.json#all`), and ratings are rounded to single precision, in which many are equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.core.errors import InputError
from counterpoise.data.spec import Variant
from counterpoise.data.texts import Texts
from counterpoise.data.user.files import NAMES_TABLE, TEXTS
from counterpoise.data.user.name_tables import NamesTable, names_table_of
from counterpoise.data.user.texts import imdb_texts
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.name_rows import NAME_DIRECTIONS
from counterpoise.measures.base.result import GENDERS, Direction
from counterpoise.measures.base.row_builders import absolute_row, figure_row, mean_row, share_row
from counterpoise.measures.base.rows import OVERALL, Place, Row, in_group
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.measures.base.source import Observed, observe
from counterpoise.measures.base.units import COUNT, RATING
from counterpoise.measures.base.version_rows import VERSION_DIRECTIONS
from counterpoise.measures.base.versions import Versions
from counterpoise.measures.classifiers.common.name_ratings import OwnNames, over_names
from counterpoise.measures.classifiers.common.pair_bias import pair_rows
from counterpoise.measures.classifiers.common.ratings import (
    TextsToDraw,
    chance_warning,
    cut_warning,
    rating_measure,
)
from counterpoise.measures.classifiers.common.text_versions import (
    ONE_AT_A_TIME,
    VersionNames,
    versions_beyond_gender,
)
from counterpoise.measures.classifiers.common.version_ratings import (
    NO_TERM,
    NO_TERM_ROW,
    check_terms,
    over_versions,
)
from counterpoise.models.classifier import Classifier
from counterpoise.models.function_classifier import FunctionClassifier
from counterpoise.text import Swapper, TermSet, clean
from counterpoise.text.gendered_versions import GenderedVersions, gendered_versions

_OF_IMDB = 500  # 25,000 reviews take a CPU hours

# Why a bias is zero
BEYOND = "term beyond the model's length"
EQUAL = "rated alike"
_ZEROS = {NO_TERM: NO_TERM_ROW, BEYOND: "zero_beyond_length", EQUAL: "zero_rated_alike"}  # in row keys
# Statistics that count texts, ranks or sentences
_COUNTS = ("wilcoxon_v", "above_zero", "below_zero", "sentences_left", *_ZEROS.values())
_NOT_ZERO = Place("overall", "not zero", "not_zero")


@rating_measure(
    "sentiment",
    label="Ratings of texts about men and women (sentiment bias)",
    unit=RATING,
    units={**dict.fromkeys(_COUNTS, COUNT), "largest_gap": RATING},
    data="imdb",
    direction=Direction(
        "Texts are rated higher when they are about men than when they are about women.",
        "Texts are rated higher when they are about women than when they are about men.",
        GENDERS,
    ),
    directions={**VERSION_DIRECTIONS, **NAME_DIRECTIONS},
    cites="jentzsch2022",
    identity=("text", "label"),
    versions=Versions.marked("versions", ("rating_male", "rating_female")),
    suites=("quick", "full"),
    accepts=(TEXTS, NAMES_TABLE),
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
    versions: VersionNames = None,
    names_table: OwnNames = None,
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
    targets, own = versions_beyond_gender(versions), names_table_of(names_table)
    if targets or own:
        _check_alone(targets, own, names, alone, variant)
        scorable = replace(texts, table=table)
        measured = (
            over_names(model, scorable, swapper, own)
            if own
            else over_versions(model, scorable, swapper, targets, seed)
        )
        what = f"names of {Path(own.name).name}" if own else f"versions {', '.join(targets)}"
        return replace(
            measured,
            skipped=pd.concat([skipped, measured.skipped], ignore_index=True),
            dataset=f"{texts.name}, terms {swapper.terms.name}, {what}",
        )
    both = [
        gendered_versions(swapper, clean(text) if variant == "published" else text) for text in table.text
    ]
    check_terms([text.male != text.female for text in both], replace(texts, table=table), swapper.terms.name)

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
            *pair_rows(model, items, both, swapper, alone),
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


def _check_alone(
    targets: Mapping[str, str], own: NamesTable | None, names: bool, alone: bool, variant: Variant
) -> None:
    """Raises an error if settings are combined that ask for two things at once."""
    if targets and own:
        raise InputError(ONE_AT_A_TIME)
    if alone:
        raise InputError(
            "alone turns pairs of male and female words; leave it out with other versions or names"
        )
    if own and names:
        raise InputError("names turns first names to their partners; leave it out with a table of names")
    if own and variant == "published":
        raise InputError("the published code swaps men and women; it has no table of names")


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
