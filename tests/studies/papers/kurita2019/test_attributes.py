"""Biases of attributes against plain forward passes; which words are asked about."""

from __future__ import annotations

import csv

import pytest
import torch

import brute
from counterpoise.core.errors import InputError
from counterpoise.studies.engine.cells import LeftOut
from counterpoise.studies.papers.kurita2019 import attributes as module
from counterpoise.studies.papers.kurita2019.attributes import attribute_biases, attributes
from counterpoise.studies.papers.kurita2019.published import table5_scores


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
    titles, _ = attributes("job titles", "corrected")
    assert len(titles) == len(set(titles)) < 1000  # of the 1,000 best paid, each title once
    for kind, count in (("positive traits", 230), ("negative traits", 365)):
        words, skipped = attributes(kind, "published")
        assert len(words) == count
        assert skipped.empty
    with pytest.raises(InputError, match="there is no kind of attributes 'titles'"):
        attributes("titles", "corrected")


def test_the_blank_title_is_skipped_with_a_reason(data_file):
    """The notebook's 921 titles are 920 and a blank one, which counts among its 815 that lean male."""
    with data_file("kurita/job_titles_salaries.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    named = {row["job_title"].strip().lower() for row in rows} - {""}
    blank = sum(not row["job_title"].strip() for row in rows)
    words, skipped = attributes("job titles", "published")
    assert set(words) == named
    assert (len(words), blank) == (920, 3)
    assert skipped.values.tolist() == [["a blank job title", "no title is given for 3 of 6,842 employees"]]
    _, of_best_paid = attributes("job titles", "corrected")
    assert of_best_paid.reason.tolist() == ["no title is given for 1 of 1,000 employees"]
    scores = table5_scores()
    titles = scores[scores.attributes == "job titles"].set_index("attribute").bias
    assert set(titles.index) == {*named, ""}
    assert (len(titles), (titles >= 0).sum(), titles[""] >= 0) == (921, 815, True)


def test_skipped_words_are_counted_in_the_cell(builtin, data_file, monkeypatch, tmp_path):
    data_file("kurita/job_titles_salaries.csv")
    monkeypatch.setattr(module, "_words", lambda *_: ("", "nurse", "engineer", ""))
    biases, skipped = attribute_biases(builtin, "job titles", "corrected")
    assert biases.attribute.tolist() == ["nurse", "engineer"]
    assert skipped.values.tolist() == [["a blank job title", "no title is given for 2 of 4 employees"]]


def test_words_that_are_not_at_hand(no_data):
    with pytest.raises(LeftOut, match="is not at hand"):
        attributes("O*NET skills", "corrected")
