"""Perturbation sensitivity, worked out by hand on ratings that are plain to see."""

from __future__ import annotations

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.core.errors import DataError, InputError
from counterpoise.models import Classifier
from counterpoise.text import names

TEXTS = ["I saw Mary in town.", "Then John said that he was late.", "It rains."]
SCORES = {"james": 0.1, "john": 0.3, "barbara": 0.6, "mary": 0.8}


def by_name(texts):
    return [next((score for name, score in SCORES.items() if name in text.lower()), 0.5) for text in texts]


def overall(result):
    return result.overall.set_index("statistic").value


def test_over_names():
    result = cp.measures.perturbation(Classifier.of(by_name), TEXTS, n_names=2)
    after = np.array(list(SCORES.values()))
    assert list(names.table())[:4] == ["james", "barbara", "john", "mary"]
    rows = overall(result)
    assert rows["male - female rating"] == pytest.approx(0.2 - 0.7)
    assert rows["ScoreDev"] == pytest.approx(after.std())
    assert rows["ScoreRange"] == pytest.approx(0.7)
    assert rows["% texts whose label flips"] == 100
    # As they are, only the text with Mary is positive; under a male name neither is, under a female one both are.
    assert rows["LabelDist"] == pytest.approx(np.mean([1, 1, 0.5, 0.5]))
    moved = result.summary[result.summary.level == "word"].set_index("group").value
    before = np.array([0.8, 0.3])
    for name, score in SCORES.items():
        assert moved[name] == pytest.approx((score - before).mean())
    assert result.skipped.reason.tolist() == ["no first name in the text"]
    assert result.items.lowest.tolist() == ["james", "james"]


def test_pronouns_follow_the_name():
    seen = []

    def function(texts):
        seen.extend(texts)
        return [0.5] * len(texts)

    result = cp.measures.perturbation(Classifier.of(function), TEXTS[1:2], n_names=1)
    assert seen == [TEXTS[1], "Then James said that he was late.", "Then Barbara said that she was late."]
    assert overall(result).tolist() == [0, 0, 0, 0, 0]


def test_over_terms():
    result = cp.measures.perturbation(
        Classifier.of(lambda texts: [0.4 + 0.2 * (" he " in text) for text in texts]),
        TEXTS,
        over="terms",
        terms="pro",
    )
    rows = overall(result)
    assert rows["male - female rating"] == pytest.approx(0.2)
    assert rows["ScoreDev"] == pytest.approx(0.1)
    assert len(result.items) == 1
    assert len(result.skipped) == 2


@pytest.mark.slow
def test_imdb(data_file):
    data_file("imdb/imdb_50k_labelled.csv.xz")
    result = cp.measures.perturbation(Classifier.of(lambda texts: [len(t) for t in texts]), n=5, n_names=1)
    assert len(result.items) == 5
    assert result.dataset == "imdb, names"


def test_mistakes():
    classifier = Classifier.of(by_name)
    with pytest.raises(InputError, match=r"^over takes names or terms, not surnames"):
        cp.measures.perturbation(classifier, TEXTS, over="surnames")
    with pytest.raises(InputError, match=r"^n_names should be greater than or equal to 1, not 0$"):
        cp.measures.perturbation(classifier, TEXTS, n_names=0)
    with pytest.raises(DataError, match=r"all 1 items were skipped \(no first name"):
        cp.measures.perturbation(classifier, ["It rains."])
