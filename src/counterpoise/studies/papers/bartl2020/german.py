"""German BEC-Pro: as the authors' code reads it, and without the effect of grammatical agreement."""

from __future__ import annotations

from typing import Any

import pandas as pd

from counterpoise.data.builtin.becpro import becpro, becpro_both_forms
from counterpoise.measures.base.rows import statistic_of
from counterpoise.measures.base.skipped import skipped_table
from counterpoise.measures.probability.lpbs_german import check_reads_german, lpbs_german
from counterpoise.models.masked import MaskedLM
from counterpoise.studies.papers.bartl2020.associations import (
    as_replaced,
    associations_in_row,
    fixed_length,
    some_pairs,
)
from counterpoise.studies.papers.bartl2020.summary_rows import DIFFERENCE, KEPT

REMAINDER = "remainder"


def padded_german(
    model: MaskedLM, pairs: int | None
) -> tuple[pd.DataFrame, list[dict[str, Any]], pd.DataFrame]:
    """The sentences with their association as published; no further rows, and nothing is skipped."""
    rows = as_replaced(becpro("de", "published"))
    check_reads_german(model, rows.person.unique())
    length = fixed_length(rows.target_masked)
    rows = some_pairs(rows, pairs)
    return rows.assign(association=associations_in_row(model, rows, length)), [], skipped_table([], [])


def german_without_grammar(
    model: MaskedLM, pairs: int | None
) -> tuple[pd.DataFrame, list[dict[str, Any]], pd.DataFrame]:
    """The sentences in which person and form agree, the remainder of each group (`lpbs_german`), and skipped ones."""
    result = lpbs_german(model, some_pairs(becpro_both_forms(), pairs))
    summary = result.summary
    left = summary[(summary.level == "group") & (summary.key.map(statistic_of) == REMAINDER)]
    rows = [
        {"statistic": REMAINDER, "person": DIFFERENCE}
        | {name: getattr(row, name) for name in KEPT if name != "statistic"}
        for row in left.itertuples()
    ]
    return result.items[result.items.form == result.items.gender], rows, result.skipped
