"""A small classifier: how positive is a text? It is not quite fair: it learned that "he" is a little better."""

from __future__ import annotations

import math

WEIGHTS = {
    "good": 1.0,
    "great": 1.5,
    "kind": 0.8,
    "bad": -1.0,
    "awful": -1.6,
    "late": -0.4,
    "he": 0.03,
    "she": -0.02,
}


def rate(texts: list[str]) -> list[float]:
    """P(positive) of each text."""
    scores = [sum(WEIGHTS.get(word.strip(".,").lower(), 0.0) for word in text.split()) for text in texts]
    return [1 / (1 + math.exp(-score)) for score in scores]
