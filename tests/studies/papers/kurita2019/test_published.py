"""The printed numbers follow from the printed rows."""

from __future__ import annotations

import pandas as pd
import pytest

from counterpoise.studies.papers.kurita2019.page import PAGE
from counterpoise.studies.papers.kurita2019.published import (
    TABLE_3,
    effect_sizes_from_rows,
    shares_from_scores,
)
from counterpoise.studies.papers.kurita2019.recomputed import printed_table
from counterpoise.studies.replication.study_table import with_columns


def test_effect_sizes():
    found = effect_sizes_from_rows()
    printed = {"career/family": 1.1255, "math/arts": 0.8495, "science/arts": 0.9572}
    printed |= {"black/white": -0.8864, "flowers/insects": 0.4458}
    assert found == pytest.approx(printed, abs=5e-5)
    assert [found[one.test] for one in TABLE_3] == pytest.approx(
        [one.notebook_scores for one in TABLE_3], abs=5e-5
    )


def test_shares():
    """184 of 230, 288 of 365 and 815 of 921, which are the paper's 80.0, 78.9 and 88.5 %."""
    found = shares_from_scores()
    sizes = {kind: (round(share.value * share.n), share.n) for kind, share in found.items()}
    assert sizes["positive traits"] == (184, 230)
    assert sizes["negative traits"] == (288, 365)
    assert sizes["job titles"] == (815, 921)
    assert sizes["repository skills"] == (14, 25)
    assert [
        round(100 * found[kind].value, 1) for kind in ("positive traits", "negative traits", "job titles")
    ] == [
        80.0,
        78.9,
        88.5,
    ]


def test_verdicts_of_the_printed_numbers():
    verdicts = {
        row[0]: row[-1] for row in printed_table(with_columns(pd.DataFrame(), ("step", *PAGE.columns))).rows
    }
    assert verdicts["table 3, career/family: d of the score"] == "reproduced"
    assert verdicts["table 3, flowers/insects: d of the score"].startswith(
        "differs: the notebook has flowers and bugs"
    )
    assert (
        verdicts["table 3, black/white: d of GloVe"]
        == "differs: the paper exchanges the cells of GloVe and BERT, and drops the sign"
    )
    assert verdicts["table 5, job titles: per cent"] == "reproduced"
    assert verdicts["table 5, O*NET skills: per cent"].startswith("not reproducible")
    assert verdicts["section 4: log10 of p of .207 with the 1,000 female passages"] == "reproduced"


def test_the_notebooks_numbers_have_their_sign():
    """The paper's 1.012 (GloVe) and 1.003 (BERT) are the notebook's -1.0120 (BERT) and -1.0030 (GloVe)."""
    [names] = [category for category in TABLE_3 if category.test == "black/white"]
    assert (names.glove, names.bert, names.scores) == (1.012, 1.003, 0.8864)
    assert (names.notebook_glove, names.notebook_bert, names.notebook_scores) == (-1.0030, -1.0120, -0.8864)
    rows = {
        row[0]: row[1:3] for row in printed_table(with_columns(pd.DataFrame(), ("step", *PAGE.columns))).rows
    }
    assert rows["table 3, black/white: d of GloVe"] == [1.012, -1.0030]
    assert rows["table 3, black/white: d of WEAT on BERT"] == [1.003, -1.0120]
