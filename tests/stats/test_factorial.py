"""Contrasts of cells of items that every text has: by hand, against `crossed_t`, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from counterpoise import stats
from counterpoise.core.errors import InputError

CELLS = ["male a"] * 6 + ["female a"] * 6 + ["male b"] * 5 + ["female b"] * 4
GENDER = {"male a": 0.5, "female a": -0.5, "male b": 0.5, "female b": -0.5}
GROUP = {"male a": 0.5, "female a": 0.5, "male b": -0.5, "female b": -0.5}
INTERACTION = {"male a": 1.0, "female a": -1.0, "male b": -1.0, "female b": 1.0}


def rated(rng, effects=None, texts=25, of_names=0.3):
    """Texts differ, and in how they take each cell; names differ; the rest is noise."""
    means = np.array([(effects or {}).get(cell, 0.0) for cell in CELLS])
    kinds = {cell: rng.normal(0, 0.3, texts) for cell in dict.fromkeys(CELLS)}
    return (
        means
        + rng.normal(0, 1.0, (texts, 1))
        + np.stack([kinds[cell] for cell in CELLS], axis=1)
        + rng.normal(0, of_names, (1, len(CELLS)))
        + rng.normal(0, 0.4, (texts, len(CELLS)))
    )


def test_one_cell_is_the_crossed_mean():
    table = np.random.default_rng(1).normal(1, 1, (7, 5))
    contrast, mean = stats.crossed_contrast(table, ["all"] * 5, {"all": 1.0}), stats.crossed_t(table)
    assert vars(contrast) == pytest.approx(vars(mean))


def test_one_text_is_welchs_test_of_names():
    values = np.random.default_rng(2).normal(size=11)
    fit = stats.crossed_contrast(values[None, :], ["m"] * 4 + ["f"] * 7, {"m": 1.0, "f": -1.0})
    welch = scipy_stats.ttest_ind(values[:4], values[4:], equal_var=False)
    low, high = welch.confidence_interval()
    assert fit.p_value == pytest.approx(welch.pvalue)
    assert [fit.low, fit.high] == pytest.approx([low, high])


def test_names_that_are_all_alike_leave_the_paired_test_of_texts():
    """Two names of a cell that get the same ratings: only texts vary."""
    by_text = np.random.default_rng(3).normal(size=(12, 2))
    fit = stats.crossed_contrast(by_text[:, [0, 0, 1, 1]], list("mmff"), {"m": 1.0, "f": -1.0})
    # The names of a cell have no spread between them, but the means of both cells differ as texts have it.
    paired = scipy_stats.ttest_rel(by_text[:, 0], by_text[:, 1])
    assert fit.p_value == pytest.approx(paired.pvalue)


def test_the_variance_by_hand():
    table = np.array([[1.0, 3.0, 0.0, 2.0], [2.0, 4.0, 1.5, 2.0], [3.0, 5.5, 1.0, 2.0]])
    fit = stats.crossed_contrast(table, ["x", "x", "y", "y"], {"x": 1.0, "y": -1.0})
    of_texts = np.var([1.0, 1.25, 2.75], ddof=1) / 3
    of_names = np.var([2.0, 25 / 6], ddof=1) / 2 + np.var([5 / 6, 2.0], ddof=1) / 2
    # In a cell of two names the rest is half the spread of their difference over texts.
    of_rest = sum(np.var(table[:, i + 1] - table[:, i], ddof=1) / 2 / (3 * 2) for i in (0, 2))
    assert fit.value == pytest.approx(5 / 3)
    assert fit.standard_error**2 == pytest.approx(of_texts + of_names - of_rest)


def test_mistakes_and_what_cannot_be_told():
    table = np.ones((3, 3))
    with pytest.raises(InputError, match="no column is in the cell 'z'"):
        stats.crossed_contrast(table, list("xxy"), {"z": 1.0})
    with pytest.raises(InputError, match="no cell has a weight other than 0"):
        stats.crossed_contrast(table, list("xxy"), {"x": 0.0})
    assert (
        stats.crossed_contrast(table, list("xxy"), {"x": 1.0, "y": -1.0}).reason == "one item only in a cell"
    )
    assert stats.crossed_contrast(table, list("xxx"), {"x": 1.0}).reason == "all values of a cell are equal"


def test_without_an_effect_few_tests_reject():
    """Each test at .05, and any of the three after Holm's correction."""
    rng, draws = np.random.default_rng(4), 1000
    p = np.array(
        [
            [
                stats.crossed_contrast(table, CELLS, weights).p_value
                for weights in (GENDER, GROUP, INTERACTION)
            ]
            for table in (rated(rng) for _ in range(draws))
        ]
    )
    limit = 0.05 + 3 * math.sqrt(0.05 * 0.95 / draws)
    assert (p < 0.05).mean(axis=0).max() <= limit
    adjusted = np.array([stats.adjust(tests) for tests in p])
    assert (adjusted < 0.05).any(axis=1).mean() <= limit


def test_planted_effects_are_covered_and_names_must_be_counted():
    rng, draws = np.random.default_rng(5), 500
    planted = {"male a": 0.5, "female a": 0.1, "male b": 0.2, "female b": 0.2}
    truth = {0.2: GENDER, 0.1: GROUP, 0.4: INTERACTION}
    covered, naive = np.zeros(3), 0
    for _ in range(draws):
        table = rated(rng, planted)
        fits = [stats.crossed_contrast(table, CELLS, weights) for weights in truth.values()]
        covered += [fit.low <= value <= fit.high for fit, value in zip(fits, truth, strict=True)]
        per_text = sum(GENDER[cell] * table[:, [c == cell for c in CELLS]].mean(axis=1) for cell in GENDER)
        texts_only = stats.cluster_t(per_text)
        naive += texts_only.low <= 0.2 <= texts_only.high
    assert (covered / draws >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / draws)).all()
    assert naive / draws < 0.85
