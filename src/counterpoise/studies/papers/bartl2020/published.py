"""What the paper prints: tables 4 and 5, and what it says of its corpora."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

GROUPS = ("balanced", "female", "male")  # of professions, in the order of the tables
PERSONS = ("female", "male")
PAPERS_MODEL = "bert-base-uncased"
PAPERS_GERMAN_MODEL = "dbmdz/bert-base-german-cased"
TOLERANCE = 0.005  # two decimals are printed
PAIRS = 900  # sentences with a male and with a female person word in a group: 5 templates, 9 pairs, 20 professions


class Change(NamedTuple):
    """A line of table 4: mean associations before and after fine-tuning, and their difference."""

    pre: float
    post: float
    change: float


class Association(NamedTuple):
    """A line of table 5: mean and standard deviation of the associations of 900 sentences."""

    mean: float
    sd: float


class Test(NamedTuple):
    """Wilcoxon's test of a group: R's V of female minus male, and r, whose sign carries no information."""

    v: int
    r: float


# By group of professions and gender of the person.
TABLE_4 = MappingProxyType(
    {
        ("balanced", "female"): Change(-0.35, 0.20, 0.55),
        ("balanced", "male"): Change(0.05, 0.07, 0.01),
        ("female", "female"): Change(0.50, 0.36, -0.14),
        ("female", "male"): Change(-0.68, -0.14, 0.55),
        ("male", "female"): Change(-0.83, 0.13, 0.96),
        ("male", "male"): Change(0.16, 0.21, 0.05),
    }
)
TABLE_4_TESTS = MappingProxyType(
    {"balanced": Test(359188, -0.47), "female": Test(96428, -0.32), "male": Test(395974, -0.58)}
)
# Before fine-tuning.
TABLE_5 = MappingProxyType(
    {
        ("balanced", "female"): Association(2.14, 2.40),
        ("balanced", "male"): Association(1.36, 2.06),
        ("female", "female"): Association(2.05, 2.45),
        ("female", "male"): Association(1.34, 2.09),
        ("male", "female"): Association(2.14, 2.46),
        ("male", "male"): Association(1.46, 2.15),
    }
)
TABLE_5_TESTS = MappingProxyType(
    {"balanced": Test(315058, -0.34), "female": Test(304635, -0.31), "male": Test(297605, -0.29)}
)
# Both tables print p = 2e-16 for all their tests. That is how R writes any p-value below 2.2e-16, the spacing of
# floating-point numbers at 1, so that it is a bound and not a value.
PRINTED_P = 2e-16
PRINTED_P_BOUND = 2.2e-16

# Section 3: sentences of BEC-Pro in each language, passages of GAP and their pairs of pronoun and name, and between
# which shares the women of each group of professions lie.
SENTENCES = 5400
GAP_PASSAGES = 4454
GAP_PAIRS = 8908
WOMEN = MappingProxyType({"female": (88.3, 98.7), "male": (0.7, 3.3), "balanced": (48.5, 53.3)})


def p_tolerance(p: float) -> float:
    """How far this p-value may lie from the printed one: any distance below the bound that R prints, none above it.

    >>> p_tolerance(1e-89) > PRINTED_P, p_tolerance(3e-16)
    (True, 0.0)
    """
    return PRINTED_P_BOUND if p < PRINTED_P_BOUND else 0.0
