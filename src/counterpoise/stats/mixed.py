"""A difference between two sides, where the units of each side are others and every unit is seen in every setting.

    value[u, s] = mean + setting s + unit u + (difference + slope s) side(u) + rest

Settings, the units and how much the difference varies between settings (the slopes) are crossed random effects, fitted
by restricted maximum likelihood (statsmodels' MixedLM). `crossed_t` needs units in pairs and compares within them; this
model needs no pairs and tells how much settings, units and slopes vary.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from counterpoise.core.errors import InputError
from counterpoise.stats.inputs import Labels, finite_values, label_codes

_COMPONENTS = {
    "setting": "0 + C(setting)",
    "slope": "0 + C(setting):side",
    "unit": "0 + C(unit)",
}
# Each is tried where those before it fail. The last needs no gradient, on which the others fail to converge where a
# variance is estimated as 0.
_OPTIMISERS = ["bfgs", "lbfgs", "cg", "powell"]


@dataclass(frozen=True)
class MixedEstimate:
    """The difference between the sides, and the standard deviations of the random effects.

    The interval is that of t with as many degrees of freedom as the fewer of settings and units of one side allow;
    `reason` says why there is no estimate.
    """

    value: float
    low: float
    high: float
    standard_error: float
    df: float
    p_value: float
    sd_settings: float
    sd_units: float
    sd_slopes: float
    n: int
    n_clusters: int
    reason: str | None = None


def crossed_mixed_model(
    values: ArrayLike, side: ArrayLike, settings: Labels, units: Labels, level: float = 0.95
) -> MixedEstimate:
    """The difference of values between two sides (true minus false) of which every unit has one.

    >>> rng = np.random.default_rng(0)
    >>> settings, units = np.repeat(np.arange(8), 12), np.tile(np.arange(12), 8)
    >>> values = (units < 6) + rng.normal(size=8)[settings] + rng.normal(size=12)[units] + rng.normal(size=96) / 4
    >>> fit = crossed_mixed_model(values, units < 6, settings, units)
    >>> fit.n_clusters, bool(fit.low < 1 < fit.high), bool(fit.sd_units > fit.sd_slopes)
    (6, True, True)
    """
    numbers = finite_values(values)
    is_first = np.asarray(side, dtype=bool)
    of_settings, of_units = label_codes(settings, len(numbers)), label_codes(units, len(numbers))
    if is_first.all() or not is_first.any():
        raise InputError("a difference needs values of both sides")
    of_side = min(len(np.unique(of_units[is_first])), len(np.unique(of_units[~is_first])))
    smaller = min(int(of_settings.max()) + 1, of_side)
    spread = float(np.std(numbers))  # the fit converges more often where values vary by about 1
    if np.ptp(numbers) == 0:
        return _without("all values are equal", len(numbers), smaller)
    if smaller < 2:
        return _without("one cluster only", len(numbers), smaller)
    table = pd.DataFrame(
        {
            "value": numbers / spread,
            "side": np.where(is_first, 0.5, -0.5),
            "setting": of_settings,
            "unit": of_units,
            "all": 0,
        }
    )
    return _fit(table, spread, smaller, level)


def _fit(table: pd.DataFrame, spread: float, smaller: int, level: float) -> MixedEstimate:
    from statsmodels.regression.mixed_linear_model import MixedLM

    failed = "the mixed model does not converge"
    with warnings.catch_warnings(record=True), np.errstate(all="ignore"):
        warnings.simplefilter(
            "always"
        )  # what they say is in `converged`, or that a variance is estimated as 0
        try:
            model = MixedLM.from_formula(
                "value ~ side", table, groups="all", re_formula="0", vc_formula=_COMPONENTS
            )
            fit = model.fit(reml=True, method=_OPTIMISERS)
            standard_error, value = spread * float(fit.bse["side"]), spread * float(fit.params["side"])
        except (np.linalg.LinAlgError, ValueError, ZeroDivisionError):
            return _without(failed, len(table), smaller)
    if not fit.converged or not math.isfinite(standard_error) or standard_error <= 0:
        return _without(failed, len(table), smaller)
    sds = dict(zip(model.exog_vc.names, spread * np.sqrt(np.maximum(fit.vcomp, 0)), strict=True))
    df = smaller - 1.0
    half = float(stats.t.ppf((1 + level) / 2, df)) * standard_error
    return MixedEstimate(
        value,
        value - half,
        value + half,
        standard_error,
        df,
        float(2 * stats.t.sf(abs(value / standard_error), df)),
        float(sds["setting"]),
        float(sds["unit"]),
        float(sds["slope"]),
        len(table),
        smaller,
    )


def _without(reason: str, n: int, n_clusters: int) -> MixedEstimate:
    return MixedEstimate(*(math.nan,) * 9, n, n_clusters, reason)
