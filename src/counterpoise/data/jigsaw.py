"""Jigsaw's toxic comments (2018): comments from Wikipedia's talk pages, labelled by people."""

from __future__ import annotations

import pandas as pd

from counterpoise.data.folders import find_file
from counterpoise.data.tables import one_of, read_table

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
