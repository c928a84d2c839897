"""Cells in processes on this machine, as many at once as it has cores.

Processes are spawned, never forked: torch and its threads do not survive a fork. A worker that dies (out of memory,
killed) is replaced and its cell begun again, a few times; workers end when the runner does, however that ends.
"""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import signal
import threading
from collections import Counter, deque
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import TracebackType

from counterpoise.core.errors import InputError
from counterpoise.studies.execution import Outcome, Task, carry_out, keep_reason

ATTEMPTS = 3  # a cell whose worker dies so often will kill the next one too


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection
    gpu: int | None
    task: Task | None = None
    slots: int = 0


class LocalEngine:
    """`workers` processes; each cell has as many threads as its step asks for, or its share of the cores."""

    def __init__(self, workers: int | None = None, gpus: int = 0) -> None:
        cores = available_cores()
        if workers is not None and workers < 1:
            raise InputError(f"{workers} workers cannot do anything; give 1 or more")
        self.workers = workers or cores
        self._threads = max(1, cores // self.workers)
        self._gpus = gpus
        self._context = multiprocessing.get_context("spawn")
        self._pool: list[_Worker] = []
        self._waiting: deque[Task] = deque()
        self._deaths: Counter[str] = Counter()

    def __enter__(self) -> LocalEngine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._pool:
            worker.process.kill()
        for worker in self._pool:
            worker.process.join()
            worker.connection.close()
        self._pool.clear()

    def submit(self, task: Task) -> None:
        if task.gpus > 1 and self._gpus:
            raise InputError(
                f"{task.step} asks for {task.gpus:g} GPUs; here a cell has at most one: use --engine ray"
            )
        self._waiting.append(task)
        self._assign()

    def running(self) -> int:
        return sum(worker.task is not None for worker in self._pool)

    def wait(self, seconds: float) -> list[Outcome]:
        busy = [worker for worker in self._pool if worker.task is not None]
        ready = wait([worker.connection for worker in busy], timeout=seconds)
        outcomes = []
        for worker in busy:
            if worker.connection in ready and (outcome := self._ended(worker)):
                outcomes.append(outcome)
        self._assign()
        return outcomes

    def _ended(self, worker: _Worker) -> Outcome | None:
        task, worker.task, worker.slots = worker.task, None, 0
        assert task is not None
        try:
            return worker.connection.recv()  # type: ignore[no-any-return]
        except (EOFError, OSError):  # the worker is dead
            worker.process.join()
            worker.connection.close()
            self._pool.remove(worker)
        self._deaths[task.key] += 1
        if self._deaths[task.key] < ATTEMPTS:
            self._waiting.appendleft(task)
            return None
        reason = f"its worker died {ATTEMPTS} times, at last with {_ending(worker.process.exitcode)}"
        outcome = Outcome(task.key, "failed", reason)
        keep_reason(task, outcome, reason + "\n")
        return outcome

    def _assign(self) -> None:
        """Hands out what waits, in order; a cell that asks for more than is free waits for it."""
        while self._waiting:
            task = self._waiting[0]
            slots = min(self.workers, math.ceil(task.cpus / self._threads))
            if sum(worker.slots for worker in self._pool) + slots > self.workers:
                return
            worker = self._free_worker(task)
            if worker is None:
                return
            worker.task, worker.slots = task, slots
            with contextlib.suppress(OSError):  # it has just died: `wait` will find out
                worker.connection.send((task, slots * self._threads))
            self._waiting.popleft()

    def _free_worker(self, task: Task) -> _Worker | None:
        needs_gpu = bool(task.gpus and self._gpus)
        for worker in self._pool:
            if worker.task is None and (not needs_gpu or self._load(worker.gpu) + task.gpus <= 1):
                return worker
        if len(self._pool) == self.workers:
            return None
        worker = self._start_worker()
        return worker if not needs_gpu or self._load(worker.gpu) + task.gpus <= 1 else None

    def _load(self, gpu: int | None) -> float:
        return sum(worker.task.gpus for worker in self._pool if worker.task and worker.gpu == gpu)

    def _start_worker(self) -> _Worker:
        used = Counter(worker.gpu for worker in self._pool)
        gpu = min(range(self._gpus), key=lambda number: used[number]) if self._gpus else None
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_work, args=(theirs, self._threads, gpu), daemon=False)
        process.start()
        theirs.close()
        worker = _Worker(process, ours, gpu)
        self._pool.append(worker)
        return worker


def available_cores() -> int:
    """The cores that this process may use, which may be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _work(connection: Connection, threads: int, gpu: int | None) -> None:
    """The life of a worker."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C reaches all processes of a terminal; the runner decides
    threading.Thread(target=_end_with_runner, daemon=True).start()
    os.environ["COUNTERPOISE_PROGRESS"] = "0"
    os.environ["OMP_NUM_THREADS"] = str(threads)
    if gpu is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = str(gpu)
    while True:
        try:
            task, own_threads = connection.recv()
        except EOFError:
            return
        connection.send(carry_out(task, own_threads))


def _end_with_runner() -> None:
    runner = multiprocessing.parent_process()
    if runner is not None:
        runner.join()
        os._exit(1)


def _ending(code: int | None) -> str:
    if code == -signal.SIGKILL:
        return "signal 9 (out of memory?)"
    return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
