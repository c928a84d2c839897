"""Jigsaw's toxic comments (2018): comments from Wikipedia's talk pages, labelled by people."""

from __future__ import annotations

import pandas as pd

from counterpoise.data.thirdparty.folders import find_file
from counterpoise.data.thirdparty.tables import one_of, read_table

JIGSAW_LABELS = ("toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate")


def jigsaw() -> pd.DataFrame:
    """The comments of train.csv, one row each: `id`, `comment_text`, and whether it is `toxic`, `severe_toxic`,
    `obscene`, a `threat`, an `insult`, `identity_hate`.

    Kaggle wants a login, so that a person has to put the file in place; as it comes, train.csv.zip, will do.
    """
    path = find_file("jigsaw", "train.csv", "train.csv.zip", "train.csv.xz")
    table = read_table(path, ["id", "comment_text", *JIGSAW_LABELS])
    for label in JIGSAW_LABELS:
        table[label] = one_of(table, label, ("0", "1"), path) == "1"
    return table


def jigsaw_thesis() -> pd.DataFrame:
    """The thesis's own table (Barza 2023, table 4): ASLD of BERT debiased, and after training on two parts of Jigsaw.

    >>> jigsaw_thesis().set_index("corpus").combined.to_dict()
    {'none (debiased)': 2.6, 'jigsaw:toxic': 4.14, 'jigsaw:severe_toxic': 4.41}
    """
    rows = [
        ("none (debiased)", 2.70, 2.40, 2.71, 2.60),
        ("jigsaw:toxic", 4.78, 3.78, 3.86, 4.14),
        ("jigsaw:severe_toxic", 5.33, 3.80, 4.10, 4.41),
    ]
    return pd.DataFrame(rows, columns=["corpus", "occupations", "benevolent", "hostile", "combined"])
