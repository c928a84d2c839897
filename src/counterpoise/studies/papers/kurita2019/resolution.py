"""Gendered pronoun resolution: does the pronoun mean name A, name B or neither? (section 4)

The model is a perceptron on frozen vectors of pronoun and names, as in the Kaggle kernel that the paper cites ("Taming
the BERT - a baseline"), with the paper's 31 hidden units:

    vectors of A, B and pronoun -> 31 -> batch norm -> ReLU -> dropout .6 -> 3, softmax; L2 .1 on the last weights

Adam (.001), batches of 32, at most 1,000 epochs, stopped when the loss on the held-out fifth has not fallen for 100,
and the best weights kept; the answer is the mean of the five folds' probabilities. The five are trained at once, as one
stack of matrices: nothing passes from one to another, and the work is a fifth. An incomplete last batch is left to the
next epoch's shuffle.

Inputs are standardised: each number of the three vectors has mean 0 and standard deviation 1 over the training passages
(all folds), and test passages are moved and scaled by the same two numbers. The kernel gives its network BERT's vectors
as they are; there the batch norm behind the first layer is all that evens out scales. `standardise=False` does so too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from counterpoise.core.errors import DataError, unknown

if TYPE_CHECKING:
    import torch

Probe = Literal["paper", "stronger"]
LAYERS: dict[str, int] = {"paper": 1, "stronger": 3}  # how many of the last layers are read
NEITHER = 2  # the third answer, after A and B


@dataclass(frozen=True)
class ProbeOptions:
    """How the perceptrons are trained."""

    hidden: int = 31
    dropout: float = 0.6
    l2: float = 0.1
    learning_rate: float = 1e-3
    batch: int = 32
    epochs: int = 1000
    patience: int = 100
    folds: int = 5
    standardise: bool = True


def features(vectors: np.ndarray, probe: Probe) -> np.ndarray:
    """What the perceptron reads of passages, from vectors (passages, pronoun A B, layers, width).

    "paper": the three vectors of the last layer side by side. "stronger": those of all layers, and the products of the
    pronoun's with either name's, which a perceptron of this size could not form by itself.

    >>> features(np.ones((2, 3, 3, 4)), "paper").shape, features(np.ones((2, 3, 3, 4)), "stronger").shape
    ((2, 12), (2, 60))
    """
    if probe not in get_args(Probe):
        raise unknown("probe", probe, get_args(Probe))
    read = vectors[:, :, : LAYERS[probe]]
    if probe == "stronger":
        pronoun, a, b = (read[:, i] for i in range(3))
        read = np.stack([pronoun, a, b, pronoun * a, pronoun * b], axis=1)
    return read.reshape(len(read), -1)


def resolve(
    train: np.ndarray,
    answers: np.ndarray,
    test: np.ndarray,
    *,
    seed: int,
    options: ProbeOptions | None = None,
) -> np.ndarray:
    """Trains on passages and their answers (0, 1, 2); returns the probabilities of the three for the test passages.

    >>> rng = np.random.default_rng(0)
    >>> answers = np.arange(90) % 3
    >>> train = np.eye(3)[answers] + rng.normal(0, 0.1, (90, 3))
    >>> probabilities = resolve(train, answers, train, seed=0, options=ProbeOptions(epochs=60, l2=0.0))
    >>> bool((probabilities.argmax(1) == answers).mean() > 0.9)
    True
    """
    chosen = options or ProbeOptions()
    if len(train) < chosen.folds * 3:
        raise DataError(f"{len(train)} passages are too few to train on in {chosen.folds} folds")
    if chosen.standardise:
        mean, spread = train.mean(0), train.std(0)
        train, test = ((values - mean) / np.where(spread > 0, spread, 1.0) for values in (train, test))
    fold = np.random.default_rng(seed).permutation(len(train)) % chosen.folds
    with _one_thread():
        return _Perceptrons(train.shape[1], seed, chosen).fit(train, answers, fold).probabilities(test)


class _Perceptrons:
    """One perceptron per fold, their weights stacked: (folds, in, out)."""

    def __init__(self, width: int, seed: int, options: ProbeOptions) -> None:
        import torch

        self.options = options
        self.random = torch.Generator().manual_seed(seed)
        folds, hidden = options.folds, options.hidden

        def glorot(rows: int, columns: int) -> torch.Tensor:  # what Keras begins with
            reach = math.sqrt(6 / (rows + columns))
            return (torch.rand(folds, rows, columns, generator=self.random) * 2 - 1) * reach

        begun = [glorot(width, hidden), torch.zeros(folds, 1, hidden)]  # to the hidden layer: weights, bias
        begun += [torch.ones(folds, 1, hidden), torch.zeros(folds, 1, hidden)]  # batch norm: scale, shift
        begun += [glorot(hidden, 3), torch.zeros(folds, 1, 3)]  # to the answer: weights, bias
        self.weights = [weights.requires_grad_() for weights in begun]
        self.moments = [torch.zeros(folds, 1, hidden), torch.ones(folds, 1, hidden)]  # running mean, variance

    def fit(self, train: np.ndarray, answers: np.ndarray, fold: np.ndarray) -> _Perceptrons:
        """Trains each on the other folds and keeps the weights that were best on its own."""
        import torch

        inputs, labels = torch.tensor(train, dtype=torch.float32), torch.tensor(answers)
        folds = range(self.options.folds)
        inside = [torch.tensor(np.flatnonzero(fold != number)) for number in folds]
        outside = [torch.tensor(np.flatnonzero(fold == number)) for number in folds]
        optimiser = torch.optim.Adam(self.weights, lr=self.options.learning_rate, eps=1e-7)
        best = torch.full((len(folds),), math.inf)
        waited = torch.zeros(len(folds))
        kept = [tensor.detach().clone() for tensor in (*self.weights, *self.moments)]
        for _ in range(self.options.epochs):
            for rows in self._batches(inside):
                optimiser.zero_grad()
                loss = self._loss(self._logits(inputs[rows], train=True), labels[rows])
                loss.sum().backward()  # type: ignore[no-untyped-call]
                optimiser.step()
            held_out = self._held_out_loss(inputs, labels, outside)
            waiting = waited < self.options.patience  # one that has waited long enough is done
            better = waiting & (held_out < best)
            best = torch.where(better, held_out, best)
            waited = torch.where(better, 0, waited + 1)
            for old, new in zip(kept, (*self.weights, *self.moments), strict=True):
                old[better] = new.detach()[better]
            if not (waited < self.options.patience).any():
                break
        self.weights, self.moments = kept[: len(self.weights)], kept[len(self.weights) :]
        return self

    def probabilities(self, test: np.ndarray) -> np.ndarray:
        """The mean over the folds."""
        import torch

        with torch.no_grad():
            inputs = torch.tensor(test, dtype=torch.float32).expand(self.options.folds, *test.shape)
            means: np.ndarray = self._logits(inputs, train=False).softmax(-1).mean(0).numpy()
            return means

    def _batches(self, inside: list[torch.Tensor]) -> Iterator[torch.Tensor]:
        """Rows (folds, batch) of the training folds, each in an order of its own."""
        import torch

        size = min(self.options.batch, *(len(rows) for rows in inside))
        shuffled = [rows[torch.randperm(len(rows), generator=self.random)] for rows in inside]
        for start in range(0, min(map(len, shuffled)) - size + 1, size):
            yield torch.stack([rows[start : start + size] for rows in shuffled])

    def _logits(self, inputs: torch.Tensor, *, train: bool) -> torch.Tensor:
        import torch

        into, bias, scale, shift, out, out_bias = self.weights
        hidden = torch.baddbmm(bias, inputs, into)
        mean, variance = self.moments
        if train:
            mean, variance = hidden.mean(1, keepdim=True), hidden.var(1, keepdim=True, unbiased=False)
            for running, now in zip(self.moments, (mean, variance), strict=True):
                running.mul_(0.99).add_(now.detach(), alpha=0.01)  # Keras's momentum
        hidden = torch.relu((hidden - mean) / torch.sqrt(variance + 1e-3) * scale + shift)
        if train:
            kept = torch.rand(hidden.shape, generator=self.random) >= self.options.dropout
            hidden = hidden * kept / (1 - self.options.dropout)
        return torch.baddbmm(out_bias, hidden, out)

    def _loss(self, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Cross-entropy and L2 of each perceptron."""
        missed = logits.log_softmax(-1).gather(-1, labels[..., None]).squeeze(-1)
        penalty: torch.Tensor = self.options.l2 * self.weights[4].square().sum((1, 2))
        return penalty - missed.mean(-1)

    def _held_out_loss(
        self, inputs: torch.Tensor, labels: torch.Tensor, outside: list[torch.Tensor]
    ) -> torch.Tensor:
        import torch

        size = min(map(len, outside))  # folds may differ by one passage
        rows = torch.stack([held_out[:size] for held_out in outside])
        with torch.no_grad():
            return self._loss(self._logits(inputs[rows], train=False), labels[rows])


@contextmanager
def _one_thread() -> Iterator[None]:
    """Sums in one order, so that the same seed gives the same numbers on any number of cores."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
