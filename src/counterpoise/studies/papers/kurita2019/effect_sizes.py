"""The effect sizes of table 3 as rows, each with an interval over what its test exchanges.

    WEAT                       target words
    score, corrected           attributes
    score, published           sentences (attribute x template), as the authors' code has it

WEAT's own interval draws the words of all four sets and the published score's stands on attributes, while their tests
exchange targets and sentences. Beside such a p the interval must be about the same units: here it is that of d from the
noncentral t distribution (`counterpoise.stats.effect_size_weat_interval`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.data.builtin.wordsets import WordTests
from counterpoise.data.builtin.wordsets import weat as weat_tests
from counterpoise.measures.base.result import Result
from counterpoise.measures.probability.common.association_summary import biases
from counterpoise.studies.papers.kurita2019 import keys
from counterpoise.studies.papers.kurita2019.published import TABLE_3

# The values that a test exchanges between two groups, from the items of that test.
Groups = Callable[[pd.DataFrame], tuple[np.ndarray, np.ndarray]]


def table_3_tests(*, published: bool) -> WordTests:
    """The WEAT tests of table 3, with the authors' words or all of the test's; targets in the order of the notebook."""
    tests = weat_tests([category.published_words if published else category.words for category in TABLE_3])
    return replace(
        tests,
        tests=tuple(
            replace(test, x=test.y, y=test.x) if category.second_targets_first else test
            for category, test in zip(TABLE_3, tests.tests, strict=True)
        ),
    )


def effect_sizes(result: Result) -> pd.DataFrame:
    """The effect sizes of a measure as it reports them, with the name of the `test` that each is of."""
    summary = result.summary
    sizes = summary[keys.is_statistic(summary, keys.D) | keys.is_statistic(summary, keys.D_OVER_SENTENCES)]
    return sizes.assign(test=[result.sources[key].where["test"] for key in sizes.key])


def effect_sizes_over(groups: Groups, result: Result) -> pd.DataFrame:
    """The same with interval and minimum detectable effect over the values that the test exchanges."""
    sizes = effect_sizes(result)
    records = []
    for size in sizes.to_dict("records"):
        if np.isfinite(size["value"]):
            x, y = groups(result.items[result.items.test == size["test"]])
            fit = stats.effect_size_weat_interval(x, y)
            detectable = stats.smallest_detectable_weat(len(x), len(y))
            size |= {"ci_low": fit.low, "ci_high": fit.high, "smallest_detectable": detectable}
            size |= {"clusters": len(x) + len(y), "note": fit.reason or size["note"]}
        records.append(size)
    return pd.DataFrame(records)


def targets(items: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The associations of WEAT's target words, each the mean over its templates."""
    of_words = items.dropna(subset="association").groupby(["role", "word"], sort=False).association.mean()
    return of_words["X"].to_numpy(), of_words["Y"].to_numpy()


def sentences(items: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The log probability bias scores of sentences with the first and with the second group of attributes."""
    x, y = (group.bias.to_numpy() for _, group in biases(items).groupby("attribute_group", sort=False))
    return x, y
