"""Ratings of the male and female versions of reviews: made once, kept as a small file, counted later.

Everything that a model is asked about a review (as it is under the condition, and turned both ways with each set of
terms) goes into one call, so that versions which are the same to the model are rated once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from counterpoise.core.checked_files import read_arrays
from counterpoise.core.errors import RunError
from counterpoise.core.files import write_aside
from counterpoise.models.classifier import Classifier
from counterpoise.text.clean import clean
from counterpoise.text.conditions import apply_condition
from counterpoise.text.swap import Swapper, Variant
from counterpoise.tuning.presets import PUBLISHED_EVALUATION_LENGTH

TERM_SETS = ("pro", "weat", "all")
POSITIVE = "pos"
# Why a bias is zero, by number: it is not; no term; a term beyond the model's length; rated alike.
NOT_ZERO, NO_TERM, BEYOND, EQUAL = range(4)
_CHUNK = 1000  # reviews at a time: enough to pack well, and no more of their tokens in memory


@dataclass(frozen=True)
class Rated:
    """The bias of each review (a row per set of terms), and why it is zero where it is.

    >>> rated = Rated(("pro",), np.array([[0.5, 0.0]], np.float32), np.array([[0, 1]], np.int8))
    >>> rated.of("pro")[0].tolist()
    [0.5, 0.0]
    """

    terms: tuple[str, ...]
    bias: np.ndarray
    zero: np.ndarray

    def of(self, terms: str) -> tuple[np.ndarray, np.ndarray]:
        """Bias and why it is zero, with one set of terms."""
        row = self.terms.index(terms)
        return self.bias[row].astype(np.float64), self.zero[row]

    def save(self, path: Path) -> None:
        with write_aside(path) as aside, aside.open("wb") as file:
            np.savez_compressed(file, terms=np.array(self.terms), bias=self.bias, zero=self.zero)

    @classmethod
    def read(cls, path: Path) -> Rated:
        arrays = read_arrays(path)
        try:
            return cls(tuple(arrays["terms"].tolist()), arrays["bias"], arrays["zero"])
        except KeyError as error:
            raise RunError(f"cannot read the ratings in {path}: it lacks {error}") from error


@dataclass(frozen=True)
class Confusion:
    """How many reviews of each label were rated above and below one half."""

    true_positive: int = 0
    false_positive: int = 0
    true_negative: int = 0
    false_negative: int = 0

    @classmethod
    def of(cls, scores: np.ndarray, positive: np.ndarray) -> Confusion:
        above = scores > 0.5
        counts = (above & positive, above & ~positive, ~above & ~positive, ~above & positive)
        return cls(*(int(count.sum()) for count in counts))

    def __add__(self, other: Confusion) -> Confusion:
        return Confusion(*(a + b for a, b in zip(self.counts, other.counts, strict=True)))

    @property
    def counts(self) -> tuple[int, int, int, int]:
        return self.true_positive, self.false_positive, self.true_negative, self.false_negative

    def figures(self) -> dict[str, float]:
        """Accuracy; recall, precision and F1 of the negative label, which is the one that the paper's are of.

        >>> Confusion(40, 5, 45, 10).figures()["accuracy"]
        0.85
        """
        hits, missed, wrong = self.true_negative, self.false_positive, self.false_negative
        return {
            "accuracy": (self.true_positive + hits) / sum(self.counts),
            "recall": hits / max(1, hits + missed),
            "precision": hits / max(1, hits + wrong),
            "f1": 2 * hits / max(1, 2 * hits + missed + wrong),
        }


def rate_reviews(
    classifier: Classifier,
    texts: Sequence[str],
    labels: Sequence[str],
    condition: str,
    terms: Sequence[str],
    variant: Variant = "corrected",
    lists: str | Path | None = None,
) -> tuple[Rated, Confusion, Confusion]:
    """The reviews' bias with each set of terms, and how often the model is right: all that it reads, and 64 tokens.

    Published, ratings are rounded to single precision, as in `counterpoise.measures.sentiment`.
    """
    swappers = [Swapper(name if lists is None else f"{lists}#{name}", variant=variant) for name in terms]
    short = Classifier(
        classifier.model, classifier.tokenizer, name="short", max_length=PUBLISHED_EVALUATION_LENGTH
    )
    bias, zero = [], []
    right, right_short = Confusion(), Confusion()
    for start in range(0, len(texts), _CHUNK):
        part = list(texts[start : start + _CHUNK])
        condition_texts = apply_condition(
            part, list(labels[start : start + _CHUNK]), condition, variant, lists
        )
        turned = [clean(text) if variant == "published" else text for text in part]
        sides = [
            [[swapper.swap(text, to) for text in turned] for to in ("male", "female")] for swapper in swappers
        ]
        asked = [*condition_texts.texts, *(text for pair in sides for side in pair for text in side)]
        ratings = classifier.ratings(asked)
        positive = np.array([label == POSITIVE for label in condition_texts.labels])
        n = len(condition_texts.texts)
        right += Confusion.of(ratings.scores[:n], positive)
        right_short += Confusion.of(short.rate(condition_texts.texts), positive)

        shape = (len(terms), 2, len(part))
        scores, inputs, cut = (
            values[n:].reshape(shape) for values in (ratings.scores, ratings.inputs, ratings.truncated)
        )
        if variant == "published":
            scores = scores.astype(np.float32).astype(np.float64)
        bias.append(scores[:, 0] - scores[:, 1])
        same_text = np.array([[male == female for male, female in zip(*pair, strict=True)] for pair in sides])
        unread = (inputs[:, 0] == inputs[:, 1]) & cut.any(axis=1)
        zero.append(np.select([bias[-1] != 0, same_text, unread], [NOT_ZERO, NO_TERM, BEYOND], EQUAL))
    biases = np.concatenate(bias, axis=1).astype(np.float32)
    reasons = np.concatenate(zero, axis=1).astype(np.int8)
    return Rated(tuple(terms), biases, reasons), right, right_short
