"""How much of a training's time goes into measuring."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

MOST = 0.05  # of the training time


class MeasuringCost:
    """The time spent on measuring, beside the time that the training took without it."""

    def __init__(self, step: int, last_step: int) -> None:
        self._began = time.perf_counter()
        self._first_step, self._last_step = step, last_step
        self.before_training = self.amid_training = 0.0

    @contextmanager
    def counting(self, step: int) -> Iterator[None]:
        """Counts the block as measuring at this step."""
        began = time.perf_counter()
        try:
            yield
        finally:
            seconds = time.perf_counter() - began
            if step == self._first_step:
                self.before_training += seconds
            else:
                self.amid_training += seconds

    @property
    def seconds(self) -> float:
        return self.before_training + self.amid_training

    def share(self, step: int) -> float:
        """The time spent on measuring as a part of the rest, as it will be at the end if all goes on as up to a step.

        What was measured before the first step is spread over all steps.
        """
        trained = time.perf_counter() - self._began - self.seconds
        done = (step - self._first_step) / max(1, self._last_step - self._first_step)
        if trained <= 0 or done <= 0:
            return 0.0
        return (self.before_training * min(1.0, done) + self.amid_training) / trained
