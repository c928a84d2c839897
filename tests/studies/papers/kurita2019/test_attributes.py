"""Biases of attributes against plain forward passes; which words are asked about."""

from __future__ import annotations

import pytest
import torch

import brute
from counterpoise.core.errors import InputError
from counterpoise.studies.engine.cells import LeftOut
from counterpoise.studies.papers.kurita2019.attributes import attribute_biases, attributes


def log_odds(lm, text):
    """log P(he) - log P(she) at the first mask, by a plain forward pass."""
    he, she = (lm.tokenizer.convert_tokens_to_ids(word) for word in ("he", "she"))
    return brute.log_probability(lm, text, he) - brute.log_probability(lm, text, she)


def test_corrected_by_hand(builtin):
    found, skipped = attribute_biases(builtin, "job titles", "corrected", ("nurse", "engineer"))
    expected = [
        log_odds(builtin, f"[MASK] is {title}.") - log_odds(builtin, f"[MASK] is {masked}.")
        for title, masked in (("a nurse", "a [MASK]"), ("an engineer", "an [MASK]"))
    ]
    assert found.bias.tolist() == pytest.approx(expected, abs=1e-4)
    assert skipped.empty


def test_published_reads_the_prior_at_the_word_before_the_mask(builtin):
    found, _ = attribute_biases(builtin, "positive traits", "published", ("clever",))
    lm = builtin
    ids = lm.tokenizer(f"{lm.tokenizer.mask_token} is {lm.tokenizer.mask_token}", return_tensors="pt")
    beside = int((ids["input_ids"][0] == lm.tokenizer.mask_token_id).nonzero()[-1]) - 1
    with torch.no_grad():
        logits = lm.model(**ids).logits[0, beside]
    he, she = (lm.tokenizer.convert_tokens_to_ids(word) for word in ("he", "she"))
    expected = log_odds(lm, "[MASK] is clever") - float(logits[he] - logits[she])
    assert found.bias.tolist() == pytest.approx([expected], abs=1e-4)


def test_a_word_that_is_there_twice_counts_twice(builtin):
    found, _ = attribute_biases(builtin, "positive traits", "published", ("clever", "kind", "clever"))
    assert found.attribute.tolist() == ["clever", "kind", "clever"]
    assert found.bias[0] == found.bias[2] != found.bias[1]


def test_which_words(data_file):
    data_file("kurita/job_titles_salaries.csv")
    titles = attributes("job titles", "corrected")
    assert len(titles) == len(set(titles)) < 1000  # of the 1,000 best paid, each title once
    assert (
        len(attributes("job titles", "published")) == 920
    )  # 921 in the authors' notebook, one of them empty
    assert len(attributes("positive traits", "published")) == 230
    assert len(attributes("negative traits", "published")) == 365
    with pytest.raises(InputError, match="there is no kind of attributes 'titles'"):
        attributes("titles", "corrected")


def test_words_that_are_not_at_hand(no_data):
    with pytest.raises(LeftOut, match="is not at hand"):
        attributes("O*NET skills", "corrected")
