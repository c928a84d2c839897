"""Topics: the bias of topics and passages against sums written out."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from counterpoise.core.errors import InputError
from counterpoise.studies.papers.kurita2019.attributes import target_biases
from counterpoise.studies.papers.kurita2019.topics import TARGETS, TEMPLATE, Topics, find_topics, topic_biases

TEXTS = [
    "The team won the football match.",
    "A football match for the team.",
    "The opera singer sang a song.",
    "She sang a song in the opera.",
] * 3


def test_the_bias_of_a_topic_is_a_weighted_sum_over_its_words(builtin):
    found = Topics(
        np.array(["football", "opera", "ꙮ"]), np.array([[2.0, 0.0, 1.0], [0.5, 3.0, 0.0]]), (np.eye(2),)
    )
    words, _ = target_biases(builtin, TEMPLATE, TARGETS, ("football", "opera"), "corrected")
    football, opera = words.bias
    of_topics, _, skipped = topic_biases(builtin, found)
    assert of_topics.tolist() == pytest.approx([2 * football, 0.5 * football + 3 * opera])
    assert set(skipped.item) == {"Men are interested in ꙮ.", "Women are interested in ꙮ."}


def test_the_bias_of_a_passage_does_not_depend_on_the_free_scale(builtin):
    found = find_topics(TEXTS, topics=2)
    scaled = Topics(found.words, found.weights * 7, tuple(share / 7 for share in found.shares))
    biases = [one.shares[0] @ topic_biases(builtin, one)[0] for one in (found, scaled)]
    assert biases[0] == pytest.approx(biases[1])


def test_fifteen_words_at_most_and_the_same_each_time():
    first, again = (find_topics(TEXTS, TEXTS[:2], topics=2) for _ in range(2))
    assert (first.weights == again.weights).all()
    assert [share.shape for share in first.shares] == [(12, 2), (2, 2)]
    many = Topics(np.array([f"w{i}" for i in range(40)]), np.arange(40.0)[None], ())
    assert [word for word, _ in many.top_words(0)] == [f"w{i}" for i in range(39, 24, -1)]


def test_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.decomposition", None)
    with pytest.raises(InputError, match=r"pip install 'counterpoise\[studies\]'"):
        find_topics(TEXTS)
