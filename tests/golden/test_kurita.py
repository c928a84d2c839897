"""Kurita et al. 2019 on bert-base-uncased: the numbers that their notebooks print."""

from __future__ import annotations

import math

import numpy as np
import pytest

import counterpoise as cp
import printed
from counterpoise.measures.probability.common.association_summary import biases
from counterpoise.models.positions import log_probs_at, mask_positions

CLOSE = 1e-3  # float32 then and now


@pytest.fixture(scope="module")
def bert(hub):
    return hub("bert-base-uncased")


@pytest.fixture(scope="module")
def published(bert):
    return cp.measures.lpbs_weat(bert, variant="published")


def log_odds_at(lm, text, position, first, second):
    ids = lm.tokenizer.convert_tokens_to_ids([first, second])
    found = log_probs_at(lm, [text] * 2, [position] * 2, ids)
    return float(found[0] - found[1])


def log_odds_at_the_mask(lm, text, first, second):
    [[log_first, log_second]] = lm.target_log_probs([text], [first, second])
    return float(log_first - log_second)


def test_log_odds_at_the_mask(bert):
    """No prior in it, so free of the mistake about priors: "[MASK] is a nurse.", he against she, -4.211."""
    for row in printed.kurita_sentences().itertuples():
        text = row.template.replace("{target}", "[MASK]").replace("{attribute}", row.attribute)
        log_odds = log_odds_at_the_mask(bert, text, row.male, row.female)
        assert log_odds == pytest.approx(row.bias, abs=CLOSE), text


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("the [MASK] is beautiful", "flower", math.log(0.0007418045)),
        ("the [MASK] is beautiful", "bug", math.log(1.07483065e-05)),
        ("[MASK] are beautiful.", "clover", -18.59528),
        ("[MASK] are beautiful.", "ant", -18.65312),
    ],
)
def test_log_probabilities_at_the_mask(bert, text, word, expected):
    assert bert.target_log_probs([text], [word])[0, 0] == pytest.approx(expected, abs=CLOSE)


def test_flowers_against_bugs(bert):
    log_odds = log_odds_at_the_mask(bert, "[MASK] are beautiful.", "flowers", "bugs")
    assert log_odds == pytest.approx(5.3217977, abs=CLOSE)


@pytest.mark.parametrize(("word", "expected"), [("nurse", -2.710138), ("programmer", 0.27254897)])
def test_attribute_at_the_mask(bert, word, expected):
    he, she = bert.target_log_probs(["he is a [MASK].", "she is a [MASK]."], [word])[:, 0]
    assert he - she == pytest.approx(expected, abs=CLOSE)


@pytest.mark.parametrize(
    ("word", "position", "expected"),
    [
        ("clover", 2, -21.155012),  # "are", which the authors' code reads
        ("clover", 3, -28.40166),  # the attribute's mask, given in an issue of their repository
        ("clover", 0, -10.874125),  # [CLS], given there too
        ("ant", 2, -17.560097),
    ],
)
def test_which_position_the_authors_read(bert, word, position, expected):
    token = bert.tokenizer.convert_tokens_to_ids(word)
    [found] = log_probs_at(bert, ["[MASK] are [MASK]."], [position], [token])
    assert found == pytest.approx(expected, abs=CLOSE)


def test_flowers_against_bugs_in_the_prior(bert):
    assert log_odds_at(bert, "[MASK] are [MASK].", 2, "flowers", "bugs") == pytest.approx(3.563612, abs=CLOSE)


def test_priors_as_the_authors_read_them(bert):
    for row in printed.kurita_sentences().itertuples():
        text = row.template.replace("{target}", "[MASK]").replace("{attribute}", "[MASK]")
        [masks] = mask_positions(bert, [text])
        found = log_odds_at(bert, text, masks[-1] - 1, row.male, row.female)
        assert found == pytest.approx(row.prior, abs=CLOSE), text


def test_every_printed_row(published):
    keys = ["test", "template", "attribute"]
    ours = biases(published.items).set_index(keys).bias
    theirs = printed.kurita_rows().set_index(keys).bias_minus_prior
    assert len(ours) == len(theirs) == 344
    assert np.abs(ours[theirs.index].to_numpy() - theirs.to_numpy()).max() < CLOSE


def test_effect_sizes(published):
    """Table 3, "Ours", with the sign and the words of the notebook."""
    found = published.overall[published.overall.statistic.str.startswith("d over")].set_index("group").value
    expected = {
        "career/family": 1.1255,
        "math/arts": 0.8495,
        "science/arts": 0.9572,
        "black/white": -0.8864,
        "flowers/insects": 0.4458,
    }
    assert found.to_dict() == pytest.approx(expected, abs=CLOSE)
