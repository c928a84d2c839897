"""Rows that the papers' authors printed in their notebooks, which are facts."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from counterpoise.studies.papers.kurita2019.published import table3_rows as kurita_table3_rows

_HERE = Path(__file__).parent


def kurita_rows() -> pd.DataFrame:
    """The WEAT words of Kurita et al. (weat_result_replication.ipynb): bias of each attribute in each template.

    `bias` is log p_tgt of the first target group minus the second, `prior` the same of p_prior, read where their code
    read it; `bias_minus_prior` is what d is computed from.
    """
    return kurita_table3_rows()


def kurita_sentences() -> pd.DataFrame:
    """Single sentences of the same authors (construct_bias_score.ipynb), bias and prior likewise."""
    return pd.read_csv(_HERE / "golden" / "data" / "kurita_sentences.csv")
