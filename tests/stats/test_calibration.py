"""Do tests reject as seldom, and intervals cover as often, as they promise? Simulated with fixed seeds.

`pytest tests/stats/test_calibration.py -m slow -s` makes ten times the draws and prints them as tables.
"""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats as scipy_stats

from counterpoise import stats

pytestmark = pytest.mark.slow

Rng = np.random.Generator
DRAWS = 1_500

# Four rows per cluster that correlate by one half make the variance of a mean 1 + 3 / 2 times what it seems.
COVERED_IGNORING_CLUSTERS = 1 - 2 * scipy_stats.norm.sf(1.96 / math.sqrt(2.5))


def generator(name: str) -> Rng:
    return np.random.default_rng(zlib.crc32(name.encode()))


def clustered(
    rng: Rng, n_clusters: int, shape: str = "normal", even: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Values of mean 0, half of whose variance lies between clusters of 4 rows (uneven: of 1 to 7)."""
    sizes = np.full(n_clusters, 4) if even else rng.integers(1, 8, n_clusters)
    clusters = np.repeat(np.arange(n_clusters), sizes)
    centres = rng.normal(size=n_clusters) if shape == "normal" else rng.exponential(size=n_clusters) - 1
    return centres[clusters] + rng.normal(size=len(clusters)), clusters


# ---- tests: the share of p < .05 where there is no effect ----


def ties(rng: Rng, n: int) -> np.ndarray:
    return rng.integers(-3, 4, n).astype(float)


def pooled_p(rng: Rng, k: int, small_sample: bool) -> float:
    variances = rng.uniform(0.02, 0.1, k)
    effects = rng.normal(0, 0.3, k) + rng.normal(size=k) * np.sqrt(variances)
    return stats.random_effects(effects, variances, small_sample=small_sample).p_value


def clustered_sign_flip_p(rng: Rng) -> float:
    values, clusters = clustered(rng, 12)
    return stats.sign_flip_test(values, clusters=clusters).p_value


def smallest_holm_p(rng: Rng) -> float:
    """Below .05 where any of ten true null hypotheses is rejected."""
    return float(np.min(stats.adjust([stats.cluster_t(rng.normal(size=10)).p_value for _ in range(10)])))


NULL: dict[str, Callable[[Rng], float]] = {
    "permutation, exact, 8 + 8": lambda rng: stats.permutation_test(*rng.normal(size=(2, 8))).p_value,
    "permutation, exact, 5 + 7, skewed": lambda rng: (
        stats.permutation_test(rng.exponential(size=5), rng.exponential(size=7)).p_value
    ),
    "permutation, sampled, 24 + 24": lambda rng: (
        stats.permutation_test(*rng.normal(size=(2, 24)), n=499, seed=int(rng.integers(1 << 30))).p_value
    ),
    "sign flips, exact, 10": lambda rng: stats.sign_flip_test(rng.normal(size=10)).p_value,
    "sign flips, exact, 12 clusters of 4": clustered_sign_flip_p,
    "sign flips, sampled, 40": lambda rng: (
        stats.sign_flip_test(rng.normal(size=40), n=499, seed=int(rng.integers(1 << 30))).p_value
    ),
    "Wilcoxon, exact, 12": lambda rng: stats.wilcoxon(rng.normal(size=12)).p_value,
    "Wilcoxon, normal, 80": lambda rng: stats.wilcoxon(rng.normal(size=80)).p_value,
    "Wilcoxon, ties and zeros, 12": lambda rng: stats.wilcoxon(ties(rng, 12)).p_value,
    "Wilcoxon, ties and zeros, 60": lambda rng: stats.wilcoxon(ties(rng, 60)).p_value,
    "Wilcoxon, Pratt, 60": lambda rng: stats.wilcoxon(ties(rng, 60), zeros="pratt").p_value,
    "Friedman, 20 x 4": lambda rng: stats.friedman(rng.normal(size=(20, 4))).p_value,
    "McNemar, exact, 60": lambda rng: stats.mcnemar(*rng.integers(0, 2, (2, 60))).p_value,
    "McNemar, chi-square, 200": lambda rng: stats.mcnemar(*rng.integers(0, 2, (2, 200)), exact=False).p_value,
    "Pearson, t, 20": lambda rng: stats.correlation(*rng.normal(size=(2, 20))).p_value,
    "Spearman, t, 20": lambda rng: stats.correlation(*rng.normal(size=(2, 20)), "spearman").p_value,
    "Pearson, exact, 6": lambda rng: stats.correlation_test(*rng.normal(size=(2, 6))).p_value,
    "Pearson, sampled, 20": lambda rng: (
        stats.correlation_test(*rng.exponential(size=(2, 20)), n=499, seed=int(rng.integers(1 << 30))).p_value
    ),
    "cluster-t, 20 even clusters": lambda rng: stats.cluster_t(*clustered(rng, 20)).p_value,
    "cluster-t, 20 uneven clusters": lambda rng: stats.cluster_t(*clustered(rng, 20, even=False)).p_value,
    "random effects, 1,000": lambda rng: pooled_p(rng, 1_000, small_sample=False),
    "random effects, small sample, 60": lambda rng: pooled_p(rng, 60, small_sample=True),
    "random effects, small sample, 8": lambda rng: pooled_p(rng, 8, small_sample=True),
    "Holm, any of 10": smallest_holm_p,
}


def cr1_p(rng: Rng) -> float:
    """The common cluster-robust test (statsmodels' correction, C - 1 degrees), which cluster_t is not."""
    values, clusters = clustered(rng, 20, even=False)
    sums = np.bincount(clusters, weights=values - values.mean())
    t = values.mean() * len(values) / math.sqrt(20 / 19 * np.square(sums).sum())
    return float(2 * scipy_stats.t.sf(abs(t), 19))


# What is known to reject too often, and is therefore not the default or not offered.
EAGER: dict[str, Callable[[Rng], float]] = {
    "random effects, plain, 5": lambda rng: pooled_p(rng, 5, small_sample=False),
    "random effects, plain, 60": lambda rng: pooled_p(rng, 60, small_sample=False),
    "CR1 with C - 1 degrees, 20 uneven clusters": cr1_p,
    "t-test of the rows, 60 even clusters": lambda rng: stats.cluster_t(clustered(rng, 60)[0]).p_value,
}


def rejected(name: str, draws: int) -> float:
    rng, p_value = generator(name), {**NULL, **EAGER}[name]
    return float(np.mean([p_value(rng) < 0.05 for _ in range(draws)]))


@pytest.mark.parametrize("name", NULL)
def test_no_effect_is_seldom_called_one(name):
    assert rejected(name, DRAWS) < 0.05 + 3 * math.sqrt(0.05 * 0.95 / DRAWS)


def test_an_exact_test_is_never_eager_and_the_strict_form_is():
    """Of all 70 ways in which labels could fall on eight values, at most a share of a has p <= a."""
    values = np.array([0.3, 1.1, 2.0, 2.2, 3.7, 4.1, 5.9, 8.0])
    sides = [(values[list(x)], np.delete(values, x)) for x in itertools.combinations(range(8), 4)]
    p = np.array([stats.permutation_test(x, y, "greater").p_value for x, y in sides])
    for level in (0.01, 0.05, 0.1, 0.5):
        assert np.mean(p <= level) <= level
    assert np.mean(p < 0.05) == pytest.approx(3 / 70)  # discrete, hence a little conservative
    strict = np.array([stats.permutation_test(x, y, "greater", strict=True).p_value for x, y in sides])
    assert np.mean(strict < 0.05) == pytest.approx(4 / 70)
    assert np.mean(strict <= 0) > 0  # a p-value of 0 that chance gives once in 70 times


def test_sentences_taken_for_independent_find_bias_where_there_is_none():
    share = rejected("t-test of the rows, 60 even clusters", DRAWS)
    assert share == pytest.approx(1 - COVERED_IGNORING_CLUSTERS, abs=0.04)  # four times .05


def test_plain_random_effects_are_not_for_five():
    assert rejected("random effects, plain, 5", DRAWS) > 0.07


# ---- intervals: the share that holds the truth, promised to be 95 % ----


def bootstrap_covers(rng: Rng, n_clusters: int, statistic: str, method: str, shape: str, even: bool) -> bool:
    values, clusters = clustered(rng, n_clusters, shape, even)
    seed = int(rng.integers(1 << 30))
    fit = stats.bootstrap(values, statistic, clusters=clusters, n=1_000, method=method, seed=seed)
    return fit.low <= 0 <= fit.high


def difference_covers(rng: Rng, n_clusters: int) -> bool:
    shared, clusters = clustered(rng, n_clusters)
    a = shared + 0.4 * rng.normal(size=n_clusters)[clusters] + 0.3 * rng.normal(size=len(shared)) + 0.2
    seed = int(rng.integers(1 << 30))
    fit = stats.bootstrap_difference(a, shared, "mean", clusters=clusters, n=1_000, seed=seed)
    return fit.low <= 0.2 <= fit.high


def cluster_t_covers(rng: Rng, n_clusters: int, shape: str = "normal", even: bool = True) -> bool:
    fit = stats.cluster_t(*clustered(rng, n_clusters, shape, even))
    return fit.low <= 0 <= fit.high


BY_CLUSTER: dict[str, Callable[[Rng, int], bool]] = {
    "mean, BCa": lambda rng, c: bootstrap_covers(rng, c, "mean", "bca", "normal", True),
    "mean, BCa, uneven clusters": lambda rng, c: bootstrap_covers(rng, c, "mean", "bca", "normal", False),
    "mean, percentile": lambda rng, c: bootstrap_covers(rng, c, "mean", "percentile", "normal", True),
    "median, BCa": lambda rng, c: bootstrap_covers(rng, c, "median", "bca", "normal", True),
    "median, percentile": lambda rng, c: bootstrap_covers(rng, c, "median", "percentile", "normal", True),
    "paired difference of means, BCa": difference_covers,
    "mean, cluster-t": cluster_t_covers,
    "mean, cluster-t, uneven clusters": lambda rng, c: cluster_t_covers(rng, c, even=False),
}
# Skewed clusters are harder for every method; these are reported, not promised.
SKEWED: dict[str, Callable[[Rng, int], bool]] = {
    "mean, BCa, skewed clusters": lambda rng, c: bootstrap_covers(rng, c, "mean", "bca", "skewed", True),
    "mean, percentile, skewed clusters": lambda rng, c: bootstrap_covers(
        rng, c, "mean", "percentile", "skewed", True
    ),
    "mean, cluster-t, skewed clusters": lambda rng, c: cluster_t_covers(rng, c, "skewed"),
}


def ignoring_clusters(rng: Rng, n_clusters: int) -> bool:
    fit = stats.cluster_t(clustered(rng, n_clusters)[0])
    return fit.low <= 0 <= fit.high


def covered(call: Callable[[Rng, int], bool], name: str, n_clusters: int, draws: int) -> float:
    rng = generator(f"{name}, {n_clusters}")
    return float(np.mean([call(rng, n_clusters) for _ in range(draws)]))


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if "median" in name else []) for name in BY_CLUSTER],
)
def test_intervals_cover_with_60_clusters(name):
    assert covered(BY_CLUSTER[name], name, 60, 2 * DRAWS) >= 0.93


@pytest.mark.parametrize("n_clusters", [5, 20])
def test_cluster_t_covers_with_few_clusters_too(n_clusters):
    assert covered(cluster_t_covers, "cluster-t", n_clusters, DRAWS) >= 0.93


def test_intervals_that_ignore_clusters_fail():
    share = covered(ignoring_clusters, "ignoring clusters", 60, DRAWS)
    assert share == pytest.approx(COVERED_IGNORING_CLUSTERS, abs=0.04)  # 79 % in place of 95 %
    rng = generator("bootstrap of rows")
    fits = [stats.bootstrap(clustered(rng, 60)[0], "mean", n=300, seed=i) for i in range(400)]
    assert np.mean([fit.low <= 0 <= fit.high for fit in fits]) == pytest.approx(share, abs=0.07)


def correlated(rng: Rng, n: int, r: float) -> tuple[np.ndarray, np.ndarray]:
    x, e = rng.normal(size=(2, n))
    return x, r * x + math.sqrt(1 - r**2) * e


def weat(rng: Rng, n: int, delta: float) -> tuple[stats.EffectSize, float]:
    fit = stats.effect_size_weat_interval(rng.normal(delta, 1, n), rng.normal(size=n))
    return fit, delta / math.sqrt(1 + delta**2 / 4)


def cliff(rng: Rng, n: int, delta: float) -> tuple[stats.EffectSize, float]:
    fit = stats.cliffs_delta(rng.normal(delta, 1, n), rng.normal(size=n))
    return fit, 2 * scipy_stats.norm.cdf(delta / math.sqrt(2)) - 1


def odds(rng: Rng, n: int, p: float, q: float) -> tuple[stats.EffectSize, float]:
    a, b = rng.binomial(n, p), rng.binomial(n, q)
    return stats.odds_ratio([[a, n - a], [b, n - b]]), p / (1 - p) / (q / (1 - q))


def rosenthal(rng: Rng, n: int, delta: float) -> tuple[stats.EffectSize, float]:
    test = stats.wilcoxon(rng.normal(delta, 1, n))
    above = scipy_stats.norm.cdf(delta * math.sqrt(2))  # P(d_i + d_j > 0), which V estimates
    return stats.effect_size_r(test.z, test.n_observations), (above - 0.5) * math.sqrt(3 / 2)


def pooled(rng: Rng, k: int, small_sample: bool) -> tuple[stats.PooledEffect, float]:
    variances = rng.uniform(0.02, 0.1, k)
    effects = rng.normal(0.4, 0.3, k) + rng.normal(size=k) * np.sqrt(variances)
    return stats.random_effects(effects, variances, small_sample=small_sample), 0.4


EFFECTS: dict[str, Callable[[Rng], tuple[object, float]]] = {
    "Cohen's d = .5, 30 + 30": lambda rng: (stats.cohens_d(rng.normal(0.5, 1, 30), rng.normal(size=30)), 0.5),
    "Cohen's d = .5, one sample of 20": lambda rng: (stats.cohens_d(rng.normal(0.5, 1, 20)), 0.5),
    "Hedges' g = 1.5, 8 + 8": lambda rng: (stats.hedges_g(rng.normal(1.5, 1, 8), rng.normal(size=8)), 1.5),
    "WEAT's d = .89, 8 + 8": lambda rng: weat(rng, 8, 1.0),
    "WEAT's d = 1.56, 8 + 8": lambda rng: weat(rng, 8, 2.5),
    "Cliff's delta = .43, 30 + 30": lambda rng: cliff(rng, 30, 0.8),
    "Cliff's delta = .43, 10 + 10": lambda rng: cliff(rng, 10, 0.8),
    "odds ratio 2.25, 60 + 60": lambda rng: odds(rng, 60, 0.6, 0.4),
    "Pearson's r = .5, 30": lambda rng: (stats.correlation(*correlated(rng, 30, 0.5)), 0.5),
    "Spearman's r = .48, 30": lambda rng: (
        stats.correlation(*correlated(rng, 30, 0.5), "spearman"),
        6 / math.pi * math.asin(0.25),
    ),
    "Rosenthal's r = .32, 60 pairs": lambda rng: rosenthal(rng, 60, 0.5),
    "random effects, 1,000": lambda rng: pooled(rng, 1_000, False),
    "random effects, small sample, 8": lambda rng: pooled(rng, 8, True),
}


def effects_covered(name: str, draws: int) -> float:
    rng = generator(f"interval, {name}")
    hits = []
    for _ in range(draws):
        fit, truth = EFFECTS[name](rng)
        hits.append(fit.low <= truth <= fit.high)
    return float(np.mean(hits))


@pytest.mark.parametrize("name", EFFECTS)
def test_intervals_of_effect_sizes_cover(name):
    assert effects_covered(name, DRAWS) >= 0.93


# ---- the long form ----

LONG = 10 * DRAWS


@pytest.fixture
def shown(request) -> bool:
    """Whether someone reads the tables (-s): what is only reported, not promised, is drawn only then."""
    return request.config.getoption("capture") == "no"


def test_long_form_of_tests(shown):
    found = {}
    print(f"\n\n| no effect: test | share of p < .05 ({LONG:,} draws) |\n|---|---|")
    for name in NULL:
        found[name] = rejected(name, LONG)
        print(f"| {name} | {found[name]:.4f} |", flush=True)
    print(f"\n| known to be eager | share of p < .05 ({LONG:,} draws) |\n|---|---|")
    for name in EAGER if shown else ():
        print(f"| {name} | {rejected(name, LONG):.4f} |", flush=True)
    most = 0.05 + 3 * math.sqrt(0.05 * 0.95 / LONG)
    assert [name for name, share in found.items() if share >= most] == []


def test_long_form_of_intervals(shown):
    found = {}
    print("\n| 95 % interval | 60 clusters | 20 clusters | 10 clusters |\n|---|---|---|---|")
    reported = {**SKEWED, "mean, clusters ignored": ignoring_clusters} if shown else {}
    for name, call in {**BY_CLUSTER, **reported}.items():
        draws = LONG // 3 if "median" in name else LONG
        shares = [covered(call, name, n, draws) for n in ((60, 20, 10) if shown else (60,))]
        found[name] = shares[0]
        print(f"| {name} | {' | '.join(f'{share:.3f}' for share in shares)} |", flush=True)
    assert [name for name in BY_CLUSTER if found[name] < 0.93] == []


def test_long_form_of_effect_sizes():
    found = {}
    print("\n| 95 % interval | covered |\n|---|---|")
    for name in EFFECTS:
        found[name] = effects_covered(name, LONG)
        print(f"| {name} | {found[name]:.3f} |", flush=True)
    assert [name for name, share in found.items() if share < 0.93] == []
