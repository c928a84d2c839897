"""transformers' Trainer with our order of texts, our losses, and an end where numbers are no longer finite."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers

from counterpoise.core.checked_files import write_checksums
from counterpoise.core.errors import ModelError
from counterpoise.tuning.masking import TrainingRows
from counterpoise.tuning.sampling import SimilarLengths, WithEpoch


class Diverged(ModelError):
    """A loss or a weight is no longer a finite number, so that there is nothing to train further or to keep."""


class Trainer(transformers.Trainer):  # type: ignore[misc]
    """A Trainer that never saves weights that are not finite.

    title: what the training is called.
    loss: of a model and a batch; the model's own if not given.
    """

    def __init__(self, *, title: str, loss: Callable[[Any, Any], Any] | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._title = title
        self._loss = loss

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        rows: Sequence[Any] | TrainingRows = self.train_dataset
        size, seed = self.args.per_device_train_batch_size, self.args.seed
        if isinstance(rows, TrainingRows):
            return WithEpoch(rows.lengths, size, seed)
        return SimilarLengths([len(row["input_ids"]) for row in rows], size, seed)

    def compute_loss(self, model: Any, inputs: Any, *rest: Any, **options: Any) -> Any:
        if self._loss is None:
            return super().compute_loss(model, inputs, *rest, **options)
        # Accelerate sets up mixed precision for the whole model, but the loss may call a part of it.
        with self.accelerator.autocast():
            return self._loss(self.accelerator.unwrap_model(model), inputs)

    def training_step(self, *arguments: Any, **options: Any) -> Any:
        loss = super().training_step(*arguments, **options)
        if not torch.isfinite(loss):
            raise self._diverged(self.state.global_step + 1, f"the loss is {loss.item()}")
        return loss

    def evaluate(self, *arguments: Any, **options: Any) -> Any:
        figures = super().evaluate(*arguments, **options)
        if not math.isfinite(figures["eval_loss"]):
            raise self._diverged(self.state.global_step, f"the loss in validation is {figures['eval_loss']}")
        return figures

    def _save_checkpoint(self, *arguments: Any, **options: Any) -> None:
        self.check_weights()
        super()._save_checkpoint(*arguments, **options)
        write_checksums(Path(self.args.output_dir) / f"checkpoint-{self.state.global_step}")

    def check_weights(self) -> None:
        """Raises an error if a weight is not finite."""
        if name := not_finite(self.model):
            raise self._diverged(self.state.global_step, f"weights of {name} are not finite")

    def _diverged(self, step: int, reason: str) -> Diverged:
        less = f"a learning rate below {self.args.learning_rate:g}"
        if self.args.fp16 or self.args.bf16:
            less += ", or the precision float32"
        return Diverged(
            f"{self._title} failed at step {step} of {self.state.max_steps}: {reason}; no model is kept, try {less}"
        )


def not_finite(model: Any) -> str | None:
    """The name of the first parameter with a value that is not finite, or None."""
    parameters = model.named_parameters()
    return next((name for name, weights in parameters if not torch.isfinite(weights).all()), None)
