"""Vectors made from a corpus, compared with the formula written out."""

import math

import numpy as np
import pytest

from counterpoise.core.errors import DataError
from counterpoise.corpus.learning.baselines import (
    corpus_vectors,
    positive_mutual_information,
    vectors_baseline,
)


def test_mutual_information_by_hand():
    sentences = [[0, 1, 2], [0, 1], [2, 0]]
    near = np.zeros((3, 3))
    for words in sentences:
        for i, word in enumerate(words):
            for j, context in enumerate(words):
                if i != j and abs(i - j) <= 1:
                    near[word, context] += 1
    found = positive_mutual_information(sentences, 3, window=1).toarray()
    smoothed = near.sum(axis=0) ** 0.75
    for word in range(3):
        for context in range(3):
            expected = 0.0
            if near[word, context]:
                joint = near[word, context] / near.sum()
                alone = near[word].sum() / near.sum() * smoothed[context] / smoothed.sum()
                expected = max(0.0, math.log(joint / alone))
            assert found[word, context] == pytest.approx(expected)


def test_vectors_are_those_of_the_decomposition_and_always_the_same():
    sentences = ["the nurse said she left", "the pilot said he flew", "she sang and he slept"] * 4
    vectors = corpus_vectors(sentences, dimensions=3)
    np.testing.assert_array_equal(vectors.matrix, corpus_vectors(sentences, dimensions=3).matrix)
    words = vectors.words
    numbers = [[words.index(word) for word in sentence.split()] for sentence in sentences]
    left, sizes, _ = np.linalg.svd(positive_mutual_information(numbers, len(words), 5).toarray())
    expected = left[:, :3] * np.sqrt(sizes[:3])
    np.testing.assert_allclose(vectors.matrix @ vectors.matrix.T, expected @ expected.T, atol=1e-8)


def test_words_that_are_missing_are_named():
    found = vectors_baseline("mine", ["he likes math and she likes art in the office"] * 10)
    assert found.summary.value.isna().all()
    assert "wedding" in set(found.skipped.item)
    assert "math" not in set(found.skipped.item)


def test_too_few_words():
    with pytest.raises(DataError, match="too few for vectors"):
        corpus_vectors(["one two"])
