"""Cells in processes on this machine, as many at once as it has cores.

Every worker is a fresh Python (worker.py), never a fork: torch and its threads do not survive one. A worker that dies
(out of memory, killed) is replaced and its cell begun again, a few times; workers end when the runner does, however
that ends.
"""

from __future__ import annotations

import contextlib
import math
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType

from counterpoise.core.errors import InputError
from counterpoise.core.spread import ATTEMPTS
from counterpoise.studies.engine.execution import Outcome, Task, keep_reason


@dataclass(eq=False)
class _Worker:
    process: subprocess.Popen[bytes]
    gpu: str | None
    task: Task | None = None
    slots: int = 0


class LocalEngine:
    """`workers` processes; each cell has as many threads as its step asks for, or its share of the cores if more."""

    def __init__(self, workers: int | None = None, gpus: Sequence[str] = ()) -> None:
        cores = available_cores()
        if workers is not None and workers < 1:
            raise InputError(f"{workers} workers cannot do anything; give 1 or more")
        self.workers = workers or cores
        self._threads = max(1, cores // self.workers)
        self._gpus = tuple(gpus)
        self._pool: list[_Worker] = []
        self._waiting: deque[Task] = deque()
        self._ended: queue.SimpleQueue[tuple[_Worker, Outcome | None]] = queue.SimpleQueue()
        self._deaths: Counter[str] = Counter()

    def __enter__(self) -> LocalEngine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._pool:
            _end(worker.process)
        for worker in self._pool:
            worker.process.wait()
        self._pool.clear()

    def submit(self, task: Task) -> None:
        if task.gpus > 1 and self._gpus:
            raise InputError(
                f"{task.step} asks for {task.gpus:g} GPUs; here a cell has at most one: use --engine ray"
            )
        if task.needs:  # what is begun is ended first, so that weights may be dropped early
            self._waiting.appendleft(task)
        else:
            self._waiting.append(task)
        self._assign()

    def running(self) -> int:
        return sum(worker.task is not None for worker in self._pool)

    def wait(self, seconds: float) -> list[Outcome]:
        try:
            worker, outcome = self._ended.get(timeout=seconds)
        except queue.Empty:
            return []
        task, worker.task, worker.slots = worker.task, None, 0
        if outcome is None:
            self._pool.remove(worker)
            if task is not None:
                outcome = self._after_death(worker, task)
        if outcome is None or outcome.state != "disk full":  # then no further cell is begun in vain
            self._assign()
        return [outcome] if outcome else []

    def _after_death(self, worker: _Worker, task: Task) -> Outcome | None:
        self._deaths[task.key] += 1
        if self._deaths[task.key] < ATTEMPTS:
            self._waiting.appendleft(task)
            return None
        reason = f"its worker died {ATTEMPTS} times, at last with {_ending(worker.process.returncode)}"
        outcome = Outcome(task.key, "failed", reason)
        keep_reason(task, outcome, reason + "\n")
        return outcome

    def _assign(self) -> None:
        """Hands out what waits, in order. A cell that waits for cores holds up the others, lest it wait for ever; one
        that waits for a GPU does not."""
        for task in list(self._waiting):
            slots = min(self.workers, math.ceil(task.cpus / self._threads))
            if sum(worker.slots for worker in self._pool) + slots > self.workers:
                return
            if worker := self._free_worker(task):
                self._waiting.remove(task)
                worker.task, worker.slots = task, slots
                self._send(worker, task, slots * self._threads)

    def _send(self, worker: _Worker, task: Task, threads: int) -> None:
        assert worker.process.stdin is not None
        with contextlib.suppress(OSError):  # it has just died: its listener will say so
            pickle.dump((task, threads), worker.process.stdin)
            worker.process.stdin.flush()

    def _free_worker(self, task: Task) -> _Worker | None:
        def has_room(worker: _Worker) -> bool:
            return worker.task is None and (not task.gpus or self._load(worker.gpu) + task.gpus <= 1)

        free = next(filter(has_room, self._pool), None)
        if free is None and len(self._pool) < self.workers:
            free = self._start_worker()
        return free if free and has_room(free) else None

    def _load(self, gpu: str | None) -> float:
        """How much of a GPU is taken; where there are none, cells run without."""
        if gpu is None:
            return -math.inf
        return sum(worker.task.gpus for worker in self._pool if worker.task and worker.gpu == gpu)

    def _start_worker(self) -> _Worker:
        used = Counter(worker.gpu for worker in self._pool)
        gpu = min(self._gpus, key=lambda gpu: used[gpu]) if self._gpus else None
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "OMP_NUM_THREADS": str(self._threads),
        }
        if gpu is not None:
            environment["CUDA_VISIBLE_DEVICES"] = gpu
        process = subprocess.Popen(
            [sys.executable, "-m", "counterpoise.studies.engine.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,  # Ctrl-C is for the runner, which ends its workers
        )
        worker = _Worker(process, gpu)
        self._pool.append(worker)
        for watch in (self._listen, self._bury):
            threading.Thread(target=watch, args=(worker,), daemon=True).start()
        return worker

    def _listen(self, worker: _Worker) -> None:
        """Passes on what a worker sends, and at last that it is dead."""
        assert worker.process.stdout is not None
        with contextlib.suppress(EOFError, OSError, pickle.UnpicklingError):
            while True:
                self._ended.put((worker, pickle.load(worker.process.stdout)))
        worker.process.wait()
        self._ended.put((worker, None))

    def _bury(self, worker: _Worker) -> None:
        """Ends what a worker that died has left running: it holds the pipe on which the listener waits."""
        worker.process.wait()
        _end(worker.process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kills a worker with all that its cell has started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # it leads a session of its own
    else:
        process.kill()


def available_cores() -> int:
    """The cores that this process may use, which may be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def available_gpus() -> list[str]:
    """The GPUs that this process may use, as CUDA_VISIBLE_DEVICES names them."""
    import torch

    numbers = [str(number) for number in range(torch.cuda.device_count())]
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    return [visible.split(",")[int(number)] for number in numbers] if visible else numbers


def _ending(code: int | None) -> str:
    if code == -signal.SIGKILL:
        return "signal 9 (out of memory?)"
    return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
