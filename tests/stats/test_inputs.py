"""Bad input of every function: one clear line, or a result that says why; never a warning and a NaN."""

from __future__ import annotations

import dataclasses
import itertools
import math
import warnings

import numpy as np
import pandas as pd
import pytest

from counterpoise import stats
from counterpoise.core.errors import InputError

NAN = math.nan
OF_ONE_SAMPLE = {
    "sign_flip_test": stats.sign_flip_test,
    "wilcoxon": stats.wilcoxon,
    "bootstrap": lambda v: stats.bootstrap(v, "mean", n=50),
    "cluster_t": stats.cluster_t,
    "cohens_d": stats.cohens_d,
    "hedges_g": stats.hedges_g,
    "smallest_detectable": stats.smallest_detectable,
    "power_to_detect": lambda v: stats.power_to_detect(0.1, v),
    "subsample_curve": lambda v: stats.subsample_curve(v, sizes=(1,)),
}
OF_TWO_SAMPLES = {
    "permutation_test": stats.permutation_test,
    "effect_size_weat": stats.effect_size_weat,
    "effect_size_weat_interval": stats.effect_size_weat_interval,
    "cohens_d": stats.cohens_d,
    "hedges_g": stats.hedges_g,
    "cliffs_delta": stats.cliffs_delta,
}
OF_PAIRS = {
    "correlation": stats.correlation,
    "spearman": lambda x, y: stats.correlation(x, y, "spearman"),
    "correlation_test": stats.correlation_test,
    "mcnemar": stats.mcnemar,
    "bootstrap_difference": lambda x, y: stats.bootstrap_difference(x, y, "mean", n=50),
    "random_effects": stats.random_effects,
}


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def one_line(call, *arguments) -> str:
    with pytest.raises(InputError) as caught:
        call(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", OF_ONE_SAMPLE)
def test_one_sample(name):
    call = OF_ONE_SAMPLE[name]
    assert "NaN or infinite (the first at position 1)" in one_line(call, [1.0, NAN, 2.0])
    assert "NaN or infinite" in one_line(call, [1.0, math.inf])
    assert "is empty" in one_line(call, [])
    assert "must have 1 dimension, found 2" in one_line(call, [[1.0], [2.0]])
    assert "must be numbers" in one_line(call, ["he", "she"])


@pytest.mark.parametrize("name", OF_TWO_SAMPLES)
def test_two_samples(name):
    call = OF_TWO_SAMPLES[name]
    assert "y holds 1 value that is NaN" in one_line(call, [1.0, 2.0], [NAN, 3.0])
    assert "x is empty" in one_line(call, [], [1.0])


@pytest.mark.parametrize("name", OF_PAIRS)
def test_pairs(name):
    call = OF_PAIRS[name]
    assert "must be of one length, found 3 and 2" in one_line(call, [1, 0, 1], [1, 1])
    assert "NaN" in one_line(call, [1.0, NAN, 0.0], [1.0, 1.0, 1.0])
    assert "empty" in one_line(call, [], [])


DEGENERATE = [
    ("one value", [1.0]),
    ("all zeros", [0.0, 0.0, 0.0, 0.0]),
    ("all ties", [2.0, 2.0, 2.0, 2.0]),
]


@pytest.mark.parametrize(("what", "values"), DEGENERATE)
def test_degenerate_samples_say_why_there_is_no_p(what, values):
    results = [OF_ONE_SAMPLE[name](values) for name in ("cluster_t", "bootstrap", "cohens_d", "hedges_g")]
    results += [
        OF_TWO_SAMPLES[name](values, values) for name in OF_TWO_SAMPLES if name.endswith(("test", "d", "g"))
    ]
    results += [OF_PAIRS[name](values, values) for name in ("correlation", "spearman", "correlation_test")]
    if what != "all ties":  # differences of one size and sign are tied, but speak clearly
        results += [stats.sign_flip_test(values), stats.wilcoxon(values)]
    for result in results:
        assert result.reason, result
        low = result.p_value if hasattr(result, "p_value") else result.low
        assert math.isnan(low), result


ODD = {
    "empty": [],
    "one": [1.0],
    "two": [1.0, 2.0],
    "constant": [2.0] * 6,
    "zeros": [0.0] * 6,
    "infinite": [1.0, math.inf, 2.0, 3.0, 4.0, 5.0],
    "not a number": [1.0, NAN, 2.0, 3.0, 4.0, 5.0],
    "huge": [1e308, -1e308, 1e308, 1e307, 1e308, -1e308],
    "large": [1e99, -1e99, 2e99, 3e98, 1.0, 0.0],
    "tiny": [5e-324, 0.0, 1e-323, 0.0, 5e-324, 0.0],
    "small": [1e-200, -1e-200, 2e-200, 3e-199, 0.0, 1e-210],
    "nearly constant": [1.0] * 5 + [1 + 1e-15],
    "ordinary": [1.0, 2.0, 4.0, 3.0, 6.0, 5.0],
}
ODD_VECTORS = {
    "empty": np.empty((0, 2)),
    "one": [[1.0, 2.0]],
    "constant": [[1.0, 1.0]] * 3,
    "zeros": [[0.0, 0.0]] * 3,
    "infinite": [[math.inf, 1.0]] * 2,
    "huge": [[1e200, 1e200], [1e308, 1e308]],
    "tiny": [[1e-200, 1e-300], [5e-324, 0.0]],
    "ordinary": [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]],
}


def explained(call, *arguments):
    """A line that refuses the input, or a result that is finite or says why it is not; warnings are errors here."""
    try:
        result = call(*arguments)
    except InputError:
        return
    if hasattr(result, "reason"):
        numbers = [value for value in vars(result).values() if isinstance(value, float)]
        assert result.reason or all(map(math.isfinite, numbers)), result


@pytest.mark.parametrize("name", OF_ONE_SAMPLE)
@pytest.mark.parametrize("values", ODD)
def test_odd_samples_are_refused_or_explained(name, values):
    explained(OF_ONE_SAMPLE[name], ODD[values])


@pytest.mark.parametrize("name", [*OF_TWO_SAMPLES, *OF_PAIRS, "bootstrap_ratio"])
def test_odd_samples_side_by_side_are_refused_or_explained(name):
    call = {**OF_TWO_SAMPLES, **OF_PAIRS, "bootstrap_ratio": lambda x, y: stats.bootstrap_ratio(x, y, n=50)}[
        name
    ]
    for x, y in itertools.product(ODD.values(), repeat=2):
        explained(call, x, y)


def test_odd_vectors_are_refused_or_explained():
    for x, y, a in itertools.product(ODD_VECTORS.values(), repeat=3):
        explained(stats.association_test, x, y, a, ODD_VECTORS["ordinary"])
    for metric, x, y in itertools.product(
        ["euclidean", "manhattan", "mahalanobis"], ODD_VECTORS, ODD_VECTORS
    ):
        vectors = ODD_VECTORS[x], ODD_VECTORS[y]
        explained(lambda x, y, metric=metric: stats.similarity(x, y, metric, reference=x), *vectors)


def test_one_cluster_says_so():
    values, clusters = [1.0, 2.0, 3.0], ["nurse"] * 3
    assert stats.cluster_t(values, clusters).reason == "one cluster only"
    assert stats.bootstrap(values, "mean", clusters=clusters).reason == "one cluster only"
    assert "one cluster only" in str(stats.sign_flip_test(values, clusters=clusters).reason)
    assert math.isnan(stats.smallest_detectable(values, clusters))


def test_clusters_that_do_not_fit():
    for call in (stats.cluster_t, stats.sign_flip_test, stats.smallest_detectable, stats.bootstrap):
        assert "clusters and " in one_line(lambda v, c, call=call: call(v, clusters=c), [1.0, 2.0], ["a"])
        assert "1 missing label" in one_line(
            lambda v, c, call=call: call(v, clusters=c), [1.0, 2.0], ["a", None]
        )
        assert "one label per row" in one_line(
            lambda v, c, call=call: call(v, clusters=c), [1.0, 2.0], [["a", "b"]]
        )


def test_options_that_do_not_exist():
    assert "did you mean 'greater'" in one_line(lambda: stats.permutation_test([1, 2], [3, 4], "grater"))
    assert "alternative" in one_line(lambda: stats.sign_flip_test([1, 2], "both"))
    assert "way with zeros" in one_line(lambda: stats.wilcoxon([1, 2], zeros="drop"))
    assert "statistic 'avg'" in one_line(lambda: stats.bootstrap([1, 2], "avg"))
    assert "bootstrap method 'BCa'" in one_line(lambda: stats.bootstrap([1, 2], "mean", method="BCa"))
    assert "kind of correlation" in one_line(lambda: stats.correlation([1, 2, 3], [1, 2, 4], "kendall"))
    assert "level must lie between 0 and 1, found 95" in one_line(lambda: stats.cluster_t([1, 2], level=95))
    assert "n must be at least 1, found 0" in one_line(lambda: stats.bootstrap([1, 2], "mean", n=0))
    assert "n must be at least 1" in one_line(
        lambda: stats.permutation_test([1, 2], [3, 4], max_exact=0, n=0)
    )
    assert "a table has no one mean" in one_line(
        lambda: stats.bootstrap(pd.DataFrame({"a": [1.0, 2.0]}), "mean")
    )
    assert "table to resample is empty" in one_line(lambda: stats.bootstrap(pd.DataFrame({"a": []}), len))
    assert "V of 3 pairs lies between 0 and 6" in one_line(lambda: stats.wilcoxon_from_v(7, 3))


def test_results_are_frozen_and_pandas_comes_in_as_it_is():
    values = pd.Series([0.1, 0.4, -0.2, 0.3], index=[7, 7, 8, 9])
    clusters = pd.Series(["a", "a", "b", "c"], dtype="category")
    fit = stats.bootstrap(values, "mean", clusters=clusters, n=100)
    assert fit.n_clusters == 3
    assert stats.cluster_t(values, clusters).value == pytest.approx(0.15)
    with pytest.raises(dataclasses.FrozenInstanceError):
        fit.value = 1.0
    assert type(fit.value) is type(fit.low) is float
    assert np.isfinite(float(stats.cohens_d(values)))
