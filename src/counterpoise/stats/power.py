"""What the items at hand could have found: shown beside every "no significant bias".

The test meant is the two-sided cluster-t of a mean against 0. Its power at a true bias of `delta` is

    P(|T| > t_crit),  T noncentral t with C - 1 degrees of freedom and noncentrality delta / SE
"""

from __future__ import annotations

import math

from numpy.typing import ArrayLike
from statsmodels.stats.power import TTestPower

from counterpoise.core.errors import InputError
from counterpoise.stats.clusters import cluster_t
from counterpoise.stats.inputs import Labels, fraction


def smallest_detectable(
    values: ArrayLike, clusters: Labels | None = None, power: float = 0.8, alpha: float = 0.05
) -> float:
    """The smallest bias (mean away from 0) that such items would show as significant with that power.

    NaN where the spread cannot be known: one cluster, or all values equal.

    >>> round(smallest_detectable([0.3, -0.1, 0.4, 0.2, -0.3, 0.1]), 3)
    0.374
    """
    if fraction(power, "power") <= fraction(alpha, "alpha"):
        raise InputError(f"power must be above alpha, found {power} and {alpha}")
    fit = cluster_t(values, clusters)
    if fit.reason is not None:
        return math.nan
    # TTestPower speaks of one-sample t with C observations and d = delta / sd, where SE = sd / sqrt(C).
    d = TTestPower().solve_power(nobs=fit.n_clusters, alpha=alpha, power=power, alternative="two-sided")
    return float(d) * fit.standard_error * math.sqrt(fit.n_clusters)


def power_to_detect(
    bias: float, values: ArrayLike, clusters: Labels | None = None, alpha: float = 0.05
) -> float:
    """The chance that such items would show a true mean of `bias` as significant; NaN as above.

    >>> round(power_to_detect(0.4, [0.3, -0.1, 0.4, 0.2, -0.3, 0.1]), 2)
    0.85
    """
    fit = cluster_t(values, clusters)
    if fit.reason is not None:
        return math.nan
    d = abs(bias) / (fit.standard_error * math.sqrt(fit.n_clusters))
    return float(TTestPower().power(d, fit.n_clusters, fraction(alpha, "alpha"), alternative="two-sided"))
