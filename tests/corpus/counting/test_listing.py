"""Which words are listed as differing: no function words, no first names, and only those that differ."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import counterpoise as cp
from counterpoise.corpus.counting.listing import differing_words, why_left_out
from counterpoise.text.function_words import function_words

TEXTS = ["The league paid him of course.", "The ballet paid her of course."] * 60
TEXTS += ["Then Mark said he left the rose there."] * 60 + ["Then Rose said she left a mark there."] * 60
TEXTS += ["John told him nothing."] * 60 + ["Mary told her nothing."] * 60


@pytest.fixture(scope="module")
def items():
    return cp.corpus.measure_corpus(TEXTS).items.set_index("word")


def test_why_words_are_left_out(items):
    expected = {
        "league": "",
        "ballet": "",
        "john": "first name",
        "mary": "first name",
        "the": "function word",
    }
    assert items.left_out[list(expected)].to_dict() == expected
    assert items.near_male["league"] == 60  # counted all the same
    assert items.near_male["john"] == 60


def test_a_name_that_is_a_word_is_one_where_it_is_mostly_capitalised(items):
    # Both are capitalised in 60 of 120 occurrences, which is not most of them.
    assert items.left_out[["mark", "rose"]].tolist() == ["", ""]
    more = cp.corpus.measure_corpus([*TEXTS, "Mark said he left."]).items.set_index("word")
    assert more.left_out[["mark", "rose"]].tolist() == ["first name", ""]


def test_capitals_are_added_up_over_the_files_of_a_folder(tmp_path):
    for number in range(2):
        lines = [*TEXTS, "Mark said he left."] if number else TEXTS
        (tmp_path / f"{number}.txt").write_text("\n".join(lines) + "\n")
    items = cp.corpus.measure_corpus(tmp_path).items.set_index("word")
    assert items.left_out[["mark", "rose"]].tolist() == ["first name", ""]


def test_professions_are_never_left_out():
    assert why_left_out("mason", True, 10, 10) == ""
    assert why_left_out("mason", False, 10, 10) == "first name"


def test_only_words_that_differ_are_listed():
    table = pd.DataFrame(
        {
            "word": ["sure", "chance", "negligible", "the"],
            "log_odds": [1.0, 1.0, 0.3, 1.0],
            "p_adjusted": [0.01, 0.2, 0.01, 0.01],
            "left_out": ["", "", "", "function word"],
        }
    )
    assert differing_words(table).word.tolist() == ["sure"]


def test_a_text_without_a_lean_lists_no_word():
    dice = np.random.default_rng(0)
    things = ["garden", "office", "kitchen", "street", "river"]
    texts = [f"{dice.choice(['He', 'She'])} was in the {dice.choice(things)}." for _ in range(2000)]
    assert differing_words(cp.corpus.measure_corpus(texts).items).empty


def test_function_words_are_closed_classes():
    english, german = function_words("en"), function_words("de")
    assert {"the", "of", "and", "is", "they", "not", "didn"} <= english
    assert {"der", "und", "ist", "nicht", "über"} <= german
    assert not {"he", "she", "his", "her", "league", "war", "child"} & english
    assert not {"er", "sie", "ihm", "ihr", "kind", "haus"} & german
    assert all(word == word.lower() for word in english | german)


def test_german_function_words_go_with_german_terms():
    texts = [
        "Er und der Verein zahlten.",
        "Ihr Mann und ein Verein kamen.",
        "Sie war mit der Frau dort.",
    ] * 40
    items = cp.corpus.measure_corpus(texts, terms="german").items.set_index("word")
    assert items.left_out["und"] == "function word"
    assert items.left_out["verein"] == ""
