"""Effect sizes of table 3: which words, in which order, and intervals over what the test exchanges."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from counterpoise.data.builtin.associations import kurita
from counterpoise.measures.encoders.weat_contextual import weat_contextual
from counterpoise.measures.probability.lpbs_weat import lpbs_weat
from counterpoise.models import Encoder
from counterpoise.studies.papers.kurita2019.effect_sizes import (
    effect_sizes,
    effect_sizes_over,
    sentences,
    table_3_tests,
    targets,
)


def weat_interval(x, y):
    """The interval of d by brute force: the noncentralities at which t lies in a tail of 2.5 %, as a WEAT d."""
    n, m = len(x), len(y)
    df, root = n + m - 2, np.sqrt(n * m / (n + m))
    pooled = np.sqrt((x.var(ddof=1) * (n - 1) + y.var(ddof=1) * (m - 1)) / df)
    t = (x.mean() - y.mean()) / pooled * root

    def at(tail):
        return optimize.brentq(lambda nc: stats.nct.cdf(t, df, nc) - tail, t - 8, t + 8)

    ends = [at(0.975), at(0.025)]
    deltas = np.array(ends) / root
    return deltas / np.sqrt(1 + n * m / (n + m) ** 2 * deltas**2)


def test_the_names_of_table_3():
    """The names of WEAT 4: all, or the five that BERT's vocabulary has; African American ones first."""
    published, corrected = (table_3_tests(published=one).tests[1] for one in (True, False))
    assert published.x.words == ("Jamal", "Leroy", "Tyrone", "Ebony", "Kenya")
    assert published.y.words == ("Brad", "Brendan", "Geoffrey", "Greg", "Brett")
    assert corrected.name == "weat4"
    assert (len(corrected.x.words), len(corrected.y.words)) == (16, 16)
    assert set(published.x.words) < set(corrected.x.words)
    assert corrected.y.words[:5] == published.y.words  # the longer list is cut at its end
    career = table_3_tests(published=True).tests[2]
    assert career.x.words == ("John", "Paul", "Mike", "Kevin", "Steve", "Greg", "Jeff", "Bill")
    assert career.y.words == ("Amy", "Joan", "Lisa", "Sarah", "Diana", "Kate", "Ann", "Donna")


def test_weat_over_targets(builtin):
    tests = table_3_tests(published=True)
    result = weat_contextual(Encoder.of(builtin), tests, variant="published", allow_lost=True)
    sizes = effect_sizes_over(targets, result)
    assert sizes.test.tolist() == [test.name for test in tests.tests]
    for size in sizes.itertuples():
        items = result.items[(result.items.test == size.test) & result.items.association.notna()]
        by_word = items.groupby(["role", "word"]).association.mean()
        x, y = by_word["X"].to_numpy(), by_word["Y"].to_numpy()
        together = np.concatenate([x, y])
        assert size.value == pytest.approx((x.mean() - y.mean()) / together.std(ddof=1))
        assert (size.ci_low, size.ci_high) == pytest.approx(tuple(weat_interval(x, y)), abs=1e-4)
        assert size.clusters == len(together)


def test_the_published_score_over_sentences(builtin):
    data = kurita("published").only("math/arts")
    result = lpbs_weat(builtin, data, variant="published")
    [size] = effect_sizes_over(sentences, result).itertuples()
    score = result.items.groupby(["template", "attribute_group", "attribute", "target_group"], sort=False)
    log_odds = score.agg(
        p=("log_p_target", lambda p: np.log(np.exp(p).sum())),
        prior=("log_p_prior", lambda p: np.log(np.exp(p).sum())),
    )
    of_gender = (log_odds.p - log_odds.prior).unstack()
    bias = of_gender.male - of_gender.female
    x, y = (bias.xs(group, level="attribute_group").to_numpy() for group in ("math", "arts"))
    assert (len(x), len(y), size.clusters) == (24, 24, 48)
    assert size.value == pytest.approx((x.mean() - y.mean()) / np.concatenate([x, y]).std(ddof=1))
    assert (size.ci_low, size.ci_high) == pytest.approx(tuple(weat_interval(x, y)), abs=1e-4)
    # The test exchanges the same 48 values.
    permuted = stats.permutation_test(
        (x, y), lambda a, b: a.mean() - b.mean(), n_resamples=9999, rng=np.random.default_rng(0)
    )
    assert size.p_value == pytest.approx(permuted.pvalue, abs=0.01)


def test_the_corrected_score_is_as_the_measure_has_it(builtin):
    result = lpbs_weat(builtin, kurita("corrected").only("math/arts"))
    over_attributes, over_sentences = effect_sizes(result).itertuples()
    assert (over_attributes.key, over_attributes.clusters) == ("d.math_arts", 16)
    assert np.isnan(over_sentences.p_value)
