"""C-SEAT, worked out a second time with plain transformers, one sentence per forward pass."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import counterpoise as cp
import tiny
from counterpoise.data import WordTest
from counterpoise.data.builtin.seat import seat_sentences

TEST = WordTest.of("t", ["John", "boys"], ["Amy", "she", "hers"], ["management", "office"], ["children"])


def word_vector(encoder, text, form, pieces):
    """The mean over the pieces of the word, or the first of them."""
    encoded = encoder.tokenizer(text, return_offsets_mapping=True)
    with torch.no_grad():
        hidden = encoder.model(torch.tensor([encoded["input_ids"]])).last_hidden_state[0].double().numpy()
    start = f" {text}".index(f" {form}")
    spans = encoded["offset_mapping"]
    at = [i for i, (left, right) in enumerate(spans) if left < start + len(form) and right > start]
    return hidden[at].mean(axis=0) if pieces == "mean" else hidden[at[0]]


def similarities(encoder, words, others, pieces, cut):
    def vectors(word):
        rows = seat_sentences([word], "published" if cut else "corrected").itertuples()
        texts = [(row.sentence.removesuffix(".") if cut else row.sentence, row.form) for row in rows]
        found = np.stack([word_vector(encoder, text, form, pieces) for text, form in texts])
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    return [[vectors(word) @ vectors(other).T for other in others] for word in words]


@pytest.mark.parametrize("kind", ["bert", "distilbert", "roberta", "albert"])
def test_equals_plain_transformers(kind, tmp_path):
    encoder = cp.load(tiny.save(kind, tmp_path), kind="encoder")
    [row] = cp.measures.cseat(encoder, TEST).summary.itertuples()
    targets = [*TEST.x.words, *TEST.y.words]
    to_a = similarities(encoder, targets, TEST.a.words, "mean", cut=False)
    to_b = similarities(encoder, targets, TEST.b.words, "mean", cut=False)
    s = [
        np.mean([m.mean() for m in a]) - np.mean([m.mean() for m in b])
        for a, b in zip(to_a, to_b, strict=True)
    ]
    assert row.value == pytest.approx((np.mean(s[:2]) - np.mean(s[2:])) / np.std(s, ddof=1), abs=1e-5)


def test_published_takes_first_pieces_and_counts_sentences(tmp_path):
    encoder = cp.load(tiny.save("bert", tmp_path), kind="encoder")
    result = cp.measures.cseat(encoder, TEST, variant="published")
    [row] = result.summary.itertuples()
    to_a, to_b = (
        [
            np.concatenate(per_word, axis=1)
            for per_word in similarities(
                encoder, [*TEST.x.words, *TEST.y.words], one.words, "first", cut=True
            )
        ]
        for one in (TEST.a, TEST.b)
    )
    s = [a.mean(axis=1) - b.mean(axis=1) for a, b in zip(to_a, to_b, strict=True)]
    x, y = np.concatenate(s[:2]), np.concatenate(s[2:])
    assert row.value == pytest.approx((x.mean() - y.mean()) / np.concatenate([x, y]).std(ddof=1), abs=1e-5)
    assert not result.items.text.str.endswith(".").any()
