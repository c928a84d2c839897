from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from counterpoise.stats import wilcoxon, wilcoxon_from_v

# Bartl 2020, tables 4 and 5: professions, V (printed as W), |r|, and the mean change (English) or the mean
# before tuning (German) of female and of male person words. V is of female minus male differences, 900 pairs.
BARTL = [
    ("en balanced", 359188, 0.47, 0.55, 0.01),
    ("en female", 96428, 0.32, -0.14, 0.55),
    ("en male", 395974, 0.58, 0.96, 0.05),
    ("de balanced", 315058, 0.34, 2.14, 1.36),
    ("de female", 304635, 0.31, 2.05, 1.34),
    ("de male", 297605, 0.29, 2.14, 1.46),
]


@pytest.mark.parametrize(("name", "v", "r", "female", "male"), BARTL)
def test_bartls_tables(name, v, r, female, male):
    test = wilcoxon_from_v(v, 900)
    assert test.n_observations == 1800
    assert round(abs(test.r), 2) == r
    # The direction is that of female minus male; the minus printed before every r carries nothing.
    assert (test.r > 0) == (female > male)
    assert test.z == pytest.approx((v - 202725) / 7800.7, abs=1e-3)
    assert round(abs(test.z) / math.sqrt(900), 2) != r  # it is not the number of pairs that was divided by


def test_male_minus_female_mirrors_the_published_v():
    ours, theirs = wilcoxon_from_v(405450 - 359188, 900), wilcoxon_from_v(359188, 900)
    assert ours.w == theirs.w == 46262
    assert ours.r == -theirs.r
    assert ours.rank_biserial == -theirs.rank_biserial


def test_jentzsch_turans_p_values_follow_from_their_w_and_counts(published):
    """Their p allows for ties, which W alone does not tell: the logarithms agree, not the last digits."""
    for _, spec, _, negative, positive, w, p_value, _ in published["jentzsch2022"]["rows"]:
        ours = wilcoxon_from_v(w, negative + positive).p_value
        assert math.log10(ours + 1e-300) == pytest.approx(math.log10(p_value + 1e-300), rel=2e-3, abs=2e-2), (
            spec
        )


differences = st.lists(st.integers(-6, 6).map(float), min_size=2, max_size=40)


@settings(max_examples=100, deadline=None)
@given(differences, st.sampled_from(["wilcox", "pratt"]))
def test_v_w_and_z_equal_scipy(values, zeros):
    test = wilcoxon(values, zeros=zeros)
    if np.count_nonzero(values) < 2:
        assert math.isnan(test.p_value)
        assert test.reason
        return
    kept = [v for v in values if v] if zeros == "wilcox" else values
    arguments = {"zero_method": zeros, "correction": False, "method": "approx"}
    one_sided = scipy_stats.wilcoxon(kept, alternative="greater", **arguments)
    assert test.v == one_sided.statistic
    assert test.z == pytest.approx(one_sided.zstatistic, abs=1e-9)
    two_sided = scipy_stats.wilcoxon(kept, **arguments)
    assert test.w == two_sided.statistic
    if test.method == "normal":
        assert test.p_value == pytest.approx(two_sided.pvalue, abs=1e-9)
    negative = scipy_stats.wilcoxon(kept, alternative="less", **arguments)
    assert negative.statistic == test.v  # scipy's one-sided statistic is V whichever the side


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(-6, 6).map(float), min_size=2, max_size=9),
    st.sampled_from(["wilcox", "pratt"]),
    st.sampled_from(["two-sided", "greater", "less"]),
)
def test_exact_p_with_ties_and_zeros_equals_scipys_enumeration(values, zeros, alternative):
    test = wilcoxon(values, zeros=zeros, alternative=alternative)
    if test.reason:
        return
    assert test.method == "exact"
    kept = [v for v in values if v] if zeros == "wilcox" else values
    method = scipy_stats.PermutationMethod(n_resamples=np.inf)
    theirs = scipy_stats.wilcoxon(kept, zero_method=zeros, alternative=alternative, method=method)
    assert test.p_value == pytest.approx(theirs.pvalue, abs=1e-9)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("n", [5, 20, 50, 51, 300])
def test_p_without_ties_equals_scipy(n, alternative):
    values = np.random.default_rng(n).normal(0.2, 1, n)
    test = wilcoxon(values, alternative=alternative)
    assert test.method == ("exact" if n <= 50 else "normal")
    assert test.p_value == pytest.approx(
        scipy_stats.wilcoxon(values, alternative=alternative).pvalue, abs=1e-9
    )


def test_rank_biserial_and_r_by_hand():
    test = wilcoxon([1, -2, 3, 4, 0])  # ranks 1, -2, 3, 4
    assert (test.v, test.w) == (8, 2)
    assert test.rank_biserial == pytest.approx((8 - 2) / 10)
    assert test.z == pytest.approx((8 - 5) / math.sqrt(4 * 5 * 9 / 24))
    assert test.r == pytest.approx(test.z / math.sqrt(10))
    assert (test.n, test.n_zero, test.n_observations) == (5, 1, 10)
    assert wilcoxon([1, -2, 3, 4, 0], observations=5).r == pytest.approx(test.z / math.sqrt(5))
    pratt = wilcoxon([1, -2, 3, 4, 0], zeros="pratt")  # ranks 2, -3, 4, 5 beside the zero's 1
    assert (pratt.v, pratt.w) == (11, 3)


def test_from_v_equals_the_test_of_values_without_ties():
    values = np.random.default_rng(1).normal(0.1, 1, 200)
    test = wilcoxon(values)
    again = wilcoxon_from_v(test.v, 200)
    assert (again.w, again.n) == (test.w, test.n)
    for name in ("z", "r", "rank_biserial", "p_value"):
        assert getattr(again, name) == pytest.approx(getattr(test, name), abs=1e-12)
