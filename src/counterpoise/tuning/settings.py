"""How a model is trained: the settings that language models and classifiers have in common."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal, get_args

from counterpoise.core.errors import InputError, unknown

Precision = Literal["auto", "float32", "bf16", "fp16"]
Best = Literal["loss", "accuracy"]
SHORTEST = 3  # tokens: two special ones and one of the text
MOST = 1_000_000  # epochs, texts in a batch, tokens
LARGEST_SEED = 2**32 - 1  # of numpy's generators, which transformers seeds too


@dataclass(frozen=True)
class Settings:
    """The settings of a training run.

    epochs: the maximum; training ends earlier after `patience` epochs in a row without improvement in validation
    (None: never).
    best: which epoch's model to keep: the one with the lowest loss or the highest accuracy in validation. With the
    former, ratings are less extreme.
    warmup: the share of steps in which the learning rate rises; it then falls linearly to zero.
    max_length: the most tokens to read of a text, special tokens included; fewer if the model takes fewer.
    validation: the share of texts that are held out, drawn with the seed, the same share of each label; with 0
    (language models) nothing is held out and the last epoch's model is kept.
    precision: "auto" is bf16 on an NVIDIA GPU that supports it, fp16 on other NVIDIA GPUs, and float32 elsewhere.
    """

    learning_rate: float = 5e-5
    batch_size: int = 32
    epochs: int = 4
    patience: int | None = 1
    best: Best = "loss"
    warmup: float = 0.06
    weight_decay: float = 0.01
    max_length: int = 512
    validation: float = 0.1
    precision: Precision = "auto"
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("learning_rate", "warmup", "weight_decay", "validation"):
            if not _is_number(getattr(self, name)):
                raise InputError(f"{name} must be a number, not {getattr(self, name)!r}")
        if not 0 < self.learning_rate <= 1:
            raise InputError(f"learning_rate must be above 0 and at most 1, not {self.learning_rate}")
        for name in ("warmup", "weight_decay"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name} must be between 0 and 1, not {getattr(self, name)}")
        if not 0 <= self.validation < 1:
            raise InputError(f"validation must be a share between 0 and 1, not {self.validation}")
        self._check_whole_numbers()
        if self.validation == 0 and self.patience is not None:
            raise InputError("patience needs validation: without it nobody knows which epoch is better")
        for name, options in (("precision", get_args(Precision)), ("best", get_args(Best))):
            if getattr(self, name) not in options:
                raise unknown(f"{name} of a training", getattr(self, name), options)

    def _check_whole_numbers(self) -> None:
        fewest = {"batch_size": 1, "epochs": 1, "patience": 1, "max_length": SHORTEST, "seed": 0}
        for name, least in fewest.items():
            value = getattr(self, name)
            if name == "patience" and value is None:
                continue
            if not _is_number(value) or value != int(value):
                raise InputError(f"{name} must be a whole number, not {value!r}")
            if value < least:
                bound = "above 0" if least == 1 else f"{least} or more"
                raise InputError(f"{name} must be {bound}, not {value}")
            if name != "seed" and value > MOST:
                raise InputError(f"{name} must be at most {MOST:,}, not {value}")
        if self.seed > LARGEST_SEED:
            raise InputError(f"seed must be below 2^32, not {self.seed}")


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    return isinstance(value, Integral) or math.isfinite(value)
