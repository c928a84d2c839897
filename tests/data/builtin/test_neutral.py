"""Neutral sentences are neutral, and the fixed list has one mask each."""

from __future__ import annotations

import pytest

import counterpoise as cp


def test_no_sentence_has_a_gendered_word():
    swapper = cp.text.Swapper(terms="all")
    texts = cp.data.neutral_texts().table.text
    assert len(set(texts)) == len(texts) == 150
    assert [text for text in texts if swapper.edits(text, to="remove")] == []
    assert [text for text in texts if swapper.edits(text, to="flip")] == []


def test_the_sentences_are_not_those_that_bias_is_measured_on():
    measured = set(cp.data.becpro("en").sentence) | set(cp.data.stereotype_pairs().table.stereotyped)
    assert measured.isdisjoint(cp.data.neutral_texts().table.text)


@pytest.mark.parametrize("sentence", cp.data.fill_sentences())
def test_fills_have_one_mask(sentence):
    assert sentence.count("[MASK]") == 1
