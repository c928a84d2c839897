"""Classifiers: how positive is a text?

A rating is P(positive), in double precision from the model's own logits, so that ratings near 0 and 1 still differ; of
a regression it is the score itself. What the model is given twice, as the same tokens, it rates once: two texts that
it cannot tell apart are rated exactly alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from counterpoise.core.errors import InputError, ModelError, unknown
from counterpoise.core.progress import progress
from counterpoise.models.scoring.batching import halving, one_ahead, pack
from counterpoise.models.scoring.classifier_logits import Logits, quicker, whole
from counterpoise.models.transformer import Transformer, shorten

if TYPE_CHECKING:
    import torch

    from counterpoise.models.function_classifier import FunctionClassifier

_POSITIVE_NAMES = ("positive", "pos")
_POSITIVE_OF_TWO = ("label_1", "1", "true", "yes")
_CPU_BUDGET = 2048  # tokens at once: more than for the short sentences that language models are asked about
_MANY_TOKENS = 5_000  # from so many on it pays to look for the quickest way
_READ_AT_ONCE = 512  # texts: while these are rated, the next ones are turned into tokens


@dataclass(frozen=True)
class Ratings:
    """What a classifier says of a list of texts.

    `truncated` tells which texts are longer than the model reads; `inputs` numbers what the model was really given, so
    that two texts with one number are the same to it.
    """

    scores: np.ndarray
    truncated: np.ndarray
    inputs: np.ndarray


class Classifier(Transformer):
    """A sequence classifier with a positive label, or a regression.

    Parameters
    ----------
    positive
        The label whose probability is the rating; found by its name (positive, pos; of two labels also LABEL_1) if not
        given.
    max_length
        Tokens to read of a text at most, special tokens included; as many as the model can if not given.
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
        self._shorter = max_length
        self.labels = tuple(str(model.config.id2label[i]) for i in range(model.config.num_labels))
        self.is_regression = _is_regression(model.config)
        self.positive = self._positive_label(positive)

    @staticmethod
    def of(
        classifier: Callable[[list[str]], Any], name: str | None = None, positive: str | None = None
    ) -> Classifier | FunctionClassifier:
        """A classifier from a text classification pipeline of transformers, or from any function.

        The function takes a list of texts and returns a number for each: P(positive), or a score.

        >>> from counterpoise.models import Classifier
        >>> shouting = Classifier.of(lambda texts: [text.isupper() for text in texts], name="shouting")
        >>> shouting.rate(["He left.", "SHE LEFT."]).tolist()
        [0.0, 1.0]
        """
        import transformers

        from counterpoise.models.function_classifier import FunctionClassifier

        if isinstance(classifier, transformers.TextClassificationPipeline):
            model = classifier.model
            return Classifier(
                model, classifier.tokenizer, name=name or model.config.name_or_path, positive=positive
            )
        if not callable(classifier):
            raise InputError(
                f"a classifier is a pipeline or a function from texts to numbers, not {classifier!r}"
            )
        if positive is not None:
            raise InputError("a function has no labels to choose from: it returns the rating itself")
        return FunctionClassifier(classifier, name)

    @cached_property
    def max_length(self) -> int | None:
        """The most tokens that are read of a text, special tokens included; None if there is no limit."""
        limits = [limit for limit in (self._shorter, super().max_length) if limit is not None]
        return min(limits, default=None)

    def rate(self, texts: Sequence[str]) -> np.ndarray:
        """P(positive) of each text, or its score by a regression, as an array (texts,)."""
        return self.ratings(texts).scores

    def ratings(self, texts: Sequence[str]) -> Ratings:
        """The ratings, and which texts the model could not read to their end."""
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
        """The logits of the different inputs, the number of each text's input, and which texts are cut."""
        check_texts(texts)
        numbers: dict[str, int] = {}
        same = np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)
        different = list(numbers)
        inputs = np.zeros(len(different), dtype=np.int64)
        truncated = np.zeros(len(different), dtype=bool)
        known: dict[tuple[int, ...], int] = {}
        parts = [np.zeros((0, len(self.labels)))]
        by_length = np.argsort([-len(text) for text in different], kind="stable")
        chunks = [
            by_length[start : start + _READ_AT_ONCE] for start in range(0, len(different), _READ_AT_ONCE)
        ]
        way: Logits | None = None
        with progress(f"rating with {self.name}", total=len(different), unit="texts") as advance:
            read = one_ahead(lambda chunk: self._read([different[i] for i in chunk]), chunks)
            for chunk, (rows, cut) in zip(chunks, read, strict=True):
                first = len(known)
                inputs[chunk] = [known.setdefault(row, len(known)) for row in rows]
                truncated[chunk] = cut
                new = {int(inputs[i]): int(i) for i in reversed(chunk) if inputs[i] >= first}
                way = way or self._way(rows)
                advance(len(chunk) - len(new))
                its_texts = [different[new[number]] for number in sorted(new)]
                parts.append(self._rated(way, list(known)[first:], its_texts, advance))
        return np.concatenate(parts), inputs[same], truncated[same]

    def _rated(
        self,
        way: Logits,
        rows: Sequence[tuple[int, ...]],
        texts: Sequence[str],
        advance: Callable[[int], None],
    ) -> np.ndarray:
        """The logits of some inputs; they are fetched from the device together, so that it need not wait."""

        def describe(index: int) -> str:
            return f"one text of {len(rows[index])} tokens with {self.name}: {shorten(texts[index])!r}"

        def ask(batch: np.ndarray) -> torch.Tensor:
            with self.inference():
                return way(self._inputs([rows[i] for i in batch])).double()

        logits = np.zeros((len(rows), len(self.labels)))
        found: list[tuple[np.ndarray, torch.Tensor]] = []
        for together in self._batches([len(row) for row in rows]):
            found.extend(halving(together, ask, describe))
            advance(len(together))
        for batch, answer in found:
            logits[batch] = answer.cpu().numpy()
        for bad in np.flatnonzero(~np.isfinite(logits).all(axis=1))[:1]:
            raise ModelError(
                f"{self.name} gives ratings that are no numbers for {shorten(texts[bad])!r}; "
                "its weights or its precision are broken"
            )
        return logits

    def _read(self, texts: Sequence[str]) -> tuple[list[tuple[int, ...]], list[bool]]:
        """The tokens of each text, cut where the model ends, and which texts were cut."""
        limit = self.max_length
        quick = self.tokenizer.backend_tokenizer  # without what transformers adds: only the ids are needed
        quick.no_padding()
        if limit is None:
            quick.no_truncation()
        else:
            quick.enable_truncation(limit)
        encodings = quick.encode_batch_fast(list(texts))
        rows = [tuple(one.ids) for one in encodings]
        cut = [
            len(row) == limit and len(one.overflowing) > 0 for row, one in zip(rows, encodings, strict=True)
        ]
        return rows, cut

    def _batches(self, lengths: Sequence[int]) -> Iterator[np.ndarray]:
        # Some decoders look for the padding to find a text's end, and cannot where they know of none.
        alone = self.model.config.pad_token_id is None
        return iter(np.arange(len(lengths))[:, None]) if alone else pack(lengths, self.token_budget)

    def _inputs(self, rows: Sequence[tuple[int, ...]]) -> dict[str, torch.Tensor]:
        inputs = self._pad(rows)
        if len({len(row) for row in rows}) == 1:  # nothing to hide
            del inputs["attention_mask"]
        return inputs

    def _way(self, rows: Sequence[tuple[int, ...]]) -> Logits:
        """The quickest way to the logits; for little work it is not worth looking for."""
        if sum(len(row) for row in rows) < _MANY_TOKENS:
            return whole(self.model)
        with self.inference():
            return quicker(self.model, self._pad([min(rows, key=len)]))

    def _positive_label(self, wanted: str | None) -> int:
        if self.is_regression:
            if wanted is not None:
                raise InputError(f"{self.name} is a regression: it has a score and no label {wanted!r}")
            return 0
        numbers = {label.lower(): number for number, label in enumerate(self.labels)}
        if wanted is not None:
            if wanted.lower() not in numbers:
                raise unknown(f"label of {self.name}", wanted.lower(), numbers)
            return numbers[wanted.lower()]
        for name in (*_POSITIVE_NAMES, *(_POSITIVE_OF_TWO if len(numbers) == 2 else ())):
            if name in numbers:
                return numbers[name]
        raise ModelError(
            f"which label of {self.name} is the positive one? Say it with positive= (--positive); "
            f"there are: {', '.join(self.labels)}"
        )


def _is_regression(config: Any) -> bool:
    kind = getattr(config, "problem_type", None)
    return kind == "regression" or (kind is None and config.num_labels == 1)


def check_texts(texts: Sequence[str]) -> None:
    if isinstance(texts, str):
        raise InputError(f"texts must be a list of texts, not one text: {shorten(texts)!r}")
    for text in texts:
        if not isinstance(text, str):
            raise InputError(f"a text must be a string, not {type(text).__name__}: {text!r}")
        if not text.strip():
            raise InputError("a text to rate is empty")
