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
from counterpoise.studies.replication.findings import COMPARED, Table, Value, compared

_WHY = {
    "flowers/insects": "the notebook has flowers and bugs in the wrong number; the paper's words are not in it",
    "black/white": "the paper drops the sign, which says that unpleasant words go with black",
}


def printed_table(table: pd.DataFrame) -> Table:
    """The paper's numbers beside what follows from the rows that its authors print."""
    rows: list[list[Value]] = []
    sizes = effect_sizes_from_rows()
    for one in TABLE_3:
        rows.append(
            compared(
                f"table 3, {one.test}: d of the score",
                one.scores,
                sizes[one.test],
                5e-4,
                _WHY.get(one.test, ""),
            )
        )
        for what, paper, notebook in (
            ("GloVe", one.glove, one.notebook_glove),
            ("WEAT on BERT", one.bert, one.notebook_bert),
        ):
            why = "the notebook prints another number"
            if one.test == "black/white":
                why = "the paper exchanges the cells of GloVe and BERT"
            rows.append(compared(f"table 3, {one.test}: d of {what}", paper, notebook, 5e-4, why))
    shares = shares_from_scores()
    for kind, share in TABLE_5.items():
        found = 100 * shares[kind].value if kind in shares else None
        rows.append(
            compared(f"table 5, {kind}: per cent", share, found, 0.05, "no code or data of it is published")
        )
    rows.append(
        compared(
            "section 4: log10 of p of .207 with the 1,000 female passages",
            math.log10(TOPIC_P),
            math.log10(_p_of_correlation(1000)),
            0.05,  # 4e-11 is a rounded 3.5e-11 to 4.5e-11
        )
    )
    true = table[(table.step == "table4") & (table.training == "test+validation") & (table.probe == "paper")]
    for gender, share in NEITHER_PRIOR.items():
        some = true[true.key == keys.of_gender(keys.NEITHER_TRUE, gender)]
        here = float(some.value.iloc[0]) if len(some) else None
        rows.append(
            compared(f"table 4, {gender}: true per cent", share, here, 0.05, "GAP was not read this time")
        )
    return Table(
        "printed",
        "What follows from printed numbers and public data",
        COMPARED,
        rows,
        decimals=4,
        note="Effect sizes and shares are computed from the rows of the authors' notebooks.",
    )


def _p_of_correlation(n: int) -> float:
    """Two-sided p of the printed correlation, from Student's t."""
    t = TOPIC_CORRELATION * math.sqrt((n - 2) / (1 - TOPIC_CORRELATION**2))
    return float(2 * stats.t.sf(t, n - 2))
