"""Bias curves for transformers' Trainer."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import transformers

from counterpoise.core.errors import CounterpoiseError, InputError, in_one_line
from counterpoise.core.notices import notice
from counterpoise.data.spec import Variant
from counterpoise.integrations.training.cost import MOST, MeasuringCost
from counterpoise.integrations.training.history import History, to_log
from counterpoise.integrations.training.measuring import LIMIT, Measuring, Rows
from counterpoise.integrations.training.undisturbed import wait_for

_WHOLE = 1e-6  # an epoch that is this close to a whole number has ended


class BiasCallback(transformers.TrainerCallback):  # type: ignore[misc]
    """Measures the bias of a model before, amid and after its training, and logs it beside the loss.

    The Trainer logs each row of a measure as `bias/MEASURE.KEY`, with `_ci_low` and `_ci_high`, to wherever it logs the
    loss. The weights are asked where they are, and the training is the same to the bit as without the callback. An
    error costs a warning and one point of the curve, never the training. If measuring takes more than a twentieth of
    the training time, one warning says how much, and what to change. Of several processes, the first measures.

    Parameters
    ----------
    measures
        Names of measures; if not given ppd and sld for language models, seat for encoders, eec_sentiment for
        classifiers.
    every
        "epoch", or a number of steps; then also at the last step.
    limit
        Items of each measure, a balanced sample that `seed` draws: the same at every point. None takes all. Association
        tests (seat) always take all their words.
    out
        A file (.csv or .jsonl) for the curve. It is whole after each point, and a resumed training goes on with it.
    rows
        "overall", or "all" for those of groups and single words too.
    tokenizer
        The tokenizer of the model, if the Trainer does not have it as its `processing_class`.
    positive
        Of a classifier, the positive label.
    data, variant, settings, files
        As `counterpoise.audit` takes them.

    `history` is the curve as a DataFrame: step, epoch, measure, key, value, ci_low, ci_high, n.
    """

    def __init__(
        self,
        measures: str | Sequence[str] | None = None,
        *,
        every: int | Literal["epoch"] = "epoch",
        limit: int | None = LIMIT,
        seed: int = 0,
        out: str | Path | None = None,
        rows: Rows = "overall",
        tokenizer: Any = None,
        positive: str | None = None,
        variant: Variant = "corrected",
        data: str | Path | None = None,
        settings: Mapping[str, Any] | None = None,
        **files: Any,
    ) -> None:
        if every != "epoch" and (not isinstance(every, int) or every < 1):
            raise InputError(f"every must be 'epoch' or a number of steps, not {every!r}")
        self.every = every
        self.measuring = Measuring.of(
            measures,
            limit=limit,
            seed=seed,
            rows=rows,
            positive=positive,
            variant=variant,
            data=data,
            settings=settings,
            files=files,
        )
        self._tokenizer = tokenizer
        self._history = History(out)
        self._cost = MeasuringCost(0, 1)
        self._warned: set[str] = set()

    @property
    def history(self) -> pd.DataFrame:
        """The curve: step, epoch, measure, key, value, ci_low, ci_high, n."""
        return self._history.frame

    # What the Trainer calls

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        self._cost = MeasuringCost(state.global_step, state.max_steps)
        self._warned.clear()
        if not state.is_world_process_zero:
            return
        with self._never_stopping("what was measured before cannot be gone on with"):
            self._history.begin(state.global_step, state.log_history)
        if not self._history.steps or self._is_due(state):
            self._measure(state, control, given)

    def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        is_last = state.global_step >= state.max_steps or control.should_training_stop
        if self.every != "epoch" and (is_last or self._is_due(state)):
            self._measure(state, control, given)

    def on_epoch_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        if self.every == "epoch":
            self._measure(state, control, given)

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._check_cost(state.global_step)

    # What they do

    def _is_due(self, state: Any) -> bool:
        """Whether a point of the curve belongs to this step."""
        if self.every == "epoch":
            epoch = state.epoch or 0.0
            return bool(abs(epoch - round(epoch)) < _WHOLE)
        return bool(state.global_step % self.every == 0)

    def _measure(self, state: Any, control: Any, given: Mapping[str, Any]) -> None:
        step = state.global_step
        if not state.is_world_process_zero or step in self._history.steps:
            return
        with self._never_stopping(f"the bias at step {step} was not measured"):
            wait_for(given["model"])
            with self._cost.counting(step):
                table = self.measuring.table(given["model"], self._tokenizer or given.get("processing_class"))
            self._history.add(step, state.epoch, table)
            with self._never_stopping(f"the bias at step {step} was not logged"):
                self._log(state, control, to_log(table))
            self._history.save()
        self._check_cost(step)

    def _log(self, state: Any, control: Any, logs: dict[str, float]) -> None:
        trainer = _calling_trainer()
        if trainer is not None:
            is_loss_due = control.should_log
            try:
                trainer.log(logs)
            finally:
                control.should_log = is_loss_due  # which the Trainer takes back once anything is logged
            return
        state.log_history.append({**logs, "epoch": state.epoch, "step": state.global_step})
        self._warn("no Trainer was found to log the bias with, so that trackers do not show it; see history")

    def _check_cost(self, step: int) -> None:
        share = self._cost.share(step)
        if share <= MOST or "cost" in self._warned:
            return
        self._warned.add("cost")
        changes = [f"measure less often (every={self.every!r})"]
        changes.append(f"take fewer items (limit={self.measuring.limit})")
        notice(
            f"measuring the bias takes {share:.0%} of the training time, more than {MOST:.0%}: {' or '.join(changes)}, "
            "or choose fewer measures"
        )

    @contextmanager
    def _never_stopping(self, what: str) -> Iterator[None]:
        """An error in the block becomes a warning, once for each reason."""
        try:
            yield
        except Exception as error:  # whatever it is, the training is worth more
            reason = str(error) if isinstance(error, CounterpoiseError) else in_one_line(error)
            if reason not in self._warned:
                self._warned.add(reason)
                notice(f"{what}, and training goes on: {reason}")

    def _warn(self, message: str) -> None:
        if message not in self._warned:
            self._warned.add(message)
            notice(message)


def _calling_trainer() -> Any:
    """The Trainer that is calling: it tells its callbacks everything but itself, and only it reaches its trackers."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if isinstance(caller := frame.f_locals.get("self"), transformers.Trainer):
            return caller
    return None
