"""What training language models and classifiers has in common: checkpoints, exact resume, atomic output.

Training to `OUT` works in the folder `OUT.training`, with a checkpoint after each epoch and every ten minutes. At the
end the model takes the name `OUT` and the rest is removed. After an interruption (Ctrl-C, a power cut) the same call
resumes from the last checkpoint and ends with the same weights as if it had never been interrupted (to the bit on a
CPU). Each checkpoint is a model that can be loaded.

A loss or a weight that is not finite ends training with an error, and `OUT.training` is removed: from any checkpoint
the same call would come to the same end.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoise.core.errors import ModelError, RunError
from counterpoise.models.pretrained import quiet_transformers
from counterpoise.tuning.devices import mixed_precision, training_device
from counterpoise.tuning.folders import (
    check_folders,
    finished,
    last_checkpoint,
    note_finished,
    one_line_when_full,
    working_in,
)
from counterpoise.tuning.settings import Settings

if TYPE_CHECKING:
    from counterpoise.tuning.masking import TrainingRows


class Stopped(KeyboardInterrupt):
    """Training was stopped; what the model has learnt is in `checkpoint`, and the same call resumes from there."""

    def __init__(self, checkpoint: Path, step: int, steps: int, title: str = "training") -> None:
        super().__init__(
            f"{title} was stopped after step {step} of {steps}; the same command goes on from there "
            f"(the model as it is now: {checkpoint})"
        )
        self.checkpoint = checkpoint


@dataclass(frozen=True)
class Trained:
    """A finished training.

    `folder` is the model's once it is published; until then it lies in `unpublished`.
    """

    folder: Path
    steps: int
    epochs: float  # that were trained; the best of them is kept
    best: Mapping[str, float]  # validation's figures of the model that is kept; without it, the training loss
    seconds: float  # since it was last started
    is_published: bool = False  # by an earlier call with the same arguments

    @property
    def unpublished(self) -> Path:
        """The finished model in the folder of its training: whole, but without a card."""
        return _work_folder(self.folder) / "model"

    @contextmanager
    def publishing(self) -> Iterator[Path]:
        """Gives the model its folder when the block, which adds what a reader needs (a model card), ends well."""
        work = _work_folder(self.folder)
        with one_line_when_full(work):
            yield self.unpublished
            self.unpublished.replace(self.folder)
        shutil.rmtree(work)

    @property
    def location(self) -> Path:
        """Where the model is now."""
        return self.folder if self.is_published else self.unpublished


@dataclass(frozen=True)
class Start:
    """What a training starts from: a model, its tokenizer, and rows to train and to validate on (there may be none).

    collator: makes a batch of rows.
    """

    model: Any
    tokenizer: Any
    training: Sequence[Any] | TrainingRows
    validation: Sequence[Any]
    collator: Callable[[Any], Any]


def train(
    make: Callable[[], Start],
    out: str | Path,
    settings: Settings,
    options: Mapping[str, Any],
    *,
    metrics: Callable[[Any], dict[str, float]] | None = None,
    loss: Callable[[Any, Any], Any] | None = None,
    title: str = "training",
    device: str = "auto",
    callbacks: Sequence[Any] = (),
) -> Trained:
    """Trains a model; the caller then publishes it (`Trained.publishing`) unless an earlier call did.

    make: what to start from, made after the seed is set.
    loss: of a model and a batch; the model's own if not given.
    options: whatever else decides the result; a stopped training goes on only with the same.
    title: what a progress bar calls it.
    """
    _check_accelerate()
    torch_device = training_device(device, settings.precision)
    import transformers

    from counterpoise.tuning.trainer import not_finite

    out = Path(out).expanduser()
    work = _work_folder(out)
    decisive = json.loads(json.dumps({**asdict(settings), **options}, default=str))
    if (record := finished(out, decisive)) is not None:
        shutil.rmtree(work, ignore_errors=True)  # left there by a process that was killed just then
        return Trained(out, record["steps"], record["epochs"], record["best"], 0.0, is_published=True)
    check_folders(out, work, decisive)
    began = time.monotonic()
    transformers.set_seed(settings.seed)
    start = make()
    if broken := not_finite(start.model):
        raise ModelError(
            f"weights of the base model are not finite ({broken}), so that it cannot be trained further"
        )
    with working_in(out, work, decisive):
        trainer = _trainer(start, work, settings, metrics, loss, title, torch_device)
        _run(trainer, work, title, callbacks)
        state = trainer.state
        done = Trained(
            folder=out,
            steps=state.global_step,
            epochs=state.epoch,
            best=_best(state, settings.best),
            seconds=time.monotonic() - began,
        )
        with quiet_transformers(), one_line_when_full(work):
            trainer.save_model(str(done.unpublished))
            (done.unpublished / "training_args.bin").unlink(missing_ok=True)  # a pickle that nobody needs
            figures = {"steps": done.steps, "epochs": done.epochs, "best": dict(done.best)}
            note_finished(done.unpublished, decisive, figures)
    return done


def _run(trainer: Any, work: Path, title: str, callbacks: Sequence[Any]) -> None:
    """Trains from the last checkpoint on; raises `Stopped` if it is stopped before the end."""
    from counterpoise.tuning.callbacks import PeriodicCheckpoint, ShowProgress
    from counterpoise.tuning.trainer import Diverged

    bar = ShowProgress(title)
    for callback in (bar, PeriodicCheckpoint(), *callbacks):
        trainer.add_callback(callback)
    try:
        with (
            closing(bar),
            _stop_after_step(trainer) as was_stopped,
            quiet_transformers(),
            one_line_when_full(work),
        ):
            trainer.train(resume_from_checkpoint=last_checkpoint(work))
            trainer.check_weights()
    except Diverged:
        shutil.rmtree(work)  # from its checkpoints the same call would come to the same end
        raise
    if was_stopped():
        state = trainer.state
        raise Stopped(work / f"checkpoint-{state.global_step}", state.global_step, state.max_steps, title)


def _work_folder(out: Path) -> Path:
    if not out.name:  # the folder where one is, or the root
        raise RunError(f"{out} is there already; give the trained model a name of its own")
    return out.with_name(f"{out.name}.training")


def _check_accelerate() -> None:
    if importlib.util.find_spec("accelerate") is None:
        raise ModelError("training needs the package accelerate: pip install 'counterpoise[train]'")


def _trainer(
    start: Start,
    work: Path,
    settings: Settings,
    metrics: Callable[[Any], dict[str, float]] | None,
    loss: Callable[[Any, Any], Any] | None,
    title: str,
    device: Any,
) -> Any:
    import transformers

    from counterpoise.tuning.trainer import Trainer

    steps = -(-len(start.training) // settings.batch_size) * settings.epochs
    precision = mixed_precision(settings.precision, device)
    when = "epoch" if start.validation else "no"
    arguments = transformers.TrainingArguments(
        output_dir=str(work),
        learning_rate=settings.learning_rate,
        per_device_train_batch_size=settings.batch_size,
        per_device_eval_batch_size=2 * settings.batch_size,
        num_train_epochs=settings.epochs,
        weight_decay=settings.weight_decay,
        adam_beta1=0.9,
        adam_beta2=0.999,
        adam_epsilon=1e-8,
        max_grad_norm=1.0,
        lr_scheduler_type="linear",
        warmup_steps=round(settings.warmup * steps),
        seed=settings.seed,
        eval_strategy=when,
        save_strategy="epoch",
        save_total_limit=2,  # the best and the last
        load_best_model_at_end=bool(start.validation),
        metric_for_best_model=f"eval_{settings.best}" if start.validation else None,
        greater_is_better=settings.best == "accuracy" if start.validation else None,
        logging_strategy="epoch",
        logging_nan_inf_filter=False,  # it would replace a loss that is not finite by the mean of those before
        remove_unused_columns=False,  # the collators pass what the model takes
        report_to="none",
        disable_tqdm=True,
        use_cpu=device.type == "cpu",
        fp16=precision == "fp16",
        bf16=precision == "bf16",
    )
    arguments._n_gpu = min(1, arguments.n_gpu)  # several GPUs would multiply the size of a batch
    trainer = Trainer(
        title=title,
        loss=loss,
        model=start.model,
        args=arguments,
        train_dataset=start.training,
        eval_dataset=start.validation or None,
        data_collator=start.collator,
        processing_class=start.tokenizer,
        compute_metrics=metrics,
    )
    trainer.remove_callback(transformers.PrinterCallback)
    if settings.patience is not None:
        trainer.add_callback(transformers.EarlyStoppingCallback(early_stopping_patience=settings.patience))
    return trainer


@contextmanager
def _stop_after_step(trainer: Any) -> Iterator[Callable[[], bool]]:
    """Ctrl-C ends training after the current step, with a checkpoint; a second Ctrl-C ends it at once."""
    from counterpoise.tuning.callbacks import StopOnRequest

    stop = StopOnRequest()
    trainer.add_callback(stop)
    if threading.current_thread() is not threading.main_thread():  # only the main thread gets signals
        yield lambda: False
        return
    before = signal.getsignal(signal.SIGINT)

    def request(number: int, frame: Any) -> None:
        stop.requested = True
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, request)
    try:
        yield lambda: stop.stopped
    finally:
        signal.signal(signal.SIGINT, before)


def _best(state: Any, best: str) -> dict[str, float]:
    """The validation figures of the best model; without validation, the last training loss."""
    evaluations = [entry for entry in state.log_history if "eval_loss" in entry]
    if not evaluations:
        return {"loss": float([entry for entry in state.log_history if "loss" in entry][-1]["loss"])}
    if best == "loss":
        chosen = min(evaluations, key=lambda entry: entry["eval_loss"])
    else:
        chosen = max(evaluations, key=lambda entry: entry["eval_accuracy"])
    figures = ("loss", "accuracy", "epoch")
    return {name: float(chosen[key]) for name in figures for key in (name, f"eval_{name}") if key in chosen}
