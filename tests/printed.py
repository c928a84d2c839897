"""Rows that the papers' authors printed in their notebooks, which are facts."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

_HERE = Path(__file__).parent


def kurita_rows() -> pd.DataFrame:
    """The WEAT words of Kurita et al. (weat_result_replication.ipynb): bias of each attribute in each template.

    `bias` is log p_tgt of the first target group minus the second, `prior` the same of p_prior, read where their code
    read it; `bias_minus_prior` is what d is computed from.
    """
    return pd.read_csv(_HERE / "measures" / "data" / "kurita_rows.csv")


def kurita_sentences() -> pd.DataFrame:
    """Single sentences of the same authors (construct_bias_score.ipynb), bias and prior likewise."""
    return pd.read_csv(_HERE / "golden" / "data" / "kurita_sentences.csv")
