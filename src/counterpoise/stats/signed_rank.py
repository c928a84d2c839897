"""Wilcoxon's signed-rank test, reported as R reports it (V), as scipy does (W), and as papers do (z, r).

V   = sum of the ranks of |d| over the positive d                 (R)
W   = min(V, sum over the negative d)                             (scipy)
z   = (V - E V) / sd V, ties allowed for, no continuity correction
r   = z / sqrt(N)                                                 (Rosenthal; N observations, not pairs)
rank-biserial = (V+ - V-) / (V+ + V-)                             (Kerby's matched pairs)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from counterpoise.core.errors import InputError
from counterpoise.stats.inputs import ALTERNATIVES, Alternative, FloatArray, finite_values, one_of, positive
from counterpoise.stats.permutations import sign_flip_test

Zeros: TypeAlias = Literal["wilcox", "pratt"]

_EXACT_WITHOUT_TIES = 50  # scipy's own limit: beyond it the normal approximation is close enough
_EXACT_WITH_TIES = 17  # 131,072 patterns of signs


@dataclass(frozen=True)
class WilcoxonResult:
    """A signed-rank test of n pairs, of which n_zero differ by nothing.

    `r` divides by the root of `n_observations`, by default twice the pairs, as Bartl and others do; it keeps
    the sign of z. `method` tells where p comes from: "exact" or "normal". `reason` says why there is no p.
    """

    v: float
    w: float
    z: float
    p_value: float
    r: float
    rank_biserial: float
    n: int
    n_zero: int
    n_observations: int
    zeros: Zeros
    alternative: Alternative
    method: Literal["exact", "normal"] | None
    reason: str | None = None


def wilcoxon(
    differences: ArrayLike,
    zeros: Zeros = "wilcox",
    alternative: Alternative = "two-sided",
    observations: int | None = None,
) -> WilcoxonResult:
    """Tests whether paired differences lie symmetrically around 0.

    `zeros="wilcox"` leaves zero differences out, as R and Jentzsch & Turan do; `"pratt"` ranks them with the
    rest and then leaves their ranks out, which is the safer choice where there are many.

    >>> test = wilcoxon([1, 2, 3, -4, 5, 6, 7, 8])
    >>> test.v, test.w, round(test.p_value, 4), round(test.rank_biserial, 3)
    (32.0, 4.0, 0.0547, 0.778)
    """
    one_of("way with zeros", zeros, ("wilcox", "pratt"))
    one_of("alternative", alternative, ALTERNATIVES)
    differences = finite_values(differences, "differences")
    n = len(differences)
    n_zero = n - int(np.count_nonzero(differences))
    n_observations = 2 * n if observations is None else positive(observations, "observations")
    signed_ranks = _signed_ranks(differences, zeros)
    ranks = np.abs(signed_ranks)
    v = float(ranks[signed_ranks > 0].sum())
    w = min(v, float(ranks.sum()) - v)
    nan = math.nan
    if n - n_zero < 2:
        reason = "all differences are zero" if n == n_zero else "only one difference is not zero"
        return WilcoxonResult(
            v, w, nan, nan, nan, nan, n, n_zero, n_observations, zeros, alternative, None, reason
        )

    # Turning the sign of each rank on its own: V has mean sum(ranks)/2 and variance sum(ranks^2)/4. With
    # average ranks for ties, and with zeros ranked but left out (Pratt), this is the textbook formula with
    # its corrections.
    z = float((v - ranks.sum() / 2) / math.sqrt(np.square(ranks).sum() / 4))
    plain = len(np.unique(ranks)) == len(ranks) and (zeros == "wilcox" or n_zero == 0)
    p_value, method = _p_value(signed_ranks, plain, z, alternative)
    r = z / math.sqrt(n_observations)
    rank_biserial = float(2 * v / ranks.sum() - 1)
    return WilcoxonResult(
        v, w, z, p_value, r, rank_biserial, n, n_zero, n_observations, zeros, alternative, method
    )


def wilcoxon_from_v(
    v: float, n: int, observations: int | None = None, alternative: Alternative = "two-sided"
) -> WilcoxonResult:
    """What a published V of n pairs without ties or zeros implies, by the normal approximation.

    >>> round(wilcoxon_from_v(359188, 900).r, 2)                      # Bartl 2020, balanced professions
    0.47
    """
    one_of("alternative", alternative, ALTERNATIVES)
    total = positive(n, "n") * (n + 1) / 2
    if not 0 <= v <= total:
        raise InputError(f"V of {n} pairs lies between 0 and {total:g}, found {v:g}")
    z = (v - total / 2) / math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    n_observations = 2 * n if observations is None else positive(observations, "observations")
    return WilcoxonResult(
        v=float(v),
        w=min(float(v), total - v),
        z=z,
        p_value=_normal_p(z, alternative),
        r=z / math.sqrt(n_observations),
        rank_biserial=2 * v / total - 1,
        n=n,
        n_zero=0,
        n_observations=n_observations,
        zeros="wilcox",
        alternative=alternative,
        method="normal",
    )


def _signed_ranks(differences: FloatArray, zeros: Zeros) -> FloatArray:
    """The rank of each difference that is not zero, with its sign."""
    counted = differences != 0
    ranked = differences if zeros == "pratt" else differences[counted]
    ranks: FloatArray = np.sign(ranked) * stats.rankdata(np.abs(ranked))
    return ranks[counted] if zeros == "pratt" else ranks


def _p_value(
    signed_ranks: FloatArray, plain: bool, z: float, alternative: Alternative
) -> tuple[float, Literal["exact", "normal"]]:
    n = len(signed_ranks)
    if plain and n <= _EXACT_WITHOUT_TIES:
        # Ranks without ties are as good as the differences that they came from.
        test = stats.wilcoxon(signed_ranks, alternative=alternative, method="exact")
        return float(test.pvalue), "exact"
    if n <= _EXACT_WITH_TIES:
        return sign_flip_test(signed_ranks, alternative, max_exact=2**n).p_value, "exact"
    return _normal_p(z, alternative), "normal"


def _normal_p(z: float, alternative: Alternative) -> float:
    if alternative == "two-sided":
        return float(2 * stats.norm.sf(abs(z)))
    return float(stats.norm.sf(z) if alternative == "greater" else stats.norm.cdf(z))
