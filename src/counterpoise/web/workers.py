"""Models that answer probes: each has a thread of its own, is loaded once, and answers what waits for it together.

The first probe waits a few milliseconds for others; all that have come by then go through the model in one call. A
probe whose asker has gone is left out. Nothing else touches a model, since tokenizers may not be shared by threads.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from counterpoise.core.errors import CounterpoiseError, InputError, ModelError, unknown
from counterpoise.web.limits import Limits
from counterpoise.web.probing import LanguageModel, Probe, Wanted, probe_all

Loader = Callable[[], LanguageModel]


class Busy(CounterpoiseError):
    """More is waiting than the server takes."""


@dataclass(frozen=True)
class _Asked:
    wanted: Wanted
    answer: Future[Probe] = field(default_factory=Future)


class Worker:
    """A thread that loads a model and answers probes with it until it is stopped."""

    def __init__(self, load: Loader, limits: Limits) -> None:
        self.last_used = time.monotonic()
        self._load = load
        self._limits = limits
        self._waiting: queue.Queue[_Asked | None] = queue.Queue()
        self._end: Exception | None = None
        self._lock = threading.Lock()  # nobody begins to wait while those who wait are told of the end
        threading.Thread(target=self._work, daemon=True).start()

    @property
    def is_working(self) -> bool:
        return self._end is None

    def ask(self, wanted: Wanted) -> Future[Probe]:
        self.last_used = time.monotonic()
        asked = _Asked(wanted)
        with self._lock:
            if self._end is not None:
                raise self._end
            if self._waiting.qsize() >= self._limits.waiting:
                raise Busy("too many probes are waiting; try again in a moment")
            self._waiting.put(asked)
        return asked.answer

    def stop(self) -> None:
        self._waiting.put(None)

    def _work(self) -> None:
        try:
            _leave_a_core()
            model = self._load()
        except Exception as error:  # whatever a model can set off; the next probe tries again
            self._refuse(error)
            return
        while batch := self._gather():
            alive = [one for one in batch if one.answer.set_running_or_notify_cancel()]
            if alive:
                _answer(model, alive)
        self._refuse(Busy("the model was put away; try again"))

    def _gather(self) -> list[_Asked]:
        """What has come until a moment after the first; nothing at the end of work."""
        first = self._waiting.get()
        if first is None:
            return []
        batch, until = [first], time.monotonic() + self._limits.gather
        while len(batch) < self._limits.together:
            try:
                one = self._waiting.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                break
            if one is None:
                self._waiting.put(None)  # for the next round
                break
            batch.append(one)
        return batch

    def _refuse(self, error: Exception) -> None:
        """Ends the work and tells everyone who waits."""
        with self._lock:
            self._end = error
        while not self._waiting.empty():
            one = self._waiting.get()
            if one is not None and one.answer.set_running_or_notify_cancel():
                one.answer.set_exception(error)


def _leave_a_core() -> None:
    """One core answers requests; torch's threads wait for each other spinning, and slow down greatly if one is held up.

    Who sets OMP_NUM_THREADS has decided otherwise.
    """
    import torch

    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(max(1, min(torch.get_num_threads(), (os.cpu_count() or 1) - 1)))


def _answer(model: LanguageModel, asked: Sequence[_Asked]) -> None:
    try:
        found = probe_all(model, [one.wanted for one in asked])
    except Exception as error:
        if len(asked) > 1:  # one of them is to blame, and the others have a right to an answer
            for one in asked:
                _answer(model, [one])
        else:
            asked[0].answer.set_exception(error)
        return
    for one, answer in zip(asked, found, strict=True):
        if isinstance(answer, InputError):
            one.answer.set_exception(answer)
        else:
            one.answer.set_result(answer)


class Models:
    """The models that may be asked, by name; at most a few are in memory."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._workers: dict[str, Worker] = {}
        self._lock = threading.Lock()

    def ask(self, name: str, allowed: dict[str, Loader], wanted: Wanted) -> Future[Probe]:
        """A promise of a probe; a name that is not allowed is refused before anything is loaded."""
        if name not in allowed:
            raise unknown("model to probe", name, allowed)
        with self._lock:
            worker = self._workers.get(name)
            if worker is None or not worker.is_working:
                self._make_room()
                worker = self._workers[name] = Worker(allowed[name], self._limits)
            return worker.ask(wanted)

    def close(self) -> None:
        with self._lock:
            for worker in self._workers.values():
                worker.stop()
            self._workers.clear()

    def _make_room(self) -> None:
        self._workers = {name: worker for name, worker in self._workers.items() if worker.is_working}
        while len(self._workers) >= self._limits.loaded:
            oldest = min(self._workers, key=lambda name: self._workers[name].last_used)
            self._workers.pop(oldest).stop()


def language_model(name: str, device: str = "auto", offline: bool = True) -> LanguageModel:
    """Loads a model that can be probed; never one that would run code of its own.

    >>> language_model("builtin")
    <MaskedLM 'builtin' on cpu, float32>
    """
    from counterpoise.models import CausalLM, MaskedLM
    from counterpoise.models.loading import load

    model = load(name, device=device, offline=offline)
    if not isinstance(model, MaskedLM | CausalLM):
        raise ModelError(
            f"{name} is no masked or causal language model, so sentences cannot be probed with it"
        )
    return model
