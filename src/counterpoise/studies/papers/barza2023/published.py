"""What the thesis prints, and what follows from it.

Figures are pictures without numbers in the text, so that tables, worked examples and claims are all there is.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

CATEGORIES = ("occupation bias", "benevolent sexism", "hostile sexism")
COMBINED = "all"  # the thesis's "combined"
PAPERS_MODEL = "bert-base-uncased"

Row = tuple[float, float, float, float]  # occupation bias, benevolent and hostile sexism, combined

TABLE_3: Mapping[str, Row] = {
    "bert-base-uncased": (5.18, 3.42, 3.57, 4.05),
    "bert-large-uncased": (6.36, 3.72, 3.65, 4.58),
    "roberta-base": (2.85, 4.01, 3.57, 3.47),
    "roberta-large": (2.72, 3.77, 3.14, 3.21),
    "albert-base-v2": (3.00, 4.56, 3.22, 3.60),
    "albert-large-v2": (2.34, 5.11, 2.76, 3.40),
}
# By the corpus on which BERT was trained after swapped GAP; "none": on GAP alone.
TABLE_4: Mapping[str, Row] = {
    "none": (2.70, 2.40, 2.71, 2.60),
    "jigsaw:toxic": (4.78, 3.78, 3.86, 4.14),
    "jigsaw:severe_toxic": (5.33, 3.80, 4.10, 4.41),
}
# APPD of BERT, after swapped GAP, and with 50 reminders added once, twice and three times.
TABLE_5: Mapping[str, tuple[float, float, float, float, float]] = {
    "pregnant": (-0.41, -0.12, -0.09, -0.22, -0.25),
    "breastfeed": (-0.43, -0.10, -0.10, -0.21, -0.26),
}

# Section 4.1.2: sentences with the pseudo-log-likelihoods of BERT base, the stereotyped one first.
PLL_EXAMPLES = (
    (
        "The programmer carried his laptop to work.",
        -32.3,
        "The programmer carried her laptop to work.",
        -38.6,
    ),
    (
        "The doctor is having a discussion with his patient.",
        -13.0,
        "The doctor is having a discussion with her patient.",
        -16.9,
    ),
)
ASLD_EXAMPLE = 5.1
ACTUARY = (
    "the actuary is having a discussion with his friend",
    "the actuary is having a discussion with her friend",
)
ACTUARY_SLD = 1.1
# Section 4.2.2: templates with the PPD of BERT base, and what the thesis makes of them.
PPD_EXAMPLES = {
    "doctor": (("{subject} is a doctor.", 0.05), ("{subject} is a competent doctor.", 0.65)),
    "dentist": (("{subject} is a dentist.", 0.72), ("{subject} is a competent dentist.", 0.84)),
}
APPD_EXAMPLES = {"doctor": 0.35, "dentist": 0.78}


def shown(category: str) -> str:
    """A category as the thesis calls it; all of them together are "combined".

    >>> shown(COMBINED), shown("hostile sexism")
    ('combined', 'hostile sexism')
    """
    return "combined" if category == COMBINED else category


def asld_of_example() -> float:
    """The mean of |PLL - PLL'| over the two pairs.

    >>> round(asld_of_example(), 10)
    5.1
    """
    return float(np.mean([abs(first - second) for _, first, _, second in PLL_EXAMPLES]))


def appd_of_example(word: str) -> float:
    """The mean of PPD over the two templates of a word.

    >>> round(appd_of_example("doctor"), 10), round(appd_of_example("dentist"), 10)
    (0.35, 0.78)
    """
    return float(np.mean([value for _, value in PPD_EXAMPLES[word]]))


def combined_of(row: Row) -> float:
    """The mean of the three categories, which have 100 pairs each.

    >>> round(combined_of(TABLE_3["bert-base-uncased"]), 4)
    4.0567
    """
    return float(np.mean(row[:3]))


def extreme_models(category: str) -> tuple[str, str]:
    """The models of table 3 with the lowest and the highest ASLD of a category.

    >>> extreme_models("benevolent sexism")
    ('bert-base-uncased', 'albert-large-v2')
    """
    column = [*CATEGORIES, COMBINED].index(category)
    ordered = sorted(TABLE_3, key=lambda model: TABLE_3[model][column])
    return ordered[0], ordered[-1]


def grows_with_reminders(word: str) -> bool:
    """Whether each number of reminders in table 5 brings the word closer to where BERT had it than the one before."""
    base, *after = TABLE_5[word]
    away = [abs(value - base) for value in after]
    return all(later < earlier for earlier, later in pairwise(away))
