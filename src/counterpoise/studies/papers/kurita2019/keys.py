"""The keys of the study's rows, by which its tables and answers find them (see `counterpoise.measures.base.rows`)."""

from __future__ import annotations

import pandas as pd

from counterpoise.measures.base.rows import Place, in_group, row_key, statistic_of

GENDERS = ("male", "female")
DIFFERENCE = Place("overall", "male - female", "difference")

# Statistics: the first part of a key.
D, D_OVER_SENTENCES = "d", "d_sentences"
SHARE_MALE, ASSOCIATION = "share_male", "association"
ACCURACY, F1, F1_RATIO = "accuracy", "f1", "f1_ratio"
NEITHER_TRUE, NEITHER_PREDICTED = "neither_true", "neither_predicted"
SPEARMAN = "spearman"

# Kinds of printed numbers.
EFFECT_SIZE, PER_CENT, CORRELATION = "effect size d", "per cent", "Spearman's correlation"


def of_gender(statistic: str, gender: str) -> str:
    """
    >>> of_gender(NEITHER_TRUE, "female")
    'neither_true.female'
    """
    return row_key(statistic, in_group(gender))


def of_difference(statistic: str) -> str:
    """
    >>> of_difference(NEITHER_TRUE)
    'neither_true.difference'
    """
    return row_key(statistic, DIFFERENCE)


def decimals(key: str) -> int:
    """With how many decimals a number of the case study is shown: per cent and points with fewer.

    >>> decimals("neither_true.difference"), decimals("spearman.female")
    (2, 3)
    """
    return 3 if statistic_of(key) in (SPEARMAN, F1_RATIO) else 2


def is_statistic(table: pd.DataFrame, statistic: str) -> pd.Series:
    """Which rows of the study's table have this statistic; those without a key have none.

    >>> is_statistic(pd.DataFrame({"key": ["d.weat6", "d_sentences.weat6", None]}), D).tolist()
    [True, False, False]
    """
    return table.key.map(statistic_of, na_action="ignore") == statistic
