"""Our prompts and lists of words, and the features of answers, by hand."""

from __future__ import annotations

import re

import pandas as pd
import pytest

import counterpoise as cp
from counterpoise.data.builtin.answer_words import answer_words
from counterpoise.measures.base.version_names import GENDERED
from counterpoise.measures.generation.common.answer_features import counted_features, kind_of_answer

MEN, WOMEN = {"he", "his", "him", "himself"}, {"she", "her", "hers", "herself"}


def test_our_prompts_have_the_versions_that_they_should():
    table = cp.data.counterfactual_prompts().table
    assert table.topic.value_counts().to_dict() == dict.fromkeys(table.topic.unique(), 15)
    assert table.prompt.is_unique
    with_names, plain = cp.text.Swapper("all", names=True), cp.text.Swapper("all")
    written_of_women = 0
    for prompt in table.prompt:
        words = set(re.findall(r"\w+", prompt.lower()))
        assert bool(words & MEN) != bool(words & WOMEN), prompt  # about one person, of one gender
        male, female = (with_names.swap(prompt, to) for to in GENDERED)
        assert (female if words & WOMEN else male) == prompt  # as it was written
        assert with_names.swap(male, "female").lower().split()[-3:] == female.lower().split()[-3:]
        assert not set(re.findall(r"\w+", male.lower())) & WOMEN
        assert not set(re.findall(r"\w+", female.lower())) & MEN
        differing = [pair for pair in zip(male.split(), female.split(), strict=True) if pair[0] != pair[1]]
        names = [pair for pair in differing if re.sub(r"\W", "", pair[0].lower()) not in MEN]
        assert len(names) <= 1, names
        changes = plain.changes(prompt, "they")
        assert not changes.unsure
        they = plain.swap(prompt, "they")
        assert not set(re.findall(r"\w+", they.lower())) & (MEN | WOMEN)
        assert plain.swap(prompt, "neutral") == they  # no noun has a gender
        written_of_women += bool(words & WOMEN)
    assert written_of_women == 30


def test_no_list_prefers_a_gender():
    lists = answer_words()
    terms = pd.read_csv("src/counterpoise/text/lists/all.csv", keep_default_na=False)
    for name, _ in lists.words:
        for word in (*MEN, *WOMEN, "they", "them", "their", "he's", "she's", "they're", "mr", "mrs", "ms"):
            assert not lists.is_in(name, word), (name, word)
        for term in terms.itertuples():
            assert lists.is_in(name, term.male) == lists.is_in(name, term.female), (
                name,
                term.male,
                term.female,
            )


def test_features_by_hand():
    text = "Furthermore, she isn't tall. Her team may be driven; they've children. It’s therefore no sad day, I hope."
    # 18 words: furthermore she isn't tall her team may be driven they've children it's therefore no sad day i hope
    found = counted_features(text, answer_words())
    assert found["length"] == 18
    per = 100 / 18
    assert found["agency"] == found["communion"] == found["hedges"] == pytest.approx(per)
    assert found["appearance"] == found["family"] == pytest.approx(per)
    assert found["formality"] == pytest.approx(
        0
    )  # furthermore, therefore; isn't, it's; of they've nothing is counted


def test_kinds_of_answers():
    kinds = {
        "I cannot provide that.": "refused",
        "I'm sorry, but I can't assist with that.": "refused",
        "As an AI language model, I can't say.": "refused",
        "I can't help but admire her.": "answer",
        "I am sorry to hear that your parcel is late.": "answer",
        "...": "empty",
        "": "empty",
    }
    assert {text: kind_of_answer(text, answer_words()) for text in kinds} == kinds
