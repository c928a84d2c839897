"""Topics of passages and how far the model says them of men (section 4).

    bias(topic)   = sum over its 15 heaviest words of weight * (association("men", word) - association("women", word))
    bias(passage) = sum over topics of its weight in the passage * bias(topic)

associations in "[TARGET] are interested in [ATTRIBUTE]." The topics are 20 factors of the passages' words by
non-negative matrix factorisation. The paper does not say how words were counted; here by tf-idf, English stop words
left out, the 1,000 most frequent words that at least two passages and not nearly all have, as in the example that
scikit-learn gives for such topics. Factor and weight share one scale that is free, and which cancels in bias(passage).
A word that the model cannot be asked about adds nothing, and is named.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from counterpoise.core.errors import InputError
from counterpoise.data.spec import Variant
from counterpoise.models.masked import MaskedLM
from counterpoise.studies.papers.kurita2019.attributes import target_biases

TEMPLATE = "{target} are interested in {attribute}"
TARGETS = ("men", "women")
TOPICS, TOP_WORDS, VOCABULARY = 20, 15, 1000


@dataclass(frozen=True)
class Topics:
    """Topics over words, and over each list of texts: `weights` (topics, words), `shares` a list of (texts, topics)."""

    words: np.ndarray
    weights: np.ndarray
    shares: tuple[np.ndarray, ...]

    def top_words(self, topic: int, most: int = TOP_WORDS) -> list[tuple[str, float]]:
        """The heaviest words of a topic with their weights; a word without weight is none of its words."""
        order = np.argsort(-self.weights[topic], kind="stable")[:most]
        return [
            (str(self.words[i]), float(self.weights[topic, i])) for i in order if self.weights[topic, i] > 0
        ]


def find_topics(texts: list[str], *others: list[str], topics: int = TOPICS, seed: int = 0) -> Topics:
    """Factors of the texts, and their weights in the same texts and in others.

    >>> texts = ["the team won the match", "a match for the team", "the opera singer sang", "she sang an opera"]
    >>> sorted(word for word, _ in find_topics(texts, topics=2).top_words(0))
    ['match', 'team']
    """
    try:
        from sklearn.decomposition import NMF  # type: ignore[import-untyped]
        from sklearn.feature_extraction.text import TfidfVectorizer  # type: ignore[import-untyped]
    except ImportError:
        raise InputError(
            "topics need the package scikit-learn: pip install 'counterpoise[studies]'"
        ) from None
    counter = TfidfVectorizer(max_df=0.95, min_df=2, max_features=VOCABULARY, stop_words="english")
    counts = counter.fit_transform(texts)
    # This start is the same each time; the seed only fills in what the start leaves at zero.
    factors = NMF(n_components=topics, init="nndsvda", random_state=seed, max_iter=1000)
    shares = factors.fit_transform(counts)
    more = [factors.transform(counter.transform(other)) for other in others]
    return Topics(counter.get_feature_names_out(), factors.components_, (shares, *more))


def topic_biases(
    model: MaskedLM, topics: Topics, variant: Variant = "corrected"
) -> tuple[np.ndarray, pd.DataFrame, pd.DataFrame]:
    """The bias of each topic; that of each word; and the words that were skipped."""
    tops = [topics.top_words(topic) for topic in range(len(topics.weights))]
    words = tuple(dict.fromkeys(word for top in tops for word, _ in top))
    biases, skipped = target_biases(model, TEMPLATE, TARGETS, words, variant)
    bias_of = dict(zip(biases.attribute, biases.bias, strict=True))
    of_topics = np.array([sum(weight * bias_of.get(word, 0.0) for word, weight in top) for top in tops])
    return of_topics, biases, skipped
