"""GAP's scorer, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from counterpoise.studies.papers.kurita2019.gap_scores import decisions, f1_of_counts, gap_scores

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


def test_f1_of_each_seed():
    answers = np.array([A, B, A, B])
    predicted = np.array([[A, B, A, A], [B, B, NEITHER, B], [NEITHER, NEITHER, NEITHER, NEITHER]])
    counts = np.stack([decisions(answers, of_seed).to_numpy() for of_seed in predicted])
    # Second seed: two right; one wrong and missed; one missed. F1 = 4 / (4 + 1 + 2).
    assert f1_of_counts(counts).tolist() == pytest.approx([75.0, 100 * 4 / 7, 0.0])
    assert f1_of_counts(counts).tolist() == pytest.approx([gap_scores(answers, one).f1 for one in predicted])


def test_without_names_there_is_no_f1():
    assert np.isnan(f1_of_counts(np.zeros((1, 3, 3), dtype=int))).all()
