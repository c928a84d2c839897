"""How male minus female association goes with the share of women who work in a profession (question 3 of the paper).

The professions were chosen for their shares: 20 near 2 %, 20 near 50 % and 20 near 92 %. A correlation over all 60 is
therefore one of three groups, whatever happens inside them. So there is also one for each group, and a pooled one
within groups:

    r_within = correlation of x and y, each ranked within its group and measured from its group's mean
    t        = r_within sqrt(df / (1 - r_within^2)),  df = n - groups - 1

With groups of one size and no ties it is the mean of the groups' Spearman correlations.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats as distributions

from counterpoise import stats
from counterpoise.measures.base.row_builders import correlation_row, figure_row, with_effect
from counterpoise.measures.base.rows import ZERO, Place, Row, in_group, row_key
from counterpoise.measures.base.workforce import beside_shares, correlation_rows
from counterpoise.measures.probability.common.associations import differences
from counterpoise.stats.contingency import fisher_interval
from counterpoise.studies.papers.bartl2020.associations import PAIR
from counterpoise.studies.papers.bartl2020.published import GROUPS
from counterpoise.studies.papers.bartl2020.summary_rows import DIFFERENCE, study_row

SPEARMAN = "spearman"  # the key of the correlation over all professions
WITHIN = "within groups"
CORRELATION = "Spearman correlation with the share of women"
_LEVEL = 0.95


def correlation_key(name: str) -> str:
    """The key of a group's correlation, or of the one within groups.

    >>> correlation_key("male"), correlation_key(WITHIN)
    ('spearman.male', 'spearman.within_groups')
    """
    return row_key(SPEARMAN, in_group(name))


def workforce_rows(items: pd.DataFrame) -> list[dict[str, Any]]:
    """Correlations over all professions, in each group of them, and pooled within groups."""
    professions = beside_shares(differences(items, PAIR))
    rows = [
        *correlation_rows(professions),
        *(_group_row(professions[professions.group == group], group) for group in GROUPS),
        within_groups_row(professions),
    ]
    return [study_row(row, DIFFERENCE) for row in rows]


def within_groups_row(professions: pd.DataFrame) -> Row:
    """Spearman's correlation of `difference` and `women_share` with the groups' means taken out.

    Two groups in which both go the same way, whatever sets the groups apart:

    >>> professions = pd.DataFrame({"group": ["female"] * 3 + ["male"] * 3, "women_share": [90, 91, 95, 1, 2, 3],
    ...                             "difference": [-0.9, -0.5, -0.7, 0.5, 0.6, 0.9]})
    >>> row = within_groups_row(professions)
    >>> round(row.value, 3), row.n                     # the mean of .5 and 1
    (0.75, 6)
    """
    known = professions[professions.women_share.notna()]
    ranks = known.groupby("group")[["difference", "women_share"]].rank()
    centred = ranks - ranks.groupby(known.group).transform("mean")
    n, groups = len(known), known.group.nunique()
    row = figure_row(math.nan, SPEARMAN, CORRELATION, n=n, at=Place("workforce", WITHIN, WITHIN), ideal=ZERO)
    x, y = centred.to_numpy().T
    length = math.sqrt(float(x @ x) * float(y @ y))
    df = n - groups - 1
    if length == 0 or df < 1:
        return row
    r = float(np.clip(x @ y / length, -1, 1))
    # An ordinary correlation of n pairs has n - 2 degrees of freedom; this one is worth as many pairs as have its own.
    pairs = df + 2
    low, high = fisher_interval(r, pairs, _LEVEL, inflation=1 + r**2 / 2)
    detectable = stats.smallest_detectable_correlation(pairs)
    return with_effect(row, r, low, high, p_value=_p_value(r, df), smallest_detectable=detectable)


def _group_row(professions: pd.DataFrame, group: str) -> Row:
    return correlation_row(
        professions.difference,
        professions.women_share,
        SPEARMAN,
        CORRELATION,
        kind="spearman",
        at=in_group(group),
    )


def _p_value(r: float, df: int) -> float:
    if abs(r) >= 1:
        return 0.0
    return float(2 * distributions.t.sf(abs(r) * math.sqrt(df / (1 - r**2)), df))
