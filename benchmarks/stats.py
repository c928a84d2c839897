"""How fast are the exact WEAT test and the cluster bootstrap, against plain loops measured in the same run?

    python benchmarks/stats.py [--repeats 7]

Both sides are timed in turn, and the medians are compared; where the loop would take too long, it runs a part
of the permutations or draws and its time is scaled up, as the output says.
"""

from __future__ import annotations

import argparse
import itertools
import math
import statistics
import time
from collections.abc import Callable

import numpy as np

from counterpoise import stats

Vectors = np.ndarray


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=7)
    repeats = parser.parse_args().repeats
    weat(repeats)
    cluster_bootstrap(repeats, "mean")
    cluster_bootstrap(repeats, "median")


def weat(repeats: int) -> None:
    """All 12,870 partitions of 8 + 8 target words, 8 + 8 attribute words, 300 dimensions."""
    rng = np.random.default_rng(0)
    x, y, a, b = rng.normal(size=(4, 8, 300))
    partitions = math.comb(16, 8)

    def ours() -> float:
        both = association(np.concatenate([x, y]), a, b)
        return stats.permutation_test(both[:8], both[8:]).p_value

    def loop(part: int, differ: Callable[[Vectors, Vectors, Vectors, Vectors], float]) -> float:
        words, observed, extreme = np.concatenate([x, y]), abs(differ(x, y, a, b)), 0
        for chosen in itertools.islice(itertools.combinations(range(16), 8), part):
            in_x = np.zeros(16, dtype=bool)
            in_x[list(chosen)] = True
            extreme += abs(differ(words[in_x], words[~in_x], a, b)) >= observed - 1e-12
        return extreme / part

    assert math.isclose(
        ours(), loop(partitions, cosines_at_once), rel_tol=1e-9
    )  # the same p, before any timing
    compare(
        "exact WEAT p, 8 + 8 words",
        ours,
        {
            "loop, cosines of all words at once per permutation": (
                lambda: loop(partitions // 10, cosines_at_once),
                10,
            ),
            "loop, cosines word by word per permutation": (
                lambda: loop(partitions // 100, cosines_word_by_word),
                partitions / (partitions // 100),
            ),
        },
        repeats,
    )


def association(words: Vectors, a: Vectors, b: Vectors) -> np.ndarray:
    """s(w, A, B) of Caliskan 2017: the mean cosine with A minus the mean cosine with B."""
    w, a, b = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (words, a, b))
    return (w @ a.T).mean(axis=1) - (w @ b.T).mean(axis=1)


def cosines_at_once(x: Vectors, y: Vectors, a: Vectors, b: Vectors) -> float:
    return float(association(x, a, b).mean() - association(y, a, b).mean())


def cosines_word_by_word(x: Vectors, y: Vectors, a: Vectors, b: Vectors) -> float:
    """As the formula is written, and as toolkits have it."""

    def cosine(u: Vectors, v: Vectors) -> float:
        return float(u @ v / (np.linalg.norm(u) * np.linalg.norm(v)))

    def s(w: Vectors) -> float:
        return float(np.mean([cosine(w, v) for v in a]) - np.mean([cosine(w, v) for v in b]))

    return float(np.mean([s(w) for w in x]) - np.mean([s(w) for w in y]))


def cluster_bootstrap(repeats: int, statistic: str) -> None:
    """10,000 draws of 5,400 rows in 60 clusters (BEC-Pro's shape)."""
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(60), 90)
    values = rng.normal(size=60)[clusters] + rng.normal(size=5400)
    function = {"mean": np.mean, "median": np.median}[statistic]

    def ours() -> float:
        return stats.bootstrap(values, statistic, clusters=clusters, n=10_000).high

    def loop(draws: int) -> float:
        draw = np.random.default_rng(0)
        rows = [np.flatnonzero(clusters == c) for c in range(60)]
        results = []
        for _ in range(draws):
            chosen = np.concatenate([rows[c] for c in draw.integers(0, 60, 60)])
            results.append(function(values[chosen]))
        return float(np.quantile(results, 0.975))

    compare(
        f"10,000 cluster-bootstrap draws of the {statistic}, 5,400 rows (BCa, its jackknife included)",
        ours,
        {"loop over draws (percentile, no jackknife)": (lambda: loop(500), 20)},
        repeats,
    )


def compare(
    title: str,
    ours: Callable[[], float],
    baselines: dict[str, tuple[Callable[[], float], float]],
    repeats: int,
) -> None:
    """Times all in turn, `repeats` times over, and prints medians, ranges and ratios."""
    times: dict[str, list[float]] = {"counterpoise": [], **{name: [] for name in baselines}}
    for _ in range(repeats):
        times["counterpoise"].append(seconds(ours))
        for name, (call, scale) in baselines.items():
            times[name].append(scale * seconds(call))
    print(f"{title} (median of {repeats} interleaved repeats, range in brackets)")
    own = statistics.median(times["counterpoise"])
    for name, taken in times.items():
        scale = baselines[name][1] if name in baselines else 1
        note = f", 1/{scale:.0f} of it timed" if scale > 1 else ""
        middle = statistics.median(taken)
        line = f"  {name:52s} {middle:9.4f} s [{min(taken):.4f} to {max(taken):.4f}{note}]"
        print(line + (f"   {middle / own:,.0f}x" if name in baselines else ""))
    print()


def seconds(call: Callable[[], float]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
