"""What follows from printed numbers alone, whatever the model: effect sizes, shares, counts, one p-value."""

from __future__ import annotations

import math

import pandas as pd
from scipy import stats

from counterpoise.studies.papers.kurita2019 import keys
from counterpoise.studies.papers.kurita2019.published import (
    NEITHER_PRIOR,
    TABLE_3,
    TABLE_5,
    TOPIC_CORRELATION,
    TOPIC_P,
    effect_sizes_from_rows,
    shares_from_scores,
)
from counterpoise.studies.replication.agreement import P_VALUE
from counterpoise.studies.replication.comparison import ComparedLine, compared, table_of_lines
from counterpoise.studies.replication.findings import Table
from counterpoise.studies.replication.study_table import first_row

_WHY = {
    "flowers/insects": "the notebook has flowers and bugs in the wrong number; the paper's words are not in it",
    "black/white": "the paper drops the sign, which says that unpleasant words go with black people",
}


def printed_table(table: pd.DataFrame) -> Table:
    """The paper's numbers beside what follows from the rows that its authors print."""
    lines: list[ComparedLine] = []
    sizes = effect_sizes_from_rows()
    for category in TABLE_3:
        test = category.test
        lines.append(
            compared(
                f"table 3, {test}: d of the score",
                category.scores,
                sizes[test],
                5e-4,
                _WHY.get(test, ""),
                kind=keys.EFFECT_SIZE,
            )
        )
        why = "the notebook prints another number"
        if test == "black/white":
            why = "the paper exchanges the cells of GloVe and BERT, and drops the sign"
        for what, paper, notebook in (
            ("GloVe", category.glove, category.notebook_glove),
            ("WEAT on BERT", category.bert, category.notebook_bert),
        ):
            lines.append(
                compared(f"table 3, {test}: d of {what}", paper, notebook, 5e-4, why, kind=keys.EFFECT_SIZE)
            )
    shares = shares_from_scores()
    for kind, printed in TABLE_5.items():
        share = 100 * shares[kind].value if kind in shares else None
        lines.append(
            compared(
                f"table 5, {kind}: per cent",
                printed,
                share,
                0.05,
                "no code or data of it is published",
                kind=keys.PER_CENT,
            )
        )
    lines.append(
        compared(
            "section 4: log10 of p of .207 with the 1,000 female passages",
            math.log10(TOPIC_P),
            math.log10(_p_of_correlation(1000)),
            0.05,  # 4e-11 is a rounded 3.5e-11 to 4.5e-11
            kind=P_VALUE,
        )
    )
    for gender, printed in NEITHER_PRIOR.items():
        row = first_row(
            table,
            step="table4",
            training="test+validation",
            probe="paper",
            key=keys.of_gender(keys.NEITHER_TRUE, gender),
        )
        share = None if row is None else float(row.value)
        why = "GAP was not read this time" if row is None else "not all of its passages were read"
        lines.append(
            compared(f"table 4, {gender}: true per cent", printed, share, 0.05, why, kind=keys.PER_CENT)
        )
    return table_of_lines(
        "printed",
        "What follows from printed numbers and public data",
        lines,
        decimals=4,
        note="'Measured' is what follows from the rows of the authors' notebooks for the score and for table 5; for "
        "GloVe and WEAT on BERT it is the effect size that the notebooks print, with its sign. They subtract European "
        "American from African American names, so that a negative d associates the latter with unpleasant words: "
        "-1.0030 with GloVe and -1.0120 with BERT, where the paper has 1.012 and 1.003. One of the 921 job titles is "
        "blank; the authors' code scored it ('he is'), and it leans male.",
        is_recomputed=True,
    )


def _p_of_correlation(n: int) -> float:
    """Two-sided p of the printed correlation, from Student's t."""
    t = TOPIC_CORRELATION * math.sqrt((n - 2) / (1 - TOPIC_CORRELATION**2))
    return float(2 * stats.t.sf(t, n - 2))
