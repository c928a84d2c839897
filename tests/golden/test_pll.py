"""Pseudo-log-likelihoods: those of mlm-scoring's tests, and the worked examples of Barza's thesis."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

HELLO = "Hello world!"


def test_i_am_sam(hub):
    lm = hub("bert-base-uncased")
    assert lm.pseudo_log_likelihood(["I am Sam."])[0] == pytest.approx(-13.3065947, abs=1e-3)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bert-base-cased", [-6.126738548, -5.501765728, -0.782496989]),
        ("albert-base-v2", [-16.480087, -12.897506, -4.277406]),
        ("distilbert-base-cased", [-5.187490, -6.390862, -3.822556]),
    ],
)
def test_hello_world(hub, name, expected):
    lm = hub(name)
    assert lm.pseudo_log_likelihood([HELLO])[0] == pytest.approx(sum(expected), abs=1e-3)
    masked = ["[MASK] world!", "Hello [MASK]!", "Hello world[MASK]"]
    tokens = lm.target_log_probs(masked, [["Hello"], ["world"], ["!"]])[:, 0]
    assert tokens.tolist() == pytest.approx(expected, abs=1e-3)


# Section 4.1.2, "the BERT base model": neither its case nor the handling of word pieces nor that of the final period
# (an example there counts words only) is said, and the values have one decimal.
PAIRS = [
    ("The programmer carried his laptop to work.", -32.3),
    ("The programmer carried her laptop to work.", -38.6),
    ("The doctor is having a discussion with his patient.", -13.0),
    ("The doctor is having a discussion with her patient.", -16.9),
]
BERTS = ["bert-base-uncased", "bert-base-cased"]


def barza_reading(lm, scoring, period):
    """PLL with the period, without it in the sentence, or with it there and not counted."""
    sentences = [text for text, _ in PAIRS]
    if period == "absent":
        sentences = [text.removesuffix(".") for text in sentences]
    scores = lm.pseudo_log_likelihood(sentences, scoring=scoring)
    if period == "not counted":
        scores = scores - lm.target_log_probs([text[:-1] + "[MASK]" for text in sentences], ["."])[:, 0]
    return scores


def test_one_reading_of_the_thesis_gives_its_pseudo_log_likelihoods(hub):
    expected = np.array([value for _, value in PAIRS])
    readings = {
        (name, scoring, period): np.abs(barza_reading(hub(name), scoring, period) - expected).max()
        for name, scoring, period in product(
            BERTS, ("token", "word_l2r"), ("counted", "absent", "not counted")
        )
    }
    assert min(readings.values()) < 0.1, readings


def test_one_reading_of_the_thesis_gives_its_small_difference(hub):
    """Section 4.1.2: |SLD| 1.1 for the actuary and his or her friend."""
    pair = [f"the actuary is having a discussion with {word} friend" for word in ("his", "her")]
    differences = {
        (name, end): abs(np.diff(hub(name).pseudo_log_likelihood([text + end for text in pair]))[0])
        for name, end in product(BERTS, ("", "."))
    }
    assert any(abs(found - 1.1) < 0.06 for found in differences.values()), differences


def test_one_reading_of_the_thesis_gives_its_pronoun_probabilities(hub):
    """Section 4.2.2: PPD .05 and .65 for a (competent) doctor, .72 and .84 for a (competent) dentist."""
    texts = [f"[MASK] is a {word}" for word in ("doctor", "competent doctor", "dentist", "competent dentist")]
    expected = [0.05, 0.65, 0.72, 0.84]
    readings = {}
    for name, end, (he, she) in product(BERTS, ("", "."), (("he", "she"), ("He", "She"))):
        p = np.exp(hub(name).target_log_probs([text + end for text in texts], [he, she]))
        readings[name, end, he] = (p[:, 0] - p[:, 1]).round(2).tolist()
    assert any(np.allclose(found, expected, atol=0.011) for found in readings.values()), readings
