"""Measured biases beside the printed ones, number by number."""

from __future__ import annotations

import pandas as pd

from counterpoise.studies.papers.jentzsch2022.published import published_rows
from counterpoise.studies.papers.jentzsch2022.seeds import BIASES
from counterpoise.studies.papers.jentzsch2022.study_rows import paper_rows
from counterpoise.studies.papers.jentzsch2022.tables import means_over_seeds
from counterpoise.studies.papers.jentzsch2022.term_lists import BUILTIN_LISTS
from counterpoise.studies.replication.comparison import compared, table_of_lines
from counterpoise.studies.replication.findings import Table
from counterpoise.studies.replication.study_table import rows_of

# Why a number of one of the paper's base models may differ from the printed one, by variant.
_OTHER_TRAINING = {
    "published": "the same base model, settings and seed number, trained again{terms}: another validation split and "
    "order of texts, and the best epoch in validation is kept instead of one picked by hand",
    "corrected": "the same base model, trained our way{terms}: no cleaning, another split, seed and settings",
}


def beside_table(rows: pd.DataFrame) -> Table:
    """The biases of base models that the paper has too, number by number."""
    means = {
        (row.base, row.condition, row.terms): {"total": row.total, "absolute": row.absolute}
        for row in rows_of(means_over_seeds(paper_rows(rows)))
    }
    trained = {row.base: (row.variant, row.lists) for row in rows_of(rows.drop_duplicates("base"))}
    lines = []
    for row in rows_of(published_rows()):
        if row.base not in set(rows.base):
            continue
        key = (row.base, row.condition, row.terms)
        for column in BIASES:
            measured = means[key][column] if key in means else None
            reason = "this cell has no result here" if measured is None else _reason(*trained[row.base])
            what = f"{row.base} {row.condition}, terms {row.terms}, {column}"
            lines.append(
                compared(
                    what, getattr(row, column), measured, 5e-5, reason, same=False, kind=f"{column} bias"
                )
            )
    return table_of_lines("beside", "Published beside measured", lines, decimals=4)


def _reason(variant: str, lists: str | None) -> str:
    """
    >>> _reason("corrected", "builtin")
    'the same base model, trained our way with the built-in terms: no cleaning, another split, seed and settings'
    """
    return _OTHER_TRAINING[variant].format(terms=" with the built-in terms" if lists == BUILTIN_LISTS else "")
