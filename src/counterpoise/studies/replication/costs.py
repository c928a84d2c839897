"""What training and asking a model costs, for the estimates of `counterpoise study --dry-run`.

A token that goes through a transformer meets each weight of its layers once, at two operations; training takes three
times as much. The output layer is computed only where a token is predicted. ALBERT uses one layer's weights in all of
its layers: it is small on disk and in memory, and as slow as BERT.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from counterpoise.models.loading import BUILTIN, BUILTIN_FOLDER
from counterpoise.studies.engine.costs import Cost

PROCESS = 1.2e9  # bytes of memory of a worker without its model: Python, torch, tables
START = 0.5  # seconds to load a model
_PER_STEP = (
    100  # operations per weight that a step of the optimiser takes as much time as: it waits for memory
)
_STEP = 0.01  # seconds of a step, however small
_MASKED = 0.15  # of the tokens are predicted in training
_WEIGHT = 4  # bytes
_TRAINING = 16  # bytes per weight in training: itself, its gradient, and two moments of Adam
_CHECKPOINT = 3 * _WEIGHT  # bytes per weight: itself and two moments of Adam
_CHECKPOINTS = 3  # at once: the best, the last, and the next one until an older one is deleted
_ACTIVATION = 80  # bytes per token, layer and unit of width that training keeps
_KEPT_PER_QUERY = 8  # bytes per token, head and token attended to


@dataclass(frozen=True)
class ModelSize:
    """A transformer by its numbers.

    >>> round(ModelSize(width=768, layers=12, vocabulary=30522).parameters / 1e6)
    109
    """

    width: int
    layers: int
    vocabulary: int
    embedding: int | None = None  # the width of its embeddings, if another
    shared: bool = False  # one layer's weights in all layers

    @property
    def layer(self) -> int:
        """The weights of a layer: attention 4 w^2, feed-forward 8 w^2."""
        return 12 * self.width**2

    @property
    def parameters(self) -> float:
        embedding = self.embedding or self.width
        return float(
            (self.vocabulary + 512) * embedding
            + (embedding * self.width if self.embedding else 0)
            + self.layer * (1 if self.shared else self.layers)
        )

    def forward(self, tokens: float, length: float, predicted: float = 0.0) -> float:
        """Operations to read so many tokens, in texts of a length, and to predict so many of them."""
        read = 2 * self.layer * self.layers + 4 * self.width * self.layers * length
        return tokens * read + predicted * 2 * self.vocabulary * (self.embedding or self.width)


_BERT_VOCABULARY, _ROBERTA_VOCABULARY, _ALBERT_VOCABULARY = 30522, 50265, 30000
SIZES = {
    "bert-base-uncased": ModelSize(768, 12, _BERT_VOCABULARY),
    "bert-large-uncased": ModelSize(1024, 24, _BERT_VOCABULARY),
    "distilbert-base-uncased": ModelSize(768, 6, _BERT_VOCABULARY),
    "roberta-base": ModelSize(768, 12, _ROBERTA_VOCABULARY),
    "roberta-large": ModelSize(1024, 24, _ROBERTA_VOCABULARY),
    "albert-base-v2": ModelSize(768, 12, _ALBERT_VOCABULARY, embedding=128, shared=True),
    "albert-large-v2": ModelSize(1024, 24, _ALBERT_VOCABULARY, embedding=128, shared=True),
    "dbmdz/bert-base-german-cased": ModelSize(768, 12, 31102),
}


@cache
def model_size(name: str) -> ModelSize | None:
    """The size of a model by its name, or by the config.json of its folder; None where neither says it.

    >>> size = model_size("builtin")
    >>> (size.width, size.layers), model_size("someone/a-model")
    ((384, 6), None)
    """
    if name in SIZES:
        return SIZES[name]
    path = (BUILTIN_FOLDER if name == BUILTIN else Path(name).expanduser()) / "config.json"
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
        return ModelSize(
            int(config["hidden_size"]),
            int(config["num_hidden_layers"]),
            int(config["vocab_size"]),
            embedding=config.get("embedding_size"),
            shared=config.get("model_type") == "albert",
        )
    except (OSError, ValueError, KeyError):
        return None


@dataclass(frozen=True)
class Training:
    """A training: so many texts of a mean length (in tokens, padding included), in batches, for some epochs.

    predicts: whether tokens are predicted, as by a language model; else the whole text has one label.
    """

    texts: float
    length: float
    batch_size: int
    epochs: float = 1
    predicts: bool = True

    def cost(self, size: ModelSize, *, keeps: bool) -> Cost:
        """keeps: whether the weights stay in the cell's folder.

        Checkpoints come after every epoch and every ten minutes; scratch counts the most that there can be at once.
        """
        tokens = self.texts * self.length * self.epochs
        steps = self.epochs * max(1.0, self.texts / self.batch_size)
        forward = size.forward(tokens, self.length, tokens * _MASKED if self.predicts else 0.0)
        weights = _WEIGHT * size.parameters
        activations = (
            self.batch_size
            * self.length
            * size.layers
            * (size.width * _ACTIVATION + self.length * size.width / 64 * _KEPT_PER_QUERY)
        )
        return Cost(
            flops=3 * forward + steps * _PER_STEP * size.parameters,
            seconds=START + steps * _STEP,
            disk=weights if keeps else 0.0,
            models=weights if keeps else 0.0,
            scratch=_CHECKPOINTS * _CHECKPOINT * size.parameters,
            memory=PROCESS + _TRAINING * size.parameters + activations,
        )


def asking(size: ModelSize, texts: float, length: float, predicted: float = 1.0) -> Cost:
    """What it costs to ask a model about texts of a mean length, with so many predictions in each."""
    flops = size.forward(texts * length, length, texts * predicted)
    return Cost(flops=flops, seconds=START, memory=PROCESS + _WEIGHT * size.parameters)


def pseudo_likelihood(size: ModelSize, texts: float, length: float, squared: float) -> Cost:
    """What pseudo-log-likelihoods cost: each text is read once for each of its tokens, and that one is predicted.

    squared: the mean of the squared lengths, which is what the work grows with.
    """
    return asking(size, texts * length, squared / length)


def together(*costs: Cost) -> Cost:
    """One cost after another in the same cell: times and disk add up, the largest memory and scratch count.

    >>> together(Cost(seconds=1, memory=5), Cost(seconds=2, memory=3)) == Cost(seconds=3, memory=5)
    True
    """
    return Cost(
        flops=sum(cost.flops for cost in costs),
        seconds=sum(cost.seconds for cost in costs),
        disk=sum(cost.disk for cost in costs),
        models=sum(cost.models for cost in costs),
        scratch=max((cost.scratch for cost in costs), default=0.0),
        memory=max((cost.memory for cost in costs), default=0.0),
    )


def plain(seconds: float, disk: float = 0.0) -> Cost:
    """A cell without a model."""
    return Cost(seconds=seconds, disk=disk, memory=PROCESS)


def with_files(cost: Cost, disk: float, seconds: float = 0.0) -> Cost:
    """The same with other files that stay, and with other work."""
    return replace(cost, disk=cost.disk + disk, seconds=cost.seconds + seconds)
