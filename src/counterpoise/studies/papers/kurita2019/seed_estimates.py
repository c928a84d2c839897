"""Rows of the case study, whose numbers have two sources of uncertainty: Wikipedia pages and training seeds.

Pages and seeds are crossed samples, since every seed is asked about every page: a number is the mean over seeds of what
a training gives, with interval and test of `counterpoise.stats.crossed_estimate` over pages and seeds. Passages of one
page are left out together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from counterpoise import stats
from counterpoise.core.numbers import decimal_text
from counterpoise.measures.base.row_builders import fitted_row
from counterpoise.measures.base.rows import Ideal, Place, Row
from counterpoise.studies.papers.kurita2019 import keys


@dataclass(frozen=True)
class SeedRow:
    """A row of the case study with the values of the seeds behind it, and their own p-values where it has a test.

    `p_by_seed` are tests over single passages with the perceptrons of one seed, as the paper has them.
    """

    row: Row
    by_seed: tuple[float, ...] = ()
    p_by_seed: tuple[float, ...] = ()

    def without_seeds(self) -> SeedRow:
        """The same number, where it does not depend on training."""
        return SeedRow(replace(self.row, note=""))


def estimated_row(
    fit: stats.CrossedEstimate,
    statistic: str,
    label: str,
    *,
    at: Place,
    ideal: Ideal | None = None,
    effect_size: float | None = None,
    p_by_seed: tuple[float, ...] = (),
) -> SeedRow:
    """The row of an estimate; one with an effect size is tested against 0."""
    row = fitted_row(
        fit, statistic, label, at=at, ideal=ideal or Ideal.none(), n=fit.n, clusters=fit.n_clusters,
        note=seeds_in_words(fit.by_run, keys.decimals(statistic)),
    )  # fmt: skip
    if effect_size is not None:
        detectable = stats.smallest_detectable_t(fit.standard_error, fit.df)
        row = replace(row, p_value=fit.p_value, effect_size=effect_size, smallest_detectable=detectable)
    return SeedRow(row, fit.by_run, p_by_seed)


def seeds_in_words(by_seed: tuple[float, ...], decimals: int = 2) -> str:
    """
    >>> seeds_in_words((-1.36, -0.08, -0.5)), seeds_in_words((0.2,))
    ('3 seeds from -1.36 to -0.08', '1 seed')
    """
    if len(by_seed) == 1:
        return "1 seed"
    lowest, highest = (decimal_text(value, decimals) for value in (min(by_seed), max(by_seed)))
    return f"{len(by_seed)} seeds from {lowest} to {highest}"
