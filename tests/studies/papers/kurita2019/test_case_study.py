"""What the perceptrons found: each number against scipy or numpy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from counterpoise.studies.papers.kurita2019.case_study import accuracy_rows, neither_rows, topic_row


@pytest.fixture(scope="module")
def asked():
    """120 passages on 60 pages, three seeds; female pronouns a little more often without a name."""
    rng = np.random.default_rng(0)
    found = pd.DataFrame(
        {
            "answer": rng.integers(0, 3, 120),
            "gender": np.tile(["male", "female"], 60),
            "url": np.repeat([f"page {i}" for i in range(60)], 2),
        }
    )
    scores = rng.normal(size=(3, 120, 3)) + 2 * np.eye(3)[found.answer]
    scores[..., 2] += 0.5 * (found.gender == "female").to_numpy()
    return found, np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)


def of_key(rows, key):
    [row] = [row for row in rows if row.key == key]
    return row


def test_accuracy(asked):
    found, probabilities = asked
    rows = accuracy_rows(found, probabilities)
    right = probabilities.argmax(-1) == found.answer.to_numpy()
    row = of_key(rows, "accuracy")
    assert row.value == pytest.approx(100 * right.mean())
    assert row.ci_low < row.value < row.ci_high
    assert row.clusters == 60
    assert row.note.startswith("3 seeds from ")
    male = right[:, (found.gender == "male").to_numpy()]
    assert of_key(rows, "accuracy.male").value == pytest.approx(100 * male.mean())
    ratio = of_key(rows, "f1_ratio").value
    assert ratio == pytest.approx(of_key(rows, "f1.female").value / of_key(rows, "f1.male").value)


def test_neither(asked):
    found, probabilities = asked
    row = of_key(neither_rows(found, probabilities), "neither_predicted.difference")
    predicted = 100 * probabilities[..., 2].mean(0)
    male, female = (predicted[(found.gender == gender).to_numpy()] for gender in ("male", "female"))
    assert row.value == pytest.approx(male.mean() - female.mean())
    tested = stats.permutation_test(
        (male, female), lambda x, y: x.mean() - y.mean(), n_resamples=5000, rng=np.random.default_rng(0)
    )
    assert row.p_value == pytest.approx(tested.pvalue, abs=0.02)
    assert row.ci_low < row.value < row.ci_high
    # What a t test of two such groups sees four times out of five: d = .516, times the pooled spread.
    pooled = np.sqrt((male.var(ddof=1) + female.var(ddof=1)) / 2)
    assert row.smallest_detectable == pytest.approx(0.516 * pooled, rel=0.01)


def test_topics(asked):
    found, probabilities = asked
    bias = np.random.default_rng(2).normal(size=len(found)) + probabilities[..., 2].mean(0)
    row = topic_row(found, probabilities, bias, "female")
    inside = (found.gender == "female").to_numpy()
    expected = stats.spearmanr(bias[inside], probabilities[..., 2].mean(0)[inside])
    assert row.value == pytest.approx(expected.statistic)
    assert row.p_value == pytest.approx(expected.pvalue)
    assert row.n == 60
    assert row.ci_low < row.value < row.ci_high
