"""Main effects and interactions of names: planted ones are found, and every row is traced to its items."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from counterpoise.data import NamesTable
from counterpoise.measures.base.name_rows import name_contrasts, name_rows, with_name_effects
from counterpoise.measures.base.result import make_summary, sources_of


def names_of(genders=("male", "female"), groups=("north", "south"), each=4):
    rows = [
        (f"{gender[:1].upper()}{group}{'abcdef'[n]}", gender, group)
        for gender, group, n in itertools.product(genders, groups, range(each))
    ]
    return NamesTable("mine", pd.DataFrame(rows, columns=["name", "gender", "group"]))


def rated(names, gender=0.0, group=0.0, interaction=0.0, texts=30, seed=1):
    """Ratings to which a female name adds `gender`, the second group `group`, and both together `interaction`."""
    rng = np.random.default_rng(seed)
    is_female = (names.table.gender == "female").to_numpy(float)
    is_second = (names.table.group == names.groups[1]).to_numpy(float)
    planted = gender * is_female + group * is_second + interaction * is_female * is_second
    of_texts, of_names = rng.normal(0.5, 0.1, (texts, 1)), rng.normal(0, 0.005, (1, len(planted)))
    return of_texts + planted + of_names + rng.normal(0, 0.02, (texts, len(planted)))


def summary_of(scores, names):
    items = with_name_effects(pd.DataFrame({"text": range(len(scores))}), scores, names)
    rows = name_rows(scores, names)
    return make_summary(rows, "m", "d", "corrected").set_index("key"), items, sources_of(rows)


@pytest.mark.parametrize(
    ("planted", "expected"),
    [
        ({"gender": -0.1}, {"gender_effect.male_female": 0.1}),
        ({"group": 0.07}, {"group_effect.north_south": -0.07}),
        (
            {"interaction": 0.1},  # shared out: half of it is each main effect's
            {
                "gender_effect.male_female": -0.05,
                "group_effect.north_south": -0.05,
                "interaction.male_female_north_south": 0.1,
            },
        ),
        ({}, {}),
    ],
)
def test_what_was_planted_is_found_and_nothing_else(planted, expected):
    names = names_of()
    rows, _, _ = summary_of(rated(names, **planted), names)
    tests = rows[rows.level == "overall"]
    assert tests.index.tolist() == [
        "gender_effect.male_female",
        "group_effect.north_south",
        "interaction.male_female_north_south",
    ]
    for key, row in tests.iterrows():
        assert row.ci_low <= expected.get(key, 0.0) <= row.ci_high
        assert (row.p_adjusted < 0.05) == (key in expected)
    assert rows.effect_size.isna().all()  # d over texts would stand beside a test over texts and names


def test_cells_weigh_alike_however_many_names_they_have():
    names = names_of()
    fewer = NamesTable("fewer", names.table.drop(index=[2, 3]))  # two of four male names of the north
    scores = np.tile(np.where(fewer.table.group == "north", 0.2, 0.4), (5, 1))
    rows, _, _ = summary_of(scores, fewer)
    assert rows.value["group_effect.north_south"] == pytest.approx(-0.2)
    assert rows.value["gender_effect.male_female"] == pytest.approx(0.0)
    assert rows.value["name_mean.male_north"] == pytest.approx(0.2)


def test_rows_are_found_again_in_the_items():
    names = names_of(genders=("male", "female", "neutral"), groups=("a", "b", "c"))
    scores = rated(names)
    rows, items, sources = summary_of(scores, names)
    assert set(sources) == set(rows.index)
    assert rows.index.is_unique
    for key, source in sources.items():
        assert items[source.column].mean() == pytest.approx(rows.value[key])
    # three pairs of genders, three of groups, nine of both
    assert (rows.level == "overall").sum() == 3 + 3 + 9
    by_hand = scores[:, np.array(names.cells) == "neutral, b"].mean()
    assert rows.value["name_mean.neutral_b"] == pytest.approx(by_hand)


def test_one_group_has_no_interaction():
    names = names_of(groups=("all",))
    assert [one.statistic for one in name_contrasts(names)] == ["gender_effect", "name_mean", "name_mean"]
    assert {one.statistic for one in name_contrasts(names_of(genders=("female",)))} == {
        "group_effect",
        "name_mean",
    }


def test_one_text_counts_names_alone():
    names = names_of()
    rows, _, _ = summary_of(rated(names, texts=1), names)
    assert np.isfinite(rows.p_value["gender_effect.male_female"])
    assert rows.clusters["gender_effect.male_female"] == 1
