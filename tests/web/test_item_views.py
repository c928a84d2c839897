"""What a reader sees of items: both texts, their scores and the difference, against the columns of the measure."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import counterpoise as cp
import few
import runs
from counterpoise.measures.base.catalogue import all_measures
from counterpoise.report.differing_words import marked_pair
from counterpoise.web.item_views import ItemView, item_view

KIND_TO_MEN = cp.models.Classifier.of(
    lambda texts: [0.5 + 0.1 * ("he" in text.lower().split()) for text in texts], name="kind to men"
)


def test_items_of_a_contrast_are_paired(small):
    result = cp.measures.lpbs(small, few.professions())
    view = item_view(result.items, result)
    assert view.names == ("male version", "female version")
    [male_items, female_items] = [result.items[result.items.gender == g] for g in ("male", "female")]
    assert len(view.table) == len(male_items) == len(female_items)
    score = dict(zip(result.items.sentence, result.items.association, strict=True))
    for row in view.table.to_dict("records"):
        assert row["male version"] in set(male_items.sentence)
        assert row["female version"] in set(female_items.sentence)
        expected = score[row["male version"]] - score[row["female version"]]
        assert row["difference"] == pytest.approx(expected)
    assert view.table.difference.abs().is_monotonic_decreasing
    assert view.table.difference.mean() == pytest.approx(result.headline.value)


def test_a_mask_is_filled_with_either_pronoun(small):
    result = cp.measures.ppd(small, few.templates())
    view = item_view(result.items, result)
    assert view.unit.name == "probability"
    largest = result.items.loc[result.items.ppd.abs().idxmax()]
    first = view.table.iloc[0]
    assert first["male version"] == largest.text.replace("[MASK]", largest.male)
    assert first["female version"] == largest.text.replace("[MASK]", largest.female)
    assert first.difference == pytest.approx(largest.ppd)
    np.testing.assert_allclose(sorted(view.table.difference), sorted(result.items.ppd))


def test_pairs_are_called_stereotype_and_counterpart(small):
    result = cp.measures.sld(small, few.pairs())
    view = item_view(result.items, result)
    assert view.names == ("stereotype", "counterpart")
    assert view.marks == ("first", "second")  # not the colours of the genders
    assert sorted(view.table.stereotype) == sorted(result.items.stereotyped)
    np.testing.assert_allclose(sorted(view.table.difference), sorted(result.items.sld))


def test_texts_that_are_turned_have_both_versions():
    result = cp.measures.sentiment(KIND_TO_MEN, ["It rains.", "I think she can dance."])
    view = item_view(result.items, result)
    assert view.table[["male version", "female version"]].to_numpy().tolist() == [
        ["I think he can dance.", "I think she can dance."],
        ["It rains.", "It rains."],
    ]
    assert view.in_words(view.table.difference[0]) == (
        "Favours the male version by 10.0 points on a scale of 0 to 100"
    )
    assert view.in_words(view.table.difference[1]) == "Favours neither"


def test_without_two_versions_there_is_the_text_and_the_main_score():
    result = runs.word_result()
    view = item_view(result.items, result)
    assert view.names is None
    assert list(view.table.columns) == ["text", "own", "word"]
    assert view.table.own.abs().is_monotonic_decreasing
    assert view.in_words(-0.25) == "Leans towards women by 0.25"


def test_scores_of_effect_sizes_lean_towards_nobody(small_folder):
    result = cp.measures.seat(cp.load(small_folder, kind="encoder", device="cpu"))
    view = item_view(result.items, result)
    assert view.sides is None
    assert view.in_words(0.3) == ""
    assert list(view.table.columns)[:2] == ["text", "association"]


def test_items_whose_numbers_are_not_known_are_shown_as_they_are():
    items = pd.DataFrame({"anything": [1, 2]})
    assert item_view(items, runs.word_result()).table is items


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (math.log(32), "Favours the stereotype by a factor of 32"),
        (-math.log(2), "Favours the counterpart by a factor of 2.0"),
        (20.0, "Favours the stereotype by a factor of more than 1,000"),
        (float("nan"), ""),
        (None, ""),
    ],
)
def test_differences_in_words(value, words):
    unit = all_measures()["crows"].unit
    assert (
        ItemView(pd.DataFrame(), ("stereotype", "counterpart"), "difference", unit).in_words(value) == words
    )


@pytest.mark.parametrize(
    "name", [name for name, measure in all_measures().items() if measure.versions is not None]
)
def test_versions_name_columns_that_belong_together(name):
    versions = all_measures()[name].versions
    assert len(set(versions.scores)) == len(set(versions.names)) == 2


def test_words_that_differ_are_marked():
    first, second = marked_pair("He gave his book away.", "She gave her books away.")
    assert "".join(piece.text for piece in first) == "He gave his book away."
    assert "".join(piece.text for piece in second) == "She gave her books away."
    assert [piece.text for piece in second if piece.is_changed] == ["She", "her", "books"]
    assert not any(piece.is_changed for pieces in marked_pair("Same.", "Same.") for piece in pieces)


def test_a_long_text_is_shown_around_its_first_difference():
    before, after = "word " * 300, " more words" * 300
    first, second = marked_pair(f"{before}he{after}", f"{before}she{after}")
    shown = "".join(piece.text for piece in first)
    assert len(shown) < 420
    assert shown.startswith("... word")
    assert next(piece.text for piece in first if piece.is_changed) == "he"
    assert next(piece.text for piece in second if piece.is_changed) == "she"
