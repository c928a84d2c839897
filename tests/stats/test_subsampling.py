from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from counterpoise.core.errors import InputError
from counterpoise.stats import subsample_curve


def test_barzas_five_samples_of_each_size():
    values = np.random.default_rng(0).normal(size=100)
    curve = subsample_curve(values)
    assert curve.points.groupby("size").size().to_dict() == {20: 5, 40: 5, 60: 5, 80: 5, 100: 5}
    assert curve.points[curve.points["size"] == 100]["value"].to_numpy() == pytest.approx(values.mean())
    spread = curve.summary.set_index("size")["std"]
    assert spread[100] == pytest.approx(0, abs=1e-12)
    assert spread[20] > spread[80]
    assert curve.points.equals(subsample_curve(values).points)
    assert not curve.points.equals(subsample_curve(values, seed=1).points)


def test_samples_are_without_replacement_and_of_the_asked_size():
    seen = []
    subsample_curve(np.arange(30.0), lambda part: seen.append(part) or part.mean(), sizes=[10], repeats=4)
    assert [len(set(part)) for part in seen] == [10] * 4


def test_the_spread_is_that_of_a_finite_population():
    values = np.random.default_rng(1).normal(size=100)
    points = subsample_curve(values, sizes=[20], repeats=3_000).points
    expected = values.std(ddof=1) * np.sqrt((1 - 20 / 100) / 20)
    assert points["value"].std() == pytest.approx(expected, rel=0.05)


def test_whole_clusters_and_tables():
    table = pd.DataFrame({"word": np.repeat(list("abcdefgh"), 3), "score": np.arange(24.0)})
    sizes = []

    def measure(part):
        sizes.append((part["word"].nunique(), len(part)))
        return float(part["score"].median())

    curve = subsample_curve(table, measure, sizes=(2, 8, 20), repeats=2, clusters=table["word"])
    assert sizes == [(2, 6), (2, 6), (8, 24), (8, 24)]
    assert curve.too_large == (20,)
    assert curve.n_items == 8


def test_bad_requests():
    with pytest.raises(InputError, match="each of the sizes must be at least 1, found 0"):
        subsample_curve([1, 2, 3], sizes=[0])
    with pytest.raises(InputError, match="there is no statistic 'avg'"):
        subsample_curve([1, 2, 3], "avg")
    with pytest.raises(InputError, match="a table has no one mean"):
        subsample_curve(pd.DataFrame({"a": [1]}), "mean")
    assert subsample_curve([1, 2, 3]).points.empty
