"""Rows about items that are known only within bounds, against every way to fill in the unknown."""

from __future__ import annotations

import numpy as np
import pandas as pd

from counterpoise.measures.base.bounded_rows import bounded_rows
from counterpoise.measures.base.row_builders import mean_row
from counterpoise.measures.base.sampling import balanced_sample, limited, sampled
from counterpoise.measures.base.source import observe


def test_the_interval_holds_the_value_however_the_unknown_is_filled_in():
    rng = np.random.default_rng(0)
    low = rng.normal(size=12)
    high = low + np.where(np.arange(12) % 3 == 0, 0.5, 0.0)
    word = [f"w{i}" for i in range(12)]

    def row(values):
        return mean_row(observe(pd.DataFrame({"word": word, "x": values}), "x"), "m", "m", cluster="word")

    [bounded] = bounded_rows([row(low)], [row(high)], "some")
    assert bounded.value == (row(low).value + row(high).value) / 2
    assert bounded.note == "some"
    for _ in range(1000):
        assert bounded.ci_low <= rng.uniform(low, high).mean() <= bounded.ci_high
    assert bounded.ci_low == row(low).ci_low
    assert bounded.ci_high == row(high).ci_high
    assert bounded_rows([row(low)], [row(low)], "some") == [row(low)]


def test_what_differs_in_sign_is_not_significant():
    def row(shift):
        values = np.array([-0.1, 0.1, 0.0, 0.05]) + shift
        return mean_row(observe(pd.DataFrame({"x": values}), "x"), "m", "m")

    [bounded] = bounded_rows([row(-1.0)], [row(1.0)], "")
    assert row(-1.0).p_value < 0.01
    assert bounded.p_value == 1.0
    assert bounded.effect_size == 0.0


def test_samples_are_balanced_over_categories_and_words():
    items = pd.DataFrame(
        [(c, w, f"{c}{w}{i}") for c, n in (("a", 8), ("b", 3)) for w in range(n) for i in range(5)],
        columns=["category", "word", "text"],
    )
    sample = balanced_sample(items, 12, seed=1)
    assert sample.category.value_counts().to_dict() == {"a": 6, "b": 6}
    assert sample[sample.category == "a"].word.nunique() == 6
    assert sample[sample.category == "b"].word.value_counts().tolist() == [2, 2, 2]
    assert sample.index.is_monotonic_increasing
    assert balanced_sample(items, 12, seed=1).equals(sample)
    assert not balanced_sample(items, 12, seed=2).equals(sample)


def test_items_that_belong_together_are_taken_whole():
    sentences = [(g, f"{g}{p}", gender) for g in "ab" for p in range(9) for gender in ("male", "female")]
    items = pd.DataFrame(sentences, columns=["group", "profession", "gender"]).sample(frac=1, random_state=0)
    with limited(9):
        chosen = sampled(items, ["group", "profession"])
    assert len(chosen) == 8  # four pairs, two of each group
    assert chosen.groupby(["group", "profession"]).gender.nunique().tolist() == [2] * 4
    assert chosen.group.value_counts().to_dict() == {"a": 4, "b": 4}


def test_items_without_a_category_are_a_stratum_of_their_own():
    items = pd.DataFrame({"category": ["a"] * 6 + [None] * 6}, index=[0] * 12)
    assert balanced_sample(items, 4, seed=0).category.isna().tolist() == [False, False, True, True]
