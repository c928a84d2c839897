"""What stands behind the rows of a summary, found again in the items."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import counterpoise as cp
import runs
import tiny
from counterpoise.audit.observations import Observations, headline_row, shared_observations
from counterpoise.audit.pairing import TEXT, difference_of_genders


@pytest.fixture(scope="module")
def lm(tmp_path_factory):
    return cp.load(tiny.save("bert", tmp_path_factory.mktemp("model")))


def explained(result):
    """The recipe of each row that is not about a single word, by group and statistic."""
    behind = Observations(result)
    rows = result.summary[result.summary.level != "word"]
    return {(row.group, row.statistic): next(behind.recipes(row), None) for _, row in rows.iterrows()}


def test_every_row_of_ppd_is_found_again(lm):
    found = explained(cp.measures.ppd(lm))
    assert None not in found.values()
    assert found["all", "APPD"].column == "ppd"
    assert found["all", "APPD"].cluster == "word"
    assert found["all", "APPD"].only == (("gendered", False),)
    assert found["medical", "APPD"].only == (("category", "medical"),)
    assert found["all", "mean |APPD| of words"].form == "absolute"
    assert found["all", "P(they, their)"].column == "p_neutral"
    assert found["gender-related words", "APPD towards the word's own gender"].form == "own gender"


def test_every_row_of_sld_is_found_again(lm):
    found = explained(cp.measures.sld(lm, cp.data.tgb()))
    assert {recipe.form for recipe in found.values()} == {"mean", "absolute", "share"}
    assert found["about women", "SLD, PLL"].only == (("about", "women"),)


def test_lpbs_rests_on_pairs_of_both_genders(lm):
    rows = cp.data.becpro("en")
    few = rows[rows.profession.isin(rows.groupby("group").profession.unique().explode()[::10])]
    result = cp.measures.lpbs(lm, few)
    found = explained(result)
    headline = found["all", "male - female association"]
    assert (headline.table, headline.column, headline.cluster) == ("pairs", "association", "profession")
    of_men = found["male professions", "mean association of male person words"]
    assert of_men.only == (("group", "male"), ("gender", "male"))
    assert found.get(("all", "Spearman correlation with the share of women (US, 2019)")) is None
    pairs = Observations(result).tables["pairs"]
    one = pairs.iloc[0]
    male, female = one[TEXT].split(" / ")
    by_text = result.items.set_index("sentence").association
    assert one.association == pytest.approx(by_text[male] - by_text[female])


def test_words_stand_in_where_items_say_nothing():
    result = runs.word_result()
    nothing = replace(result, items=result.items[["text", "word"]])
    found = explained(nothing)
    assert found["all", "lean"].table == "words"
    assert found["all", "% male"] is None
    assert Observations(replace(result, items=result.items.iloc[:0])).headline[1].table == "words"


def test_the_headline_is_what_was_tested():
    result = runs.word_result()
    untested = result.summary.assign(
        p_value=np.where(result.summary.statistic == "lean", np.nan, result.summary.p_value)
    )
    assert headline_row(result).statistic == "lean"
    assert headline_row(replace(result, summary=untested)).statistic == "% male"


def test_columns_of_lists_are_left_alone():
    result = runs.word_result()
    edits = replace(result, items=result.items.assign(edits=[["he", "she"]] * len(result.items)))
    assert explained(edits) == explained(result)


def test_genders_that_do_not_pair_are_no_pairs():
    items = pd.DataFrame(
        {"word": ["a", "a", "b"], "gender": ["male", "female", "male"], "x": [1.0, 2.0, 3.0]}
    )
    assert difference_of_genders(items) is None
    assert difference_of_genders(items.assign(gender="male")) is None
    assert difference_of_genders(items.iloc[:2]).x.tolist() == [-1.0]


def test_shared_items_stand_in_the_same_order():
    first, second = Observations(runs.word_result(seed=1)), runs.word_result(seed=2)
    shuffled = replace(second, items=second.items.sample(frac=1, random_state=0).iloc[:40])
    one, other = shared_observations(first, Observations(shuffled), first.headline[1])
    assert len(one) == 40
    assert one.text.tolist() == other.text.tolist()
    strange = replace(second, items=second.items.assign(text="other " + second.items.text))
    one, other = shared_observations(first, Observations(strange), first.headline[1])
    assert len(one) == len(other) == 0
