"""Associations as the authors' code reads them, beside plain transformers."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
import torch

import brute
import counterpoise as cp
import tiny
from counterpoise.core.errors import InputError
from counterpoise.data import becpro
from counterpoise.studies.papers.bartl2020.associations import (
    VARIANTS,
    as_replaced,
    associations_in_row,
    fixed_length,
    measure_associations,
)

THEIRS = {
    "sentence": "Sentence",
    "target_masked": "Sent_TM",
    "attribute_masked": "Sent_AM",
    "both_masked": "Sent_TAM",
}


@pytest.fixture(scope="module")
def lm(tmp_path_factory):
    return cp.load(tiny.save("bert", tmp_path_factory.mktemp("bert")))


@pytest.mark.parametrize("language", ["EN", "DE"])
def test_text_replacement_gives_every_row_of_the_authors_file(language, data_file):
    theirs = pd.read_csv(data_file(f"bec-pro/BEC-Pro_{language}.tsv.xz"), sep="\t", index_col=0)
    ours = as_replaced(becpro(language.lower(), "published"))
    for column, name in THEIRS.items():
        assert ours[column].tolist() == theirs[name].tolist()


def test_sixteen_tokens_cut_off_ends(builtin):
    """315 sentences and 99 priors are longer in BERT's word pieces than the length that the code reckons in words."""
    rows = as_replaced(becpro("en", "published"))
    length = fixed_length(rows.target_masked)
    assert length == 16
    ids = {
        name: builtin.tokenizer(rows[name].tolist())["input_ids"] for name in ("target_masked", "both_masked")
    }
    assert sum(len(one) > length for one in ids["target_masked"]) == 315
    assert sum(len(one) > length for one in ids["both_masked"]) == 99


def test_masks_per_word_are_fewer_than_word_pieces(builtin):
    professions = becpro("en").profession.unique()
    fewer = [word for word in professions if len(word.split()) < len(builtin.tokenizer.tokenize(word))]
    assert len(fewer) == 24


def by_hand(lm, row, length):
    """The association of one sentence filled up with masks: two forward passes without an attention mask."""
    hidden = lm.tokenizer.mask_token_id
    place = lm.tokenizer(row.both_masked)["input_ids"].index(hidden)
    target = lm.tokenizer(row.sentence)["input_ids"][place]
    found = []
    for text in (row.target_masked, row.both_masked):
        ids = (lm.tokenizer(text)["input_ids"] + [hidden] * length)[:length]
        with torch.no_grad():
            logits = lm.model(input_ids=torch.tensor([ids])).logits
        found.append(float(logits[0, place].log_softmax(-1)[target]))
    return found[0] - found[1]


def test_filled_up_with_masks_equals_forward_passes_by_hand(lm):
    rows = as_replaced(becpro("en", "published"))
    longest = rows.sentence.str.len().nlargest(3).index
    damaged = rows.index[rows.target_masked.str.count(r"\[MASK\]") > 1][:2]
    some = rows.loc[[0, 5, 400, *longest, *damaged]].reset_index(drop=True)
    expected = [by_hand(lm, row, 16) for row in some.itertuples()]
    assert associations_in_row(lm, some, 16) == pytest.approx(expected, abs=1e-4)
    assert not np.allclose(associations_in_row(lm, some, None), expected, atol=1e-3)


def test_unpadded_and_word_masks_equal_forward_passes_by_hand(lm):
    texts = becpro("en", "published")
    for variant in ("unpadded", "word masks"):
        items, skipped = measure_associations(lm, variant, pairs=1)
        assert len(items) == 600
        assert skipped.empty
        row = items[(items.profession == "phlebotomist") & (items.gender == "female")].iloc[0]
        assert "a {profession}" in row.template
        source = texts[(texts.profession == "phlebotomist") & (texts.sentence.str.startswith("She is"))].iloc[
            0
        ]
        expected = brute.word_log_probability(lm, source.target_masked, "she") - brute.word_log_probability(
            lm, source.both_masked, "she"
        )
        assert row.association == pytest.approx(expected, abs=1e-4)


def test_each_variant_differs_from_the_one_before(lm):
    means = [measure_associations(lm, variant, pairs=1)[0].association.to_numpy() for variant in VARIANTS]
    for one, other in itertools.pairwise(means):
        assert (np.abs(one - other) > 1e-4).any()


def test_a_variant_that_is_none(lm):
    with pytest.raises(InputError, match="there is no variant of bartl2020 'padded'"):
        measure_associations(lm, "padded")
