"""Does treating the training texts change the bias? One difference for each base model and treatment leads."""

from __future__ import annotations

import pandas as pd

from counterpoise.core.numbers import estimate_text, p_equals
from counterpoise.studies.papers.jentzsch2022.seeds import pooled_contrasts
from counterpoise.studies.replication.study_table import ALPHA, rows_of

_TREATED = {"R": "removed", "mix": "mixed"}


def pooled_answer(rows: pd.DataFrame) -> str:
    """The contrasts of the total bias over all sets of terms; nothing where no difference can be tested."""
    contrasted = pooled_contrasts(rows)
    if contrasted.empty:
        return ""
    tested = contrasted[(contrasted.bias == "total") & contrasted.p_value.notna()]
    if tested.empty:
        return ""
    by_base = [
        f"{base}: " + ", ".join(_difference(row) for row in rows_of(of_base))
        for base, of_base in tested.groupby("base", sort=False)
    ]
    below = int((tested.p_adjusted < ALPHA).sum())
    clear = f"{below} {'is' if below == 1 else 'are'}" if below else "none is"
    return (
        "Total bias over all reviews, each seed's mean over the sets of terms, with terms removed or mixed minus with "
        f"original texts: {'; '.join(by_base)}. After Holm's correction over these {len(tested)} tests {clear} "
        "significant. This family of tests is the primary one; that was decided after "
        "the data had been seen. In detail, condition by condition:"
    )


def _difference(row: object) -> str:
    difference, low, high, p, treatment = (
        getattr(row, name) for name in ("difference", "low", "high", "p_value", "treatment")
    )
    return f"{_TREATED[treatment]} {estimate_text(difference, low, high, 4, sign=True)}, {p_equals(p)}"
