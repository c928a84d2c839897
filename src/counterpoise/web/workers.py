"""Models that answer probes: each has a thread of its own, is loaded once, and answers waiting probes together.

The first probe waits a few milliseconds for others; all that have come by then go through the model in one call.
Probes that were cancelled are left out. Nothing else touches a model, since tokenizers may not be shared by threads.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from counterpoise.core.errors import CounterpoiseError, InputError, ModelError, unknown
from counterpoise.web.claimed_size import check_claimed_size
from counterpoise.web.limits import Limits
from counterpoise.web.probing import Probe, ProbedModel, ProbeInput, probe_all

Loader = Callable[[], ProbedModel]


class Busy(CounterpoiseError):
    """More requests are waiting than the server takes."""


@dataclass(frozen=True)
class _PendingProbe:
    input: ProbeInput
    answer: Future[Probe] = field(default_factory=Future)


class Worker:
    """A thread that loads a model and answers probes with it until it is stopped."""

    def __init__(self, load: Loader, limits: Limits) -> None:
        self.last_used = time.monotonic()
        self._load = load
        self._limits = limits
        self._queue: queue.Queue[_PendingProbe | None] = queue.Queue()  # None: stop
        self._end: Exception | None = None
        self._lock = threading.Lock()  # no probe is queued while those in the queue are refused
        threading.Thread(target=self._work, daemon=True).start()

    @property
    def is_working(self) -> bool:
        return self._end is None

    def ask(self, probe_input: ProbeInput) -> Future[Probe]:
        self.last_used = time.monotonic()
        pending = _PendingProbe(probe_input)
        with self._lock:
            if self._end is not None:
                raise self._end
            if self._queue.qsize() >= self._limits.waiting:
                raise Busy("too many probes are waiting; try again in a moment")
            self._queue.put(pending)
        return pending.answer

    def stop(self) -> None:
        self._queue.put(None)

    def _work(self) -> None:
        try:
            _leave_a_core()
            model = self._load()
        except Exception as error:  # whatever loading a model can raise; the next probe tries again
            self._refuse_all(error)
            return
        while batch := self._gather():
            alive = [pending for pending in batch if pending.answer.set_running_or_notify_cancel()]
            if alive:
                _answer(model, alive)
        self._refuse_all(Busy("the model was put away; try again"))

    def _gather(self) -> list[_PendingProbe]:
        """The first probe and all that come within a moment after it; none when the worker is to stop."""
        first = self._queue.get()
        if first is None:
            return []
        batch, until = [first], time.monotonic() + self._limits.gather
        while len(batch) < self._limits.together:
            try:
                pending = self._queue.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                break
            if pending is None:
                self._queue.put(None)  # for the next round
                break
            batch.append(pending)
        return batch

    def _refuse_all(self, error: Exception) -> None:
        """Ends the work; every waiting probe gets the error."""
        with self._lock:
            self._end = error
        while not self._queue.empty():
            pending = self._queue.get()
            if pending is not None and pending.answer.set_running_or_notify_cancel():
                pending.answer.set_exception(error)


def _leave_a_core() -> None:
    """Leaves one core to answer requests: torch's threads spin while they wait, and slow down badly if one is held up.

    An OMP_NUM_THREADS in the environment takes precedence.
    """
    import torch

    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(max(1, min(torch.get_num_threads(), (os.cpu_count() or 1) - 1)))


def _answer(model: ProbedModel, batch: Sequence[_PendingProbe]) -> None:
    try:
        answers = probe_all(model, [pending.input for pending in batch])
    except Exception as error:
        if len(batch) > 1:  # one of them is to blame; the others still get their answer
            for pending in batch:
                _answer(model, [pending])
        else:
            batch[0].answer.set_exception(error)
        return
    for pending, answer in zip(batch, answers, strict=True):
        if isinstance(answer, InputError):
            pending.answer.set_exception(answer)
        else:
            pending.answer.set_result(answer)


class WorkerPool:
    """The workers of models, by name; only a few models are in memory at a time."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._workers: dict[str, Worker] = {}
        self._lock = threading.Lock()

    def ask(self, name: str, allowed: dict[str, Loader], probe_input: ProbeInput) -> Future[Probe]:
        """The future of a probe; a model that is not allowed is refused before anything is loaded."""
        if name not in allowed:
            raise unknown("model to probe", name, allowed)
        with self._lock:
            worker = self._workers.get(name)
            if worker is None or not worker.is_working:
                self._make_room()
                worker = self._workers[name] = Worker(allowed[name], self._limits)
            return worker.ask(probe_input)

    def close(self) -> None:
        with self._lock:
            for worker in self._workers.values():
                worker.stop()
            self._workers.clear()

    def _make_room(self) -> None:
        # Not a cachetools.LRUCache, which would put a working model away before a worker that has ended.
        self._workers = {name: worker for name, worker in self._workers.items() if worker.is_working}
        while len(self._workers) >= self._limits.loaded:
            oldest = min(self._workers, key=lambda name: self._workers[name].last_used)
            self._workers.pop(oldest).stop()


def load_to_probe(
    name: str,
    device: str = "auto",
    offline: bool = True,
    with_functions: bool = False,
    further: Mapping[str, Any] | None = None,
) -> ProbedModel:
    """Loads a model that can be probed; never one that would run code of its own.

    `with_functions` also takes `module:function`, whose module is imported: only for names that the user gave.
    `further` are other options of `counterpoise.load`.

    >>> load_to_probe("builtin")
    <MaskedLM 'builtin' on cpu, float32>
    """
    from counterpoise.models import CausalLM, Classifier, MaskedLM
    from counterpoise.models.function_classifier import FunctionClassifier
    from counterpoise.models.loading import load
    from counterpoise.models.named_functions import import_function, is_function_name

    if with_functions and is_function_name(name):
        return Classifier.of(import_function(name), name=name)
    check_claimed_size(name)
    model = load(name, device=device, offline=offline, **(further or {}))
    if not isinstance(model, MaskedLM | CausalLM | Classifier | FunctionClassifier):
        raise ModelError(
            f"{name} is neither a language model nor a classifier, so sentences cannot be probed with it"
        )
    return model
