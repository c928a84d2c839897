"""How often a classifier is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterpoise.core.errors import InputError
from counterpoise.models.classifier import Classifier
from counterpoise.models.function_classifier import FunctionClassifier


@dataclass(frozen=True)
class Evaluation:
    """Accuracy over all texts; precision, recall and F1 of the positive label (the authors report the negative one)."""

    accuracy: float
    precision: float
    recall: float
    f1: float
    n: int


def evaluate(
    classifier: Classifier | FunctionClassifier, texts: Sequence[str], labels: Sequence[object]
) -> Evaluation:
    """Compares a classifier's predictions with the true labels, which must be named as the model names them.

    >>> from counterpoise.models import Classifier
    >>> loud = Classifier.of(lambda texts: [text.isupper() for text in texts], name="loud")
    >>> scores = evaluate(loud, ["A", "b", "C", "d"], ["positive", "positive", "positive", "negative"])
    >>> scores.accuracy, round(scores.precision, 2), round(scores.recall, 2), round(scores.f1, 2)
    (0.75, 1.0, 0.67, 0.8)
    """
    if len(texts) != len(labels):
        raise InputError(f"there are {len(texts)} texts but {len(labels)} labels")
    if strange := sorted({str(label) for label in labels} - set(classifier.labels)):
        raise InputError(
            f"{classifier.name} has no label {strange[0]!r} (it has: {', '.join(classifier.labels)})"
        )
    true, predicted = np.array([str(label) for label in labels]), np.array(classifier.predict(texts))
    positive = classifier.labels[classifier.positive]
    hits = float(((predicted == positive) & (true == positive)).sum())
    precision = hits / max(1, (predicted == positive).sum())
    recall = hits / max(1, (true == positive).sum())
    return Evaluation(
        accuracy=float((true == predicted).mean()),
        precision=float(precision),
        recall=float(recall),
        f1=float(2 * precision * recall / (precision + recall)) if hits else 0.0,
        n=len(texts),
    )
