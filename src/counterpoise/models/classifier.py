"""Classifiers: how positive is a text?

A rating is P(positive), computed in double precision from the model's logits so that ratings near 0 and 1 still
differ; the rating of a regression is its score. Texts that become the same tokens are rated once, so texts that the
model cannot tell apart get exactly the same rating.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from counterpoise.core.errors import InputError, ModelError
from counterpoise.models.estimators import classifier_of_object, name_of, transformers_parts
from counterpoise.models.function_classifier import FunctionClassifier
from counterpoise.models.ratings import Ratings, check_texts, positive_label
from counterpoise.models.sequence_classifier import SequenceClassifier


class Classifier(SequenceClassifier):
    """A sequence classifier with a positive label, or a regression.

    Parameters
    ----------
    positive
        The label whose probability is the rating; if not given, the one that is named so (positive, pos; of two labels
        also LABEL_1), or one that names toxicity (toxic, hate, sexist, offensive, ...).
    max_length
        The most tokens to read of a text, special tokens included; if not given, as many as the model can.
    """

    kind = "classifier"

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        name: str,
        positive: str | None = None,
        max_length: int | None = None,
        token_budget: int | None = None,
        tf32: bool = False,
    ) -> None:
        super().__init__(
            model, tokenizer, name=name, max_length=max_length, token_budget=token_budget, tf32=tf32
        )
        self.is_regression = _is_regression(model.config)
        self.positive = self._positive_label(positive)

    @staticmethod
    def of(
        classifier: Any, name: str | None = None, positive: str | None = None
    ) -> Classifier | FunctionClassifier:
        """A classifier from a function, a scikit-learn classifier or a pipeline of transformers.

        A function takes a list of texts and returns a number for each: P(positive), or a score. What
        else is taken is described in `counterpoise.models.adopting`.

        >>> from counterpoise.models import Classifier
        >>> shouting = Classifier.of(lambda texts: [text.isupper() for text in texts], name="shouting")
        >>> shouting.rate(["He left.", "SHE LEFT."]).tolist()
        [0.0, 1.0]
        """
        parts = transformers_parts(classifier)
        if parts is None:
            return classifier_of_object(classifier, name, positive)
        model, tokenizer = parts
        if not type(model).__name__.endswith("ForSequenceClassification"):
            raise InputError(f"{type(model).__name__} is no classifier: load it with counterpoise.load")
        return Classifier(model.eval(), tokenizer, name=name or name_of(model), positive=positive)

    def rate(self, texts: Sequence[str]) -> np.ndarray:
        """P(positive) of each text, or the score of a regression, as an array (texts,)."""
        return self.ratings(texts).scores

    def ratings(self, texts: Sequence[str]) -> Ratings:
        """The ratings, and which texts the model could not read to the end."""
        check_texts(texts)
        logits, inputs, truncated = self._logits(texts)
        scores = logits[:, 0] if self.is_regression else self._probabilities(logits)[:, self.positive]
        return Ratings(scores[inputs], truncated, inputs)

    def predict(self, texts: Sequence[str]) -> list[str]:
        """The most probable label of each text."""
        if self.is_regression:
            raise ModelError(f"{self.name} is a regression: it gives a score and no label")
        check_texts(texts)
        logits, inputs, _ = self._logits(texts)
        return [self.labels[i] for i in logits.argmax(axis=1)[inputs]]

    def _probabilities(self, logits: np.ndarray) -> np.ndarray:
        from scipy.special import expit, softmax

        if getattr(self.model.config, "problem_type", None) == "multi_label_classification":
            return np.asarray(expit(logits))
        return np.asarray(softmax(logits, axis=1))

    def _positive_label(self, label: str | None) -> int:
        """The number of the label that was asked for or, if none was, of the one whose name is positive."""
        if self.is_regression:
            if label is not None:
                raise InputError(f"{self.name} is a regression: it has a score and no label {label!r}")
            return 0
        return positive_label(self.labels, label, self.name)


def _is_regression(config: Any) -> bool:
    problem_type = getattr(config, "problem_type", None)
    return problem_type == "regression" or (problem_type is None and config.num_labels == 1)
