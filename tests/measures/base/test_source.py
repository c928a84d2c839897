"""Numbers behind rows, worked out by hand: which items count, how they are compared, and what becomes of them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from counterpoise.measures.base.result import sources_of
from counterpoise.measures.base.row_builders import absolute_row, figure_row, mean_row, share_row
from counterpoise.measures.base.rows import ZERO, in_group, of_word, row_key, unique_keys
from counterpoise.measures.base.source import PAIRED, TEXT, Contrast, Source, observe

# The nurse has -0.5, -0.3 and 0 (a tie), the mason 0.2 twice, the poet 0.6.
ITEMS = pd.DataFrame(
    {
        "word": ["nurse", "nurse", "mason", "nurse", "mason", "poet"],
        "kind": ["care", "care", "trade", "care", "trade", "art"],
        "gendered": [False, False, False, True, False, False],
        "ppd": [-0.5, -0.3, 0.2, 0.0, 0.2, 0.6],
    }
)
MALE_MINUS_FEMALE = Contrast(("gender",), {("male",): 1.0, ("female",): -1.0}, within=("word",))
TOWARDS_OWN = Contrast(("gender",), {("male",): 1.0, ("female",): -1.0})


def persons():
    return pd.DataFrame(
        {
            "word": ["nurse", "mason", "nurse", "mason"],
            "gender": ["male", "female", "female", "male"],
            "sentence": ["he nurses", "she builds", "she nurses", "he builds"],
            "association": [0.2, 0.1, 0.5, 0.7],
        }
    )


def test_all_items_count_unless_something_is_asked_of_them():
    assert Source("ppd").choose(ITEMS).index.tolist() == [0, 1, 2, 3, 4, 5]
    assert Source("ppd", where={"word": "nurse"}).choose(ITEMS).index.tolist() == [0, 1, 3]
    assert Source("ppd", where={"word": "nurse", "gendered": False}).choose(ITEMS).index.tolist() == [0, 1]
    assert Source("ppd", where={"word": "wizard"}).choose(ITEMS).empty


def test_without_a_contrast_items_are_observed_as_they_are():
    observed = Source("ppd", where={"gendered": True}).observe(ITEMS)
    assert observed.equals(ITEMS.iloc[[3]])


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("mean", {"nurse": -0.8 / 3, "mason": 0.2, "poet": 0.6}),
        ("mean_absolute", {"nurse": 0.8 / 3, "mason": 0.2, "poet": 0.6}),
        ("share", {"nurse": 50 / 3, "mason": 100.0, "poet": 100.0}),  # the tie counts as one half
        ("share_above", {"nurse": 0.0, "mason": 100.0, "poet": 100.0}),
        ("correlation", {"nurse": -0.8 / 3, "mason": 0.2, "poet": 0.6}),
        ("effect_size", {"nurse": -0.8 / 3, "mason": 0.2, "poet": 0.6}),
        ("difference", {"nurse": -0.8 / 3, "mason": 0.2, "poet": 0.6}),
        ("figure", {"nurse": -0.8 / 3, "mason": 0.2, "poet": 0.6}),
    ],
)
def test_clusters_are_averaged_and_keep_their_order(form, expected):
    found = Source("ppd", "word", form=form).of_clusters(ITEMS)
    assert found.index.tolist() == ["nurse", "mason", "poet"]
    assert found.to_dict() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("mean", [-0.5, -0.3, 0.2, 0.0, 0.2, 0.6]),
        ("mean_absolute", [0.5, 0.3, 0.2, 0.0, 0.2, 0.6]),
        ("share", [0.0, 0.0, 100.0, 50.0, 100.0, 100.0]),
        ("share_above", [0.0, 0.0, 100.0, 0.0, 100.0, 100.0]),
    ],
)
def test_each_item_is_a_cluster_if_none_is_named(form, expected):
    found = Source("ppd", form=form).of_clusters(ITEMS)
    assert found.tolist() == expected
    assert found.index.tolist() == ITEMS.index.tolist()


def test_only_means_over_clusters_can_be_paired():
    assert PAIRED == ("mean", "mean_absolute", "share", "share_above")
    assert Source("ppd", form="share").is_paired
    assert not any(Source("ppd", form=form).is_paired for form in ("correlation", "effect_size", "figure"))


def test_a_contrast_within_words_compares_the_items_that_share_one():
    source = Source("association", "word", contrast=MALE_MINUS_FEMALE)
    observed = source.observe(persons(), text="sentence")
    assert observed.word.tolist() == ["nurse", "mason"]
    assert observed.association.tolist() == pytest.approx([0.2 - 0.5, 0.7 - 0.1])
    assert observed[TEXT].tolist() == ["he nurses / she nurses", "she builds / he builds"]
    assert source.of_clusters(observed).to_dict() == pytest.approx({"nurse": -0.3, "mason": 0.6})
    assert TEXT not in source.observe(persons())
    assert TEXT not in source.observe(persons(), text="no such column")


def test_a_contrast_without_within_turns_items_and_leaves_out_those_without_a_weight():
    items = persons().assign(gender=["male", "female", None, "male"])
    observed = observe(items, "association", TOWARDS_OWN)
    assert observed.numbers.tolist() == pytest.approx([0.2, -0.1, np.nan, 0.7], nan_ok=True)
    assert observed.table.drop(columns="association").equals(items.drop(columns="association"))


def test_a_contrast_by_two_columns():
    """Two by two: 3 - 1 - 2 + 5 with weights of one half."""
    items = pd.DataFrame(
        {
            "word": "mason",
            "gender": ["male", "male", "female", "female"],
            "form": ["male", "female", "male", "female"],
            "association": [3.0, 1.0, 2.0, 5.0],
        }
    )
    weights = {
        (gender, form): 0.5 if gender == form else -0.5
        for gender in ("male", "female")
        for form in ("male", "female")
    }
    agreement = Contrast(("gender", "form"), weights, within=("word",))
    assert observe(items, "association", agreement).numbers.tolist() == [2.5]


def test_what_lacks_a_side_has_no_number():
    found = observe(persons().iloc[:3], "association", MALE_MINUS_FEMALE)
    assert found.numbers.tolist() == pytest.approx([-0.3, np.nan], nan_ok=True)


@pytest.mark.parametrize(
    "source",
    [
        Source("ppd"),
        Source("ppd", "word", {"gendered": False, "kind": "care"}, "mean_absolute"),
        Source("ppd", "word", form="correlation", against="women_share"),
        Source("association", contrast=MALE_MINUS_FEMALE),
        Source("association", "word", {"test": 3}, "share", TOWARDS_OWN),
    ],
)
def test_a_source_survives_json(source):
    document = json.loads(json.dumps(source.as_dict()))
    assert Source.from_dict(document) == source


def test_what_a_source_does_not_use_is_left_out():
    assert Source("ppd").as_dict() == {"column": "ppd", "form": "mean"}


def test_columns_that_a_source_needs():
    source = Source("association", "word", {"kind": "care"}, contrast=MALE_MINUS_FEMALE)
    items = persons().assign(kind="care")
    assert source.has_columns(items)
    for name in ("association", "word", "kind", "gender"):
        assert not source.has_columns(items.drop(columns=name)), name
    assert not Source("association", against="women_share").has_columns(items)


def test_observed_items_split_by_a_column_remember_how():
    leans = observe(ITEMS, "ppd").only(gendered=False)
    assert leans.source.where == {"gendered": False}
    found = dict(leans.by("word"))
    assert list(found) == ["nurse", "mason", "poet"]
    assert [len(some) for some in found.values()] == [2, 2, 1]
    assert found["nurse"].source.where == {"gendered": False, "word": "nurse"}
    both = dict(observe(ITEMS, "ppd").by("word", "gendered", sort=True))
    assert list(both) == [("mason", False), ("nurse", False), ("nurse", True), ("poet", False)]
    json.dumps(both["nurse", True].source.as_dict())  # plain values, none of numpy's


def test_rows_are_the_means_of_what_their_sources_say():
    leans = observe(ITEMS, "ppd")
    rows = [
        mean_row(leans, "appd", "APPD", cluster="word"),
        absolute_row(leans, "mean_absolute", "mean |APPD|", cluster="word"),
        share_row(leans, "share_male", "% male"),
        share_row(leans, "share_male", "% male", ties="loss"),
        *(
            mean_row(some, "appd", "APPD", cluster="word", at=in_group(kind))
            for kind, some in leans.by("kind")
        ),
    ]
    nurse, mason, poet = -0.8 / 3, 0.2, 0.6
    expected = [(nurse + mason + poet) / 3, (-nurse + mason + poet) / 3, 350 / 6, 300 / 6, nurse, mason, poet]
    assert [row.value for row in rows] == pytest.approx(expected)
    for row in rows:
        assert row.source.of_clusters(row.source.observe(ITEMS)).mean() == pytest.approx(row.value)
    assert [row.source.form for row in rows[:4]] == ["mean", "mean_absolute", "share", "share_above"]


def test_keys_name_the_statistic_and_the_place():
    leans = observe(ITEMS, "ppd")
    rows = [
        mean_row(leans, "appd", "APPD"),
        mean_row(leans, "appd", "APPD", at=in_group("male", "Male professions")),
        figure_row(3.0, "ties", "ties", n=6, at=of_word("Speech-language pathologist")),
        figure_row(4.0, "ties", "ties", n=6, at=of_word("speech language pathologist")),
    ]
    assert unique_keys(rows) == [
        "appd",
        "appd.male",
        "ties.word.speech_language_pathologist",
        "ties.word.speech_language_pathologist_2",
    ]
    assert list(sources_of(rows)) == ["appd", "appd.male"]  # a figure has none unless it is told
    assert rows[1].group == "Male professions"
    assert row_key("appd", of_word("...")) == "appd.word"
    assert (rows[0].ideal, rows[2].ideal.kind) == (ZERO, "none")
