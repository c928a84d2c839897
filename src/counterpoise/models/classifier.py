"""Classifiers: how positive is a text?

A rating is P(positive), computed in double precision from the model's logits so that ratings near 0 and 1 still
differ; the rating of a regression is its score. Texts that become the same tokens are rated once, so texts that the
model cannot tell apart get exactly the same rating.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from counterpoise.core.errors import InputError, ModelError
from counterpoise.core.progress import progress
from counterpoise.models.estimators import classifier_of_object, name_of, transformers_parts
from counterpoise.models.function_classifier import FunctionClassifier
from counterpoise.models.padding import (
    attention_mask,
    pad_rows,
    padding_side,
    special_token_types,
)
from counterpoise.models.ratings import Ratings, check_texts, positive_label
from counterpoise.models.scoring.batching import halving, one_ahead, pack
from counterpoise.models.scoring.classifier_logits import Logits, fastest_logits, plain_logits
from counterpoise.models.transformer import Transformer, shorten

if TYPE_CHECKING:
    import torch

_CPU_BUDGET = 2048  # tokens at once: more than for the short sentences that language models are asked about
_MANY_TOKENS = 5_000  # from this many on, it pays to look for the fastest way to the logits
_CHUNK = 512  # texts: while these are rated, the next ones are tokenised


class Classifier(Transformer):
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
        if token_budget is None and next(model.parameters()).device.type == "cpu":
            token_budget = _CPU_BUDGET
        super().__init__(model, tokenizer, name=name, token_budget=token_budget, tf32=tf32)
        if max_length is not None and max_length < 3:  # two special tokens and one of the text
            raise InputError(f"max_length must be 3 or more, not {max_length}")
        self._max_length = max_length
        self.labels = tuple(str(model.config.id2label[i]) for i in range(model.config.num_labels))
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

    @cached_property
    def max_length(self) -> int | None:
        """The most tokens read of a text, special tokens included; None if there is no limit."""
        limits = [limit for limit in (self._max_length, super().max_length) if limit is not None]
        return min(limits, default=None)

    def pad(self, rows: Sequence[Sequence[int]]) -> dict[str, torch.Tensor]:
        """Rows of ids as a batch on the model's device, padded such that no row's logits change."""
        side = padding_side(self.model.config)
        batch = {
            "input_ids": pad_rows(rows, self._pad_token_id or 0, side),
            "attention_mask": attention_mask(rows, side),
        }
        if self._special_types:
            types = [self._token_types(len(row)) for row in rows]
            batch["token_type_ids"] = pad_rows(types, self.tokenizer.pad_token_type_id, side)
        return {name: values.to(self.device) for name, values in batch.items()}

    def _token_types(self, length: int) -> list[int]:
        types = [0] * length
        for position, kind in self._special_types.items():
            types[position] = kind
        return types

    @cached_property
    def _special_types(self) -> dict[int, int]:
        return special_token_types(self.tokenizer)

    @property
    def _pad_token_id(self) -> int | None:
        """The id that the model takes for padding; a pad token that the tokenizer alone has is text to the model."""
        number = self.model.config.pad_token_id
        return number if number is not None and number >= 0 else None  # some configurations say -1 for none

    def rate(self, texts: Sequence[str]) -> np.ndarray:
        """P(positive) of each text, or the score of a regression, as an array (texts,)."""
        return self.ratings(texts).scores

    def ratings(self, texts: Sequence[str]) -> Ratings:
        """The ratings, and which texts the model could not read to the end."""
        logits, inputs, truncated = self._logits(texts)
        scores = logits[:, 0] if self.is_regression else self._probabilities(logits)[:, self.positive]
        return Ratings(scores[inputs], truncated, inputs)

    def predict(self, texts: Sequence[str]) -> list[str]:
        """The most probable label of each text."""
        if self.is_regression:
            raise ModelError(f"{self.name} is a regression: it gives a score and no label")
        logits, inputs, _ = self._logits(texts)
        return [self.labels[i] for i in logits.argmax(axis=1)[inputs]]

    def _probabilities(self, logits: np.ndarray) -> np.ndarray:
        from scipy.special import expit, softmax

        if getattr(self.model.config, "problem_type", None) == "multi_label_classification":
            return np.asarray(expit(logits))
        return np.asarray(softmax(logits, axis=1))

    def _logits(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The logits of the distinct inputs, the number of each text's input, and which texts are truncated."""
        check_texts(texts)
        numbers: dict[str, int] = {}
        inverse = np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)
        distinct = list(numbers)
        inputs = np.zeros(len(distinct), dtype=np.int64)
        truncated = np.zeros(len(distinct), dtype=bool)
        number_of: dict[tuple[int, ...], int] = {}  # of each distinct input
        parts = [np.zeros((0, len(self.labels)))]
        by_length = np.argsort([-len(text) for text in distinct], kind="stable")
        chunks = [by_length[start : start + _CHUNK] for start in range(0, len(distinct), _CHUNK)]
        compute: Logits | None = None
        with progress(f"rating with {self.name}", total=len(distinct), unit="texts") as advance:
            tokenised = one_ahead(lambda chunk: self._token_ids([distinct[i] for i in chunk]), chunks)
            for chunk, (rows, is_cut) in zip(chunks, tokenised, strict=True):
                first_new = len(number_of)
                inputs[chunk] = [number_of.setdefault(row, len(number_of)) for row in rows]
                truncated[chunk] = is_cut
                new = {int(inputs[i]): int(i) for i in reversed(chunk) if inputs[i] >= first_new}
                compute = compute or self._choose_logits(rows)
                advance(len(chunk) - len(new))
                new_texts = [distinct[new[number]] for number in sorted(new)]
                parts.append(self._input_logits(compute, list(number_of)[first_new:], new_texts, advance))
        return np.concatenate(parts), inputs[inverse], truncated[inverse]

    def _input_logits(
        self,
        compute: Logits,
        rows: Sequence[tuple[int, ...]],
        texts: Sequence[str],
        advance: Callable[[int], None],
    ) -> np.ndarray:
        """The logits of inputs, fetched from the device all together so that it never waits."""

        def describe(index: int) -> str:
            return f"one text of {len(rows[index])} tokens with {self.name}: {shorten(texts[index])!r}"

        def score(batch: np.ndarray) -> torch.Tensor:
            with self.inference():
                return compute(self.pad_if_needed([rows[i] for i in batch])).double()

        logits = np.zeros((len(rows), len(self.labels)))
        on_device: list[tuple[np.ndarray, torch.Tensor]] = []
        for whole in self._batches([len(row) for row in rows]):
            on_device.extend(halving(whole, score, describe))
            advance(len(whole))
        for batch, values in on_device:
            logits[batch] = values.cpu().numpy()
        for bad in np.flatnonzero(~np.isfinite(logits).all(axis=1))[:1]:
            raise ModelError(
                f"{self.name} gives ratings that are no numbers for {shorten(texts[bad])!r}; "
                "its weights or its precision are broken"
            )
        return logits

    def _token_ids(self, texts: Sequence[str]) -> tuple[list[tuple[int, ...]], list[bool]]:
        """The token ids of each text, truncated to what the model reads, and which texts were truncated."""
        limit = self.max_length
        backend = self.tokenizer.backend_tokenizer  # without what transformers adds: only the ids are needed
        backend.no_padding()
        if limit is None:
            backend.no_truncation()
        else:
            backend.enable_truncation(limit)
        encodings = backend.encode_batch_fast(list(texts))
        rows = [tuple(encoding.ids) for encoding in encodings]
        is_cut = [
            len(row) == limit and len(encoding.overflowing) > 0
            for row, encoding in zip(rows, encodings, strict=True)
        ]
        return rows, is_cut

    def _batches(self, lengths: Sequence[int]) -> Iterator[np.ndarray]:
        # Some decoders find a text's end by looking for padding, which they cannot without a padding token.
        if self._pad_token_id is None:
            return iter(np.arange(len(lengths))[:, None])
        return pack(lengths, self.token_budget)

    def _choose_logits(self, rows: Sequence[tuple[int, ...]]) -> Logits:
        """The fastest way to the logits; looking for it is not worth it for little work."""
        if sum(len(row) for row in rows) < _MANY_TOKENS:
            return plain_logits(self.model)
        with self.inference():
            return fastest_logits(self.model, self.pad([min(rows, key=len)]))

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
