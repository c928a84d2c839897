"""Natural language inference: does a premise entail a hypothesis, contradict it, or say neither?

The three probabilities are computed in double precision from the model's logits. Pairs that become the same tokens are
computed once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from counterpoise.core.errors import InputError, ModelError
from counterpoise.models.estimators import name_of, refuse_object, transformers_parts
from counterpoise.models.function_inference import FunctionInference, check_pairs
from counterpoise.models.inference_labels import label_columns
from counterpoise.models.sequence_classifier import SequenceClassifier


class InferenceModel(SequenceClassifier):
    """A sequence classifier of sentence pairs with the labels entailment, neutral and contradiction.

    Parameters
    ----------
    labels
        The labels in the order of the model's outputs, as a list or with commas between them; if not given, as the
        names of its labels say.
    max_length
        The most tokens to read of a pair, special tokens included; if not given, as many as the model can.
    """

    kind = "nli"

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        name: str,
        labels: str | Sequence[str] | None = None,
        max_length: int | None = None,
        token_budget: int | None = None,
        tf32: bool = False,
    ) -> None:
        super().__init__(
            model, tokenizer, name=name, max_length=max_length, token_budget=token_budget, tf32=tf32
        )
        self._columns = label_columns(self.labels, labels, name)
        if getattr(model.config, "problem_type", None) == "multi_label_classification":
            raise ModelError(
                f"{name} rates each label by itself; natural language inference chooses one of three"
            )

    @staticmethod
    def of(
        model: Any, name: str | None = None, labels: str | Sequence[str] | None = None
    ) -> InferenceModel | FunctionInference:
        """A model from a function of premises and hypotheses, a transformers pipeline, or (model, tokenizer).

        A function returns for each pair the probabilities of entailment, neutral and contradiction.

        >>> from counterpoise.models import InferenceModel
        >>> undecided = InferenceModel.of(lambda premises, hypotheses: [[0.1, 0.8, 0.1] for _ in premises])
        >>> undecided.probabilities(["The nurse left."], ["The man left."]).tolist()
        [[0.1, 0.8, 0.1]]
        """
        parts = transformers_parts(model)
        if parts is None:
            refuse_object(model)
            if hasattr(model, "predict_proba"):
                raise InputError(
                    f"{type(model).__name__} takes single texts; give a function of premises and hypotheses"
                )
            return FunctionInference(model, name, labels)
        if not type(parts[0]).__name__.endswith("ForSequenceClassification"):
            raise InputError(f"{type(parts[0]).__name__} is no classifier of sentence pairs")
        return InferenceModel(parts[0].eval(), parts[1], name=name or name_of(parts[0]), labels=labels)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of weights, configuration and tokenizer, and of which output is which label."""
        parts = (super().fingerprint, self._columns)
        return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()

    def probabilities(self, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """P(entailment), P(neutral) and P(contradiction) of each premise and its hypothesis, as an array (n, 3)."""
        from scipy.special import softmax

        logits, inputs, _ = self._logits(check_pairs(premises, hypotheses))
        probabilities = np.asarray(softmax(logits, axis=1), dtype=np.float64)
        return np.asarray(probabilities[inputs][:, self._columns])
