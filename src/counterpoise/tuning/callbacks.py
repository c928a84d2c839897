"""What happens between the steps of a training: progress is shown, and a wish to stop is heard."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any

from transformers import TrainerCallback

from counterpoise.core.progress import progress


class ShowProgress(TrainerCallback):  # type: ignore[misc]
    """A bar of steps."""

    def __init__(self, title: str = "training") -> None:
        self._title = title
        self._open = ExitStack()

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._advance = self._open.enter_context(progress(self._title, total=state.max_steps, unit="steps"))
        self._advance(state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._advance(1)

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._open.close()


class SaveNowAndThen(TrainerCallback):  # type: ignore[misc]
    """A checkpoint every ten minutes, so that a crash in a long epoch loses no more."""

    seconds = 600.0

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._saved = time.monotonic()

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if time.monotonic() - self._saved >= self.seconds and state.global_step < state.max_steps:
            control.should_save = True

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._saved = time.monotonic()


class StopOnRequest(TrainerCallback):  # type: ignore[misc]
    """Ends the training after a step, with a checkpoint, when that is wanted; not after the last one."""

    def __init__(self) -> None:
        self.wanted = self.stopped = False

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self.wanted and state.global_step < state.max_steps:
            control.should_save = control.should_training_stop = self.stopped = True

    def on_epoch_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if (
            self.stopped
        ):  # the epoch is not over: what is done after a whole one would change what comes later
            control.should_log = control.should_evaluate = control.should_save = False
