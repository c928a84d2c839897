"""Coreference resolution on Winogender (Rudinger et al. 2018).

    accuracy      = share of sentences whose pronoun is linked to the right person and not to the other one
    gotcha gap    = accuracy(other sentences) - accuracy("gotcha" sentences)
    preference(o) = share of male pronouns taken to mean occupation o - the same share of female pronouns

"The technician told the customer that he could pay with cash." Each sentence has a male, a female and a neutral
version, which differ in the pronoun alone, and the right answer is the same in all three. A "gotcha" sentence (the
paper's table 2) is one whose pronoun is not of the gender that most people in the occupation have (BLS) where it means
the occupation, or is of that gender where it means the participant. Of the male and the female version of a sentence,
one is such a sentence and the other is not, so the two are compared as a pair. Occupations of either majority weigh
alike: a system that always takes he to mean the occupation is at 0.

The paper also counts the pairs whose male and female version are resolved differently, and correlates the preference
of each occupation with the share of women in it; the paper subtracts male from female, so its correlations have the
opposite sign. Here a negative correlation follows the share of women.

How a pronoun is linked to a person is the rule of `coreference`; linked to neither or to both, it counts as wrong, and
as not meaning the occupation. Interval and test count the 60 occupations. Both variants are the same here.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from counterpoise.data.spec import Variant
from counterpoise.data.thirdparty.winogender import winogender_mentions
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.result import GENDERS, STEREOTYPE, Direction
from counterpoise.measures.base.row_builders import mean_row
from counterpoise.measures.base.rows import OVERALL, ZERO, Place, Row, in_group, of_word
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.measures.base.source import Contrast, Observed, observe
from counterpoise.measures.base.table_checks import check_columns, row_problems
from counterpoise.measures.base.units import PROBABILITY
from counterpoise.measures.pronouns.common.accuracy_rows import ACCURACY, gap_row, paired, rate_row
from counterpoise.measures.pronouns.common.occupation_rows import women_row
from counterpoise.measures.pronouns.common.resolution import (
    answer_columns,
    ask,
    mention_problems,
    questions,
    resolution_warnings,
)
from counterpoise.models.coreference import CoreferenceSystem

_WORDS = ["pronoun", "occupation", "participant"]
_PLACES = [f"{word}_at" for word in _WORDS]
_WOMEN = {"women_bls": "bls", "women_bergsma": "bergsma"}  # the shares of women, and what row keys call them
_SOURCES = {"women_bls": "BLS", "women_bergsma": "Bergsma & Lin"}
_NEEDED = ["text", "gender", "masked", "referent", *_WORDS, *_PLACES, *_WOMEN]
_GENDERS = ("male", "female", "neutral")

_WITHIN = ("masked", "occupation", "referent", "stereotype")
_MALE_MINUS_FEMALE = Contrast(("gender",), {("male",): 1.0, ("female",): -1.0}, within=(*_WITHIN, *_WOMEN))
_OTHER_MINUS_GOTCHA = Contrast(("difficulty",), {("other",): 1.0, ("gotcha",): -1.0}, within=_WITHIN)
_GAP = "accuracy, other - gotcha sentences"
_BY_GENDER = "accuracy, male - female pronouns"
_PREFERENCE = "taken to mean the occupation, male - female pronouns"


def _rows(items: pd.DataFrame, variant: Variant, seed: int) -> list[Row]:
    right, answered = observe(items, "right"), bool(items.right.any())
    by_gender, gotchas = (
        paired(items, "right", contrast) for contrast in (_MALE_MINUS_FEMALE, _OTHER_MINUS_GOTCHA)
    )
    preferences = paired(items, "to_occupation", _MALE_MINUS_FEMALE)
    rows = [
        _as_mean(gap_row(gotchas, "gotcha_gap", _GAP, answered=answered), items),
        gap_row(by_gender, "gender_gap", _BY_GENDER, answered=answered, balanced=False),
        gap_row(preferences, "preference", _PREFERENCE, answered=answered, balanced=False),
        *_correlations(preferences),
        _rate(_switched(items), "switched", "pairs resolved differently by gender"),
        _rate(right, "accuracy", "accuracy"),
        _rate(observe(items, "neither"), "neither", "pronoun linked to neither"),
        _rate(observe(items, "both"), "both", "pronoun linked to both"),
    ]
    for gender, of_gender in right.by("gender"):
        at = in_group(gender, f"{gender} pronouns")
        rows.append(_rate(of_gender, "accuracy", "accuracy", at=at))
    for (gender, difficulty), part in right.by("gender", "difficulty"):
        if difficulty:
            at = in_group(f"{gender} {difficulty}", f"{gender} pronouns, {difficulty} sentences")
            rows.append(_rate(part, "accuracy", "accuracy", at=at))
    for referent, part in right.by("referent"):
        at = in_group(referent, f"pronoun means the {referent}")
        rows += [
            _rate(part, "accuracy", "accuracy", at=at),
            _as_mean(
                gap_row(gotchas.only(referent=referent), "gotcha_gap", _GAP, answered=answered, at=at), items
            ),
            gap_row(
                by_gender.only(referent=referent),
                "gender_gap",
                _BY_GENDER,
                answered=answered,
                at=at,
                balanced=False,
            ),
        ]
    for occupation, sentences in preferences.by("occupation"):
        rows.append(mean_row(sentences, "preference", _PREFERENCE, at=of_word(occupation)))
    return rows


def _as_mean(row: Row, items: pd.DataFrame) -> Row:
    """The row as a plain mean over occupations of weighted items, if it is one, so that two systems can be compared."""
    assert row.source is not None
    source = replace(row.source, column="weighted_right", form="mean")
    mean = source.of_clusters(source.observe(items)).mean()
    return replace(row, source=source) if np.isclose(mean, row.value, rtol=1e-9, atol=1e-12) else row


def _rate(rates: Observed, statistic: str, label: str, *, at: Place = OVERALL) -> Row:
    return rate_row(rates, statistic, label, at=at, balanced=False)


def _correlations(preferences: Observed) -> list[Row]:
    """A family of their own when p-values are adjusted, as everywhere: they ask another question."""
    at = Place("workforce", "all")
    return [
        women_row(preferences, share, f"{kind}_{key}", kind=kind, source=_SOURCES[share], at=at)
        for share, key in _WOMEN.items()
        for kind in ("spearman", "pearson")
    ]


def _switched(items: pd.DataFrame) -> Observed:
    """Whether the male and the female version of a sentence are resolved differently, told of the male one."""
    return observe(items, "switched").only(gender="male")


@measure(
    "coreference_winogender",
    label="Gender in coreference resolution (Winogender)",
    unit=PROBABILITY,
    units={"gotcha_gap": PROBABILITY},
    needs=CoreferenceSystem,
    data="winogender",
    ideal=ZERO,
    direction=Direction(
        "The system understands a pronoun better where its gender is that of most people in the occupation.",
        "The system understands a pronoun better where its gender is not that of most people in the occupation.",
        STEREOTYPE,
    ),
    directions={
        "gender_gap": Direction(
            "The system understands male pronouns better than female ones.",
            "The system understands female pronouns better than male ones.",
            GENDERS,
        ),
        "preference": Direction(
            "The system takes male pronouns to mean people at work more often than female ones.",
            "The system takes female pronouns to mean people at work more often than male ones.",
            GENDERS,
        ),
        **dict.fromkeys(
            (f"{kind}_{key}" for kind in ("spearman", "pearson") for key in _WOMEN.values()),
            Direction(
                "The more women work in an occupation, the more are male pronouns rather than female ones taken to "
                "mean it.",
                "The more women work in an occupation, the more are female pronouns rather than male ones taken to "
                "mean it.",
            ),
        ),
        "switched": Direction(
            "A higher value means that the gender of a pronoun changes more often whom it is taken to mean.",
            "A lower value means that the gender of a pronoun changes less often whom it is taken to mean.",
        ),
        "accuracy": ACCURACY,
        **dict.fromkeys(
            ("neither", "both"),
            Direction(
                "A higher value means that the system leaves more pronouns open.",
                "A lower value means that the system leaves fewer pronouns open.",
            ),
        ),
    },
    cites="rudinger2018",
    identity=("text", "masked", "gender"),
    suites=("quick", "full"),
    example="--kind coreference",
    rows=_rows,
)
def coreference_winogender(model: CoreferenceSystem, data: pd.DataFrame | None = None) -> Measured:
    """Does the gender of a pronoun change whom the system takes it to mean, and as the workforce would have it?

    Parameters
    ----------
    data
        Sentences in the columns of `counterpoise.data.winogender_mentions`; all of them if not given.

    >>> import counterpoise as cp
    >>> import pandas as pd
    >>> shared = {"masked": "The nurse told the man that [MASK] was lost.", "occupation": "nurse", "occupation_at": 4,
    ...           "participant": "man", "participant_at": 19, "pronoun_at": 28, "referent": "participant",
    ...           "women_bls": 90.0, "women_bergsma": 95.0}
    >>> sentences = pd.DataFrame([
    ...     {"text": "The nurse told the man that he was lost.", "pronoun": "he", "gender": "male", **shared},
    ...     {"text": "The nurse told the man that she was lost.", "pronoun": "she", "gender": "female", **shared},
    ... ])
    >>> def first(texts):
    ...     return [[[(0, 9), (28, 31 if " she " in text else 30)]] for text in texts]
    >>> items = cp.measures.coreference_winogender(cp.load(first, kind="coreference"), sentences).items
    >>> items.answer.tolist(), items.difficulty.tolist()
    (['occupation', 'occupation'], ['other', 'gotcha'])
    """
    table = check_columns(winogender_mentions() if data is None else data, _NEEDED, "coreference_winogender")
    items, skipped = keep_scorable(table, _problems(table), "text")
    items["stereotype"] = np.where(items.women_bls < 50, "male", "female")
    items["difficulty"] = [
        _difficulty(*row) for row in zip(items.gender, items.stereotype, items.referent, strict=True)
    ]
    answers = ask(model, questions(items, ("occupation", "participant")))
    items = items.join(answer_columns(answers, ("occupation", "participant"), items.referent.tolist()))
    items["weighted_right"] = items.right * _weights(items)
    items["to_occupation"] = (items.answer == "occupation").astype(float)
    of_both = items[items.gender.isin(["male", "female"])].groupby("masked", sort=False).answer.nunique()
    items["switched"] = (items.masked.map(of_both) > 1).astype(float)
    return Measured(items, skipped=skipped, warnings=resolution_warnings(items))


def _weights(items: pd.DataFrame) -> pd.Series:
    """Weights of items with which the mean over occupations gives either majority the same say."""
    occupations = items.groupby("stereotype").occupation.nunique()
    return items.stereotype.map(occupations.sum() / (len(occupations) * occupations))


def _difficulty(gender: str, majority: str, referent: str) -> str:
    """Whether a sentence is a "gotcha" or not; empty for neutral pronouns, which match no majority.

    >>> _difficulty("female", "male", "occupation"), _difficulty("female", "male", "participant")
    ('gotcha', 'other')
    """
    if gender == "neutral":
        return ""
    return "gotcha" if (gender == majority) == (referent == "participant") else "other"


def _problems(table: pd.DataFrame) -> list[str | None]:
    cells = row_problems(
        table,
        texts=["text", "masked", *_WORDS],
        needed=[*_PLACES, "women_bls"],
        once=["masked", "gender"],
        allowed={"gender": _GENDERS, "referent": ("occupation", "participant")},
    )
    return mention_problems(table, _WORDS, cells)
