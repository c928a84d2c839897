from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from counterpoise.core.errors import InputError
from counterpoise.stats import cliffs_delta, cohens_d, effect_size_weat, effect_size_weat_interval, hedges_g
from counterpoise.stats.effects import small_sample_correction

numbers = st.integers(-50, 50).map(lambda i: i / 7)


@pytest.mark.parametrize(
    ("test", "printed"),
    [
        ("career_family", 1.1255),
        ("math_art", 0.8495),
        ("science_art", 0.9572),
        ("black_white_pleasant_unpleasant", -0.8864),
        ("flower_bug", 0.4458),
    ],
)
def test_kuritas_printed_rows(published, test, printed):
    rows = published["kurita2019"]["tests"][test]
    d = effect_size_weat(rows["x"], rows["y"])
    assert round(d, 4) == printed
    assert d == pytest.approx(rows["effect_size"], abs=1e-5)  # the rows are printed to six digits
    fit = effect_size_weat_interval(rows["x"], rows["y"])
    assert fit.value == d
    assert fit.low < d < fit.high
    assert fit.low * fit.high > 0  # every one of the five is significant as printed


def test_weats_d_by_hand_and_its_ddof():
    x, y = [1.0, 2.0, 3.0], [2.0, 3.0, 4.0]
    squares = sum((v - 2.5) ** 2 for v in x + y)
    assert effect_size_weat(x, y) == pytest.approx(-1 / math.sqrt(squares / 5))
    assert effect_size_weat(x, y, ddof=0) == pytest.approx(-1 / math.sqrt(squares / 6))
    # With eight and eight words, WEFE's convention gives 3 % more than the papers'.
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=8), rng.normal(size=8)
    assert effect_size_weat(x, y, 0) / effect_size_weat(x, y, 1) == pytest.approx(math.sqrt(16 / 15))
    assert round(0.7314 * math.sqrt(16 / 15), 4) == 0.7554  # a case that was measured with WEFE itself


@settings(max_examples=60, deadline=None)
@given(st.lists(numbers, min_size=2, max_size=8), st.lists(numbers, min_size=2, max_size=8))
def test_weats_d_is_cohens_d_bent(x, y):
    d = cohens_d(x, y)
    if d.reason:
        return
    n = len(x) + len(y)
    bent = d.value * math.sqrt((n - 1) / (n - 2 + len(x) * len(y) / n * d.value**2))
    assert effect_size_weat(x, y) == pytest.approx(bent, abs=1e-9)


@pytest.mark.parametrize(("x_shift", "n"), [(0.0, 8), (0.5, 20), (1.5, 40)])
def test_cohens_d_is_the_t_test_rescaled(x_shift, n):
    rng = np.random.default_rng(n)
    x, y = rng.normal(x_shift, 1, n), rng.normal(0, 1, n + 3)
    t = scipy_stats.ttest_ind(x, y)
    fit = cohens_d(x, y)
    assert fit.value == pytest.approx(t.statistic * math.sqrt(1 / n + 1 / (n + 3)), abs=1e-12)
    # The interval leaves 0 out exactly where the t-test rejects.
    assert (fit.low <= 0 <= fit.high) == (t.pvalue > 0.05)
    one = cohens_d(x)
    assert one.value == pytest.approx(scipy_stats.ttest_1samp(x, 0).statistic / math.sqrt(n), abs=1e-12)


def test_hedges_correction():
    for df in (2, 5, 10, 100):
        exact = math.gamma(df / 2) / (math.sqrt(df / 2) * math.gamma((df - 1) / 2))
        assert small_sample_correction(df) == pytest.approx(exact, abs=1e-12)
        assert small_sample_correction(df) == pytest.approx(
            1 - 3 / (4 * df - 1), abs=0.02
        )  # Hedges' approximation
    rng = np.random.default_rng(0)
    x, y = rng.normal(1, 1, 7), rng.normal(0, 1, 6)
    assert hedges_g(x, y).value == pytest.approx(small_sample_correction(11) * cohens_d(x, y).value)
    assert (hedges_g(x, y).low, hedges_g(x, y).high) == (cohens_d(x, y).low, cohens_d(x, y).high)
    assert math.isnan(hedges_g([1.0, 2.0]).value)
    assert hedges_g([1.0, 2.0]).reason


@pytest.mark.slow
def test_hedges_g_is_unbiased_where_cohens_d_is_not():
    rng = np.random.default_rng(1)
    x, y = rng.normal(0.8, 1, (4_000, 6)), rng.normal(0, 1, (4_000, 6))
    pairs = [(cohens_d(a, b).value, hedges_g(a, b).value) for a, b in zip(x, y, strict=True)]
    d, g = np.mean(pairs, axis=0)
    error = np.std([g for _, g in pairs]) / math.sqrt(4_000)
    assert abs(g - 0.8) < 3 * error
    assert d - 0.8 > 2 * error


@settings(max_examples=60, deadline=None)
@given(st.lists(numbers, min_size=2, max_size=12), st.lists(numbers, min_size=2, max_size=12))
def test_cliffs_delta_equals_brute_force(x, y):
    fit = cliffs_delta(x, y)
    signs = [np.sign(a - b) for a, b in itertools.product(x, y)]
    assert fit.value == pytest.approx(np.mean(signs), abs=1e-12)
    u = scipy_stats.mannwhitneyu(x, y).statistic
    assert fit.value == pytest.approx(2 * u / (len(x) * len(y)) - 1, abs=1e-12)
    assert -1 <= fit.low <= fit.value <= fit.high <= 1


def test_cliffs_interval_from_the_full_dominance_matrix():
    """Feng & Cliff 2004, equations 5 and 9, with the matrix of signs written out."""
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 8, 14).astype(float), rng.integers(2, 9, 11).astype(float)
    m, n = 14, 11
    dominance = np.sign(x[:, None] - y[None, :])
    d = dominance.mean()
    rows, columns = dominance.mean(axis=1), dominance.mean(axis=0)
    numerator = (
        n**2 * ((rows - d) ** 2).sum() + m**2 * ((columns - d) ** 2).sum() - ((dominance - d) ** 2).sum()
    )
    s2 = numerator / (m * n * (m - 1) * (n - 1))
    z = scipy_stats.norm.ppf(0.975)
    root = z * math.sqrt(s2) * math.sqrt((1 - d**2) ** 2 + z**2 * s2)
    fit = cliffs_delta(x, y)
    assert fit.low == pytest.approx((d - d**3 - root) / (1 - d**2 + z**2 * s2), abs=1e-12)
    assert fit.high == pytest.approx((d - d**3 + root) / (1 - d**2 + z**2 * s2), abs=1e-12)


def test_cliffs_delta_without_overlap_still_has_width():
    fit = cliffs_delta([5, 6, 7, 8, 9], [1, 2, 3])
    assert fit.value == fit.high == 1
    assert fit.low < 0.5
    below = cliffs_delta([1, 2, 3], [5, 6, 7, 8, 9])
    assert (below.low, below.high) == (-1, -fit.low)


def test_nothing_to_divide_by():
    assert math.isnan(effect_size_weat([1, 1], [1, 1]))
    assert effect_size_weat_interval([1, 1], [1, 1]).reason
    assert cohens_d([1.0], [2.0]).reason == "too few values to have a spread"
    assert cohens_d([1.0, 1.0], [2.0, 2.0]).reason == "the values within a sample are all equal"
    assert cohens_d([0.1, 0.1, 0.1]).reason  # whose mean is not 0.1 in binary
    assert cliffs_delta([1.0], [2.0, 3.0]).reason
    with pytest.raises(InputError, match="ddof must be 0 or 1"):
        effect_size_weat([1, 2], [3, 4], ddof=2)
