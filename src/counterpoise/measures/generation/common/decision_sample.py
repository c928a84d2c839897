"""Fewer cases where their number is limited, balanced over domains and over the answer that is favourable."""

from __future__ import annotations

import numpy as np
import pandas as pd

from counterpoise.measures.base.sampling import balanced_sample


def balanced_cases(table: pd.DataFrame, count: int, seed: int) -> pd.DataFrame:
    """At most so many templates, an even number and two at least, in their order.

    A case where yes is favourable comes with one of its domain where no is, and there are as many such pairs of each
    domain as can be. Only where these run out are there cases without a partner, of both kinds as far as there are any.

    >>> table = pd.DataFrame({"domain": list("aaaabb"), "favourable": ["yes", "yes", "no", "no", "yes", "no"]})
    >>> balanced_cases(table, 5, seed=0).groupby(["domain", "favourable"]).size().tolist()
    [1, 1, 1, 1]
    """
    if len(table) <= max(count, 2):
        return table
    count = max(2, count - count % 2)
    shuffled = table.iloc[np.random.default_rng(seed).permutation(len(table))]
    turn = shuffled.groupby(["domain", "favourable"]).cumcount()
    couple = shuffled.assign(turn=turn).groupby(["domain", "turn"], sort=False).ngroup()
    is_paired = couple.groupby(couple).transform("size") == 2
    paired = shuffled[is_paired]
    firsts = balanced_sample(paired.groupby(couple[is_paired]).head(1), count // 2, seed, strata=("domain",))
    chosen = couple[couple.isin(couple[firsts.index])].index.tolist()
    if room := count - len(chosen):
        alone = shuffled[~is_paired]
        chosen += balanced_sample(alone, room, seed, strata=("favourable", "domain")).index.tolist()
    return table[table.index.isin(chosen)]
