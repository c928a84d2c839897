"""What happens between training steps: progress, checkpoints, and stopping on request."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any

from transformers import TrainerCallback

from counterpoise.core.progress import progress


class ShowProgress(TrainerCallback):  # type: ignore[misc]
    """Shows a progress bar of training steps."""

    def __init__(self, title: str = "training") -> None:
        self._title = title
        self._open = ExitStack()

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._advance = self._open.enter_context(progress(self._title, total=state.max_steps, unit="steps"))
        self._advance(state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._advance(1)

    def close(self) -> None:
        self._open.close()


class PeriodicCheckpoint(TrainerCallback):  # type: ignore[misc]
    """Saves a checkpoint every ten minutes, so that a crash in a long epoch loses no more than that."""

    seconds = 600.0

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._saved = time.monotonic()

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if time.monotonic() - self._saved >= self.seconds and state.global_step < state.max_steps:
            control.should_save = True

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._saved = time.monotonic()


class StopOnRequest(TrainerCallback):  # type: ignore[misc]
    """Ends training after the current step, with a checkpoint, once requested; never after the last step."""

    def __init__(self) -> None:
        self.requested = self.stopped = False

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self.requested and state.global_step < state.max_steps:
            control.should_save = control.should_training_stop = self.stopped = True

    def on_epoch_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self.stopped:  # mid-epoch: what is done after a whole epoch would change what comes later
            control.should_log = control.should_evaluate = control.should_save = False
