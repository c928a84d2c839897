"""Ratings of emotions by gender, worked out a second time from the corpus."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import counterpoise as cp
from counterpoise.core.errors import DataError
from counterpoise.measures.base.sampling import limited
from counterpoise.models import Classifier


def rating(texts):
    """Kind to angry women."""
    return [
        0.5 + 0.2 * (("angry" in text) and (" she " in f" {text.lower()}")) + 0.01 * len(text)
        for text in texts
    ]


def test_against_the_corpus_by_hand(data_file):
    corpus = pd.read_csv(data_file("eec/Equity-Evaluation-Corpus.csv.xz"))
    result = cp.measures.eec_sentiment(Classifier.of(rating))
    feels = corpus[
        (corpus.Template == "<person subject> feels <emotion word>.") & corpus.Person.isin(["he", "she"])
    ]
    feels = feels.assign(rating=rating(feels.Sentence)).set_index("Emotion word")
    expected = feels[feels.Gender == "male"].rating - feels[feels.Gender == "female"].rating
    items = result.items[(result.items.pair == 0) & result.items.sentence_male.str.match(r"He feels \w+\.$")]
    assert items.set_index("emotion_word").bias.to_dict() == pytest.approx(expected.to_dict())
    by_word = result.items.groupby("emotion_word").bias.mean()
    assert result.overall.value.iloc[0] == pytest.approx(by_word.mean())
    assert result.overall.clusters.iloc[0] == len(by_word)
    assert result.overall.value.iloc[1] == pytest.approx(np.abs(by_word).mean())
    groups = result.summary[result.summary.level == "group"].set_index("group").value
    assert groups.index.tolist() == ["anger", "fear", "joy", "sadness"]
    assert groups["anger"] < groups["joy"]
    pairs = result.summary[result.summary.level == "word"]
    assert len(pairs) == 10
    assert len(result.items) * 2 + len(result.skipped) == len(cp.data.eec())


def test_a_sentence_without_its_counterpart_is_skipped():
    common = {"template": "t", "group": "joy", "pair": 0}
    table = pd.DataFrame(
        [
            {**common, "sentence": "He is glad.", "gender": "male", "person": "He", "emotion_word": "glad"},
            {
                **common,
                "sentence": "She is glad.",
                "gender": "female",
                "person": "She",
                "emotion_word": "glad",
            },
            {**common, "sentence": "He is sad.", "gender": "male", "person": "He", "emotion_word": "sad"},
        ]
    )
    result = cp.measures.eec_sentiment(Classifier.of(lambda texts: [len(text) for text in texts]), table)
    assert result.items.bias.tolist() == [-1]
    assert result.skipped.item.tolist() == ["He is sad."]
    with pytest.raises(DataError, match="has its counterpart"):
        cp.measures.eec_sentiment(Classifier.of(lambda texts: [0] * len(texts)), table.iloc[2:])
    with pytest.raises(DataError, match="lack the column 'pair'"):
        cp.measures.eec_sentiment(Classifier.of(len), table.drop(columns="pair"))


def test_a_sample_keeps_both_sentences_of_a_pair_and_asks_about_no_others():
    asked = []
    words = {"joy": ["glad", "happy", "pleased"], "fear": ["afraid", "scared", "anxious"]}
    table = pd.DataFrame(
        [
            {"template": "t", "group": group, "pair": pair, "person": person, "gender": gender}
            | {"emotion_word": word, "sentence": f"{person} {pair} is {word}."}
            for group in words
            for word in words[group]
            for pair in range(4)
            for person, gender in (("He", "male"), ("She", "female"))
        ]
    )
    model = Classifier.of(lambda texts: asked.extend(texts) or [len(text) for text in texts], name="length")
    with limited(24):
        items = cp.measures.eec_sentiment(model, table).items
    assert len(items) == 12
    assert sorted(asked) == sorted([*items.sentence_male, *items.sentence_female])
    assert items.group.value_counts().tolist() == [6, 6]
    assert items.emotion_word.value_counts().tolist() == [2] * 6
