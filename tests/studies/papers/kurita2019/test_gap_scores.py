"""GAP's scorer, counted by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from counterpoise.studies.papers.kurita2019.gap_scores import f1_ratio, gap_scores

A, B, NEITHER = 0, 1, 2


@pytest.mark.parametrize(
    ("answers", "predicted", "counts", "f1"),
    [
        ([A, B], [A, B], (2, 0, 0), 100.0),
        ([A, B], [B, A], (0, 2, 2), 0.0),
        ([A, NEITHER], [NEITHER, NEITHER], (0, 0, 1), 0.0),
        ([NEITHER], [NEITHER], (0, 0, 0), 0.0),  # nothing to find: GAP's scorer has 0
        # Of five: two right; A for B is one wrong and one missed; A for neither is one wrong; one is missed.
        ([A, B, B, NEITHER, A], [A, B, A, A, NEITHER], (2, 2, 2), 50.0),
    ],
)
def test_by_hand(answers, predicted, counts, f1):
    scores = gap_scores(np.array(answers), np.array(predicted))
    assert (scores.true_positives, scores.false_positives, scores.false_negatives) == counts
    assert scores.f1 == pytest.approx(f1)


def test_f1_is_the_harmonic_mean_of_precision_and_recall():
    scores = gap_scores(np.array([A, B, B, NEITHER, A, A]), np.array([A, B, A, A, NEITHER, A]))
    assert scores.precision == pytest.approx(100 * 3 / 5)
    assert scores.recall == pytest.approx(100 * 3 / 5)
    harmonic = 2 * scores.precision * scores.recall / (scores.precision + scores.recall)
    assert scores.f1 == pytest.approx(harmonic)


def test_bias_is_female_over_male():
    answers = np.array([A, B, A, B])
    predicted = np.array([[A, B, A, A]])  # male: both right; female: one right, one wrong and missed
    found = pd.DataFrame(
        {"answer": answers, "gender": ["male", "male", "female", "female"], "url": ["a", "b", "c", "d"]}
    )
    ratio = f1_ratio(found, predicted, n=200)
    assert ratio["male"].value == 100.0
    assert ratio["female"].value == pytest.approx(50.0)
    assert ratio["female / male"].value == pytest.approx(0.5)


def test_several_seeds_are_counted_together():
    found = pd.DataFrame({"answer": [A, B], "gender": ["male", "female"], "url": ["a", "b"]})
    ratio = f1_ratio(found, np.array([[A, B], [B, B]]), n=200)
    assert ratio["male"].value == pytest.approx(50.0)  # 1 hit; 1 wrong and 1 missed
    assert ratio["female"].value == 100.0
