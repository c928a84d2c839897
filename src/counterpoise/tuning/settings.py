"""How a model is trained: the settings that language models and classifiers have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from counterpoise.core.errors import InputError, unknown

Precision = Literal["auto", "float32", "bf16", "fp16"]
Best = Literal["loss", "accuracy"]


@dataclass(frozen=True)
class Settings:
    """The settings of a training run.

    epochs: the maximum; training ends earlier after `patience` epochs in a row without improvement in validation
    (None: never).
    best: which epoch's model to keep: the one with the lowest loss or the highest accuracy in validation. With the
    former, ratings are less extreme.
    warmup: the share of steps in which the learning rate rises; it then falls linearly to zero.
    validation: the share of texts that are held out, drawn with the seed, the same share of each label; with 0
    (language models) nothing is held out and the last epoch's model is kept.
    precision: "auto" is bf16 on a GPU that supports it, fp16 on other GPUs, and float32 on a CPU.
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
        for name in ("learning_rate", "batch_size", "epochs"):
            if getattr(self, name) <= 0:
                raise InputError(f"{name} must be above 0, not {getattr(self, name)}")
        if not 0 <= self.validation < 1:
            raise InputError(f"validation is a share between 0 and 1, not {self.validation}")
        if self.validation == 0 and self.patience is not None:
            raise InputError("patience needs validation: without it nobody knows which epoch is better")
        for name, options in (("precision", get_args(Precision)), ("best", get_args(Best))):
            if getattr(self, name) not in options:
                raise unknown(f"{name} of a training", getattr(self, name), options)
