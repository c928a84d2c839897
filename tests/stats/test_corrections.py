from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from counterpoise.core.errors import InputError
from counterpoise.stats import adjust, stars


def test_jentzsch_turans_63_rows(published):
    rows = published["jentzsch2022"]["rows"]
    adjusted = adjust([row[6] for row in rows], "bonferroni", factor=64)
    marks = [stars(p) for p in adjusted]
    assert marks == [row[7] for row in rows]
    assert len(rows) == 63
    assert marks.count("***") == 57
    assert marks.count("*") == 1
    biases = [row[2] for row, mark in zip(rows, marks, strict=True) if mark == "***"]
    assert sum(bias > 0 for bias in biases) == 41
    assert sum(bias < 0 for bias in biases) == 16
    [single] = [row[:2] for row, mark in zip(rows, marks, strict=True) if mark == "*"]
    assert single == ["bertlarge", "mix_pro"]


p_values = st.lists(st.floats(0, 1), min_size=1, max_size=20)


def by_hand(p: np.ndarray, method: str, m: int) -> list[float]:
    """Each adjusted p from its definition, without sorting tricks."""
    if method == "bonferroni":
        return [min(1, m * q) for q in p]
    order = sorted(p)
    if method == "holm":  # the largest (m - j) p_(j) up to one's own rank
        steps = [(m - j) * q for j, q in enumerate(order)]
        return [min(1, max(s for s, o in zip(steps, order, strict=True) if o <= q)) for q in p]
    steps = [m * q / (j + 1) for j, q in enumerate(order)]
    return [min(1, min(s for s, o in zip(steps, order, strict=True) if o >= q)) for q in p]


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(p_values, st.sampled_from(["bonferroni", "holm", "bh"]), st.integers(0, 30))
def test_equals_the_definitions(p, method, more):
    assert adjust(p, method) == pytest.approx(by_hand(p, method, len(p)), abs=1e-9)
    family = len(p) + more
    assert adjust(p, method, factor=family) == pytest.approx(by_hand(p, method, family), abs=1e-9)
    theirs = multipletests(p, method={"bh": "fdr_bh"}.get(method, method))[1]
    assert adjust(p, method) == pytest.approx(theirs, abs=1e-9)


def test_a_missing_p_is_not_counted():
    p = [0.01, math.nan, 0.02, math.nan]
    for method in ("bonferroni", "holm", "bh"):
        adjusted = adjust(p, method)
        assert np.isnan(adjusted[[1, 3]]).all()
        assert adjusted[[0, 2]].tolist() == adjust([0.01, 0.02], method).tolist()
    assert np.isnan(adjust([math.nan, math.nan])).all()
    assert len(adjust([])) == 0


def test_families_are_corrected_each_on_its_own():
    p, families = [0.01, 0.02, 0.03, 0.04, 0.5], ["a", "b", "a", "b", "b"]
    adjusted = adjust(p, "holm", families=families)
    assert adjusted[[0, 2]].tolist() == adjust([0.01, 0.03]).tolist()
    assert adjusted[[1, 3, 4]].tolist() == adjust([0.02, 0.04, 0.5]).tolist()


def test_bad_p_values():
    with pytest.raises(InputError, match=r"between 0 and 1, found 1\.2"):
        adjust([0.1, 1.2])
    with pytest.raises(InputError, match=r"factor 2 is smaller than the family itself \(3 p-values\)"):
        adjust([0.1, 0.2, 0.3], factor=2)
    with pytest.raises(InputError, match="did you mean 'bonferroni'"):
        adjust([0.1], method="bonferoni")
    with pytest.raises(InputError, match="p_values must be numbers"):
        adjust(["small"])


def test_stars_stand_below_their_limits():
    limits = [
        (0.0, "***"),
        (0.000999, "***"),
        (0.001, "**"),
        (0.01, "*"),
        (0.05, ""),
        (1.0, ""),
        (math.nan, ""),
    ]
    assert [stars(p) for p, _ in limits] == [mark for _, mark in limits]
