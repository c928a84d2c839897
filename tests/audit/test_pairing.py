"""The items behind the rows of a summary: what their sources say, and which of them two results share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import counterpoise as cp
import runs
from counterpoise.audit.pairing import shared_items
from counterpoise.audit.words import word_table


def sources(result):
    """The source of each row that is not about a single word, by key."""
    keys = result.summary[result.summary.level != "word"].key
    return {key: result.sources[key] for key in keys}


def test_rows_of_ppd_say_what_they_are_computed_of(small):
    found = sources(cp.measures.ppd(small))
    assert (found["appd"].column, found["appd"].cluster, found["appd"].where) == (
        "ppd",
        "word",
        {"gendered": False},
    )
    assert found["appd.medical"].where == {"gendered": False, "category": "medical"}
    assert found["mean_absolute"].form == "mean_absolute"
    assert found["p_neutral"].column == "p_neutral"
    own_gender = found["own_gender.gender_related_words"].contrast
    assert own_gender.weights == {("male",): 1.0, ("female",): -1.0}


def test_rows_of_lpbs_rest_on_pairs_of_both_genders(small):
    rows = cp.data.becpro("en")
    few = rows[rows.profession.isin(rows.groupby("group").profession.unique().explode()[::10])]
    result = cp.measures.lpbs(small, few)
    found = sources(result)
    assert (found["difference"].column, found["difference"].cluster) == ("association", "profession")
    assert found["association_male.male"].where == {"gender": "male", "group": "male"}
    assert not found["spearman"].is_paired
    pairs = found["difference"].observe(result.items, "sentence")
    male, female = pairs.item_text[0].split(" / ")
    by_text = result.items.set_index("sentence").association
    assert pairs.association[0] == pytest.approx(by_text[male] - by_text[female])


def test_the_headline_is_what_was_tested():
    result = runs.word_result()
    untested = result.summary.assign(
        p_value=np.where(result.summary.statistic == "lean", np.nan, result.summary.p_value)
    )
    assert result.headline.statistic == "lean"
    assert replace(result, summary=untested).headline.statistic == "% male"


def test_words_carry_what_the_items_say_of_them():
    result = runs.word_result(words=4)
    words = word_table(result).set_index("word")
    assert words.group.to_dict() == {"word0": "female", "word1": "male", "word2": "female", "word3": "male"}
    assert "template" not in words  # a word has several
    lists = replace(result, items=result.items.assign(edits=[["he", "she"]] * len(result.items)))
    pd.testing.assert_frame_equal(word_table(lists), word_table(result))


def test_words_without_a_source_are_as_the_summary_has_them():
    result = runs.word_result(words=4)
    assert "group" not in word_table(replace(result, sources={}))


def test_shared_items_stand_in_the_same_order():
    first, second = runs.word_result(seed=1), runs.word_result(seed=2)
    shuffled = replace(second, items=second.items.sample(frac=1, random_state=0).iloc[:40])
    one, other = shared_items(first, shuffled)
    assert len(one) == 40
    assert one.text.tolist() == other.text.tolist()
    strange = replace(second, items=second.items.assign(text="other " + second.items.text))
    one, other = shared_items(first, strange)
    assert len(one) == len(other) == 0
