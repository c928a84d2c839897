from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from counterpoise.measures.base.rows import in_group
from counterpoise.measures.probability.common.association_rows import wilcoxon_rows


def differences_with(v, n=900):
    """n differences, male minus female, whose V of female minus male is v; the highest ranks go first."""
    ranks = np.arange(1, n + 1)
    signs = np.ones(n)
    for rank in ranks[::-1]:
        if rank <= v:
            signs[rank - 1], v = -1, v - rank
    assert v == 0
    return pd.Series(signs * ranks)


@pytest.mark.parametrize(
    ("v", "r"),
    [
        (359188, -0.47),  # Bartl 2020, table 4: balanced, female, male professions
        (96428, -0.32),
        (395974, -0.58),
        (315058, -0.34),  # table 5, German
        (304635, -0.31),
        (297605, -0.29),
    ],
)
def test_v_and_r_are_those_of_the_paper(v, r):
    shown_v, shown_r = wilcoxon_rows(differences_with(v), in_group("balanced", "balanced professions"))
    assert shown_v.value == v
    assert round(shown_r.value, 2) == r
    assert shown_v.ideal.value == 202725  # what V is where there is no difference
    assert shown_v.n == 900
    assert (shown_v.key, shown_r.key) == ("wilcoxon_v.balanced", "wilcoxon_r.balanced")
    assert shown_v.group == shown_r.group == "balanced professions"
