"""What the perceptrons found: each number against scipy or numpy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from counterpoise.studies.papers.kurita2019.case_study import accuracy_rows, neither_rows, topic_row
from counterpoise.studies.papers.kurita2019.gap_scores import gap_scores


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
    [row] = [row for row in rows if row.row.key == key]
    return row


def of_gender(found, values, gender):
    return values[..., (found.gender == gender).to_numpy()]


def test_accuracy(asked):
    found, probabilities = asked
    rows = accuracy_rows(found, probabilities)
    right = 100.0 * (probabilities.argmax(-1) == found.answer.to_numpy())
    accuracy = of_key(rows, "accuracy")
    assert accuracy.by_seed == pytest.approx(tuple(right.mean(1)))
    assert accuracy.row.value == pytest.approx(right.mean())
    assert accuracy.row.ci_low < accuracy.row.value < accuracy.row.ci_high
    assert accuracy.row.clusters == 60
    assert accuracy.row.note.startswith("3 seeds from ")
    assert of_key(rows, "accuracy.male").row.value == pytest.approx(of_gender(found, right, "male").mean())


def test_f1_is_the_mean_of_the_seeds(asked):
    found, probabilities = asked
    rows = accuracy_rows(found, probabilities)
    answers, predicted = found.answer.to_numpy(), probabilities.argmax(-1)
    by_gender = {
        gender: [
            gap_scores(of_gender(found, answers, gender), of_gender(found, seed, gender)).f1
            for seed in predicted
        ]
        for gender in ("male", "female")
    }
    for gender, by_seed in by_gender.items():
        assert of_key(rows, f"f1.{gender}").by_seed == pytest.approx(tuple(by_seed))
    ratios = np.divide(by_gender["female"], by_gender["male"])
    ratio = of_key(rows, "f1_ratio")
    assert ratio.by_seed == pytest.approx(tuple(ratios))
    assert ratio.row.value == pytest.approx(ratios.mean())


def test_neither(asked):
    found, probabilities = asked
    result = of_key(neither_rows(found, probabilities), "neither_predicted.difference")
    predicted = 100 * probabilities[..., 2]
    male, female = (of_gender(found, predicted, gender) for gender in ("male", "female"))
    assert result.row.value == pytest.approx(male.mean() - female.mean())
    assert result.by_seed == pytest.approx(tuple(male.mean(1) - female.mean(1)))
    # Each page has a male and a female passage, so that the differences of pages are a table of seeds and pages.
    differences = male - female
    by_page, by_seed, mean = differences.mean(0), differences.mean(1), differences.mean()
    rest = differences - by_page - by_seed[:, None] + mean
    seeds, pages = differences.shape
    squares = [
        pages * ((by_seed - mean) ** 2).sum() / (seeds - 1),
        seeds * ((by_page - mean) ** 2).sum() / (pages - 1),
        (rest**2).sum() / ((seeds - 1) * (pages - 1)),
    ]
    variance = max(squares[0] + squares[1] - squares[2], squares[0], squares[1]) / (seeds * pages)
    freedoms = np.array([seeds - 1, pages - 1, (seeds - 1) * (pages - 1)])
    df = (variance * seeds * pages) ** 2 / (np.square(squares) / freedoms).sum()
    assert result.row.p_value == pytest.approx(2 * stats.t.sf(abs(mean) / np.sqrt(variance), df))
    half = stats.t.ppf(0.975, df) * np.sqrt(variance)
    assert (result.row.ci_low, result.row.ci_high) == pytest.approx((mean - half, mean + half))


def test_one_seed_alone_is_tested_over_passages_as_in_the_paper(asked):
    found, probabilities = asked
    result = of_key(neither_rows(found, probabilities), "neither_predicted.difference")
    predicted = 100 * probabilities[..., 2]
    for of_seed, p in zip(predicted, result.p_by_seed, strict=True):
        male, female = (of_gender(found, of_seed, gender) for gender in ("male", "female"))
        tested = stats.permutation_test(
            (male, female), lambda x, y: x.mean() - y.mean(), n_resamples=5000, rng=np.random.default_rng(0)
        )
        assert p == pytest.approx(tested.pvalue, abs=0.02)


def test_what_is_true_does_not_depend_on_seeds(asked):
    found, probabilities = asked
    rows = neither_rows(found, probabilities)
    truth = of_key(rows, "neither_true.difference")
    again = of_key(neither_rows(found, probabilities[:1]), "neither_true.difference")
    assert truth.by_seed == truth.p_by_seed == ()
    assert truth.row == again.row


def test_topics(asked):
    found, probabilities = asked
    bias = np.random.default_rng(2).normal(size=len(found)) + probabilities[..., 2].mean(0)
    result = topic_row(found, probabilities, bias, "female")
    inside = (found.gender == "female").to_numpy()
    expected = [stats.spearmanr(bias[inside], of_seed[inside]) for of_seed in probabilities[..., 2]]
    assert result.by_seed == pytest.approx(tuple(one.statistic for one in expected))
    assert result.p_by_seed == pytest.approx(tuple(one.pvalue for one in expected))
    assert result.row.value == pytest.approx(np.mean([one.statistic for one in expected]))
    assert result.row.n == 60
    assert result.row.ci_low < result.row.value < result.row.ci_high


def test_a_bias_that_is_the_same_everywhere_has_no_correlation(asked):
    found, probabilities = asked
    row = topic_row(found, probabilities, np.zeros(len(found)), "female").row
    assert np.isnan(row.value)
    assert row.note == "no value: too few items, or all values are equal"
