"""Cells on a Ray cluster, an existing one or one on this machine. All nodes must share the study's folder.

Ray finds each cell a node with the CPUs and GPUs that its step asks for; a worker or node that dies is survived: its
cell is begun again elsewhere.
"""

from __future__ import annotations

import contextlib
import os
import socket
from types import TracebackType
from typing import Any

from counterpoise.core.ray_cluster import connected, largest_node, why_given_up
from counterpoise.core.spread import ATTEMPTS
from counterpoise.studies.engine.execution import Outcome, Task, carry_out, keep_reason


class RayEngine:
    """Sends cells to Ray; `workers` is the number of CPUs of the cluster."""

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        self._stack = contextlib.ExitStack()
        self._connection = connected(address, workers)
        self._tasks: dict[Any, Task] = {}
        self.workers = workers or 1

    def __enter__(self) -> RayEngine:
        self._ray = self._stack.enter_context(self._connection)
        self.workers = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self._carry_out = self._ray.remote(_carry_out_on_node)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for reference in self._tasks:
            with contextlib.suppress(Exception):  # the cluster may be gone
                self._ray.cancel(reference, force=True)
        self._tasks.clear()
        self._stack.close()

    def submit(self, task: Task) -> None:
        # More than any node has would wait for ever: as on one machine, a cell gets what there is.
        cpus, gpus = (
            min(wanted, largest_node(self._ray, kind))
            for wanted, kind in ((task.cpus, "CPU"), (task.gpus, "GPU"))
        )
        options = {"num_cpus": cpus, "num_gpus": gpus, "max_retries": ATTEMPTS - 1, "name": task.step}
        reference = self._carry_out.options(**options).remote(task, max(1, int(cpus)))
        self._tasks[reference] = task

    def running(self) -> int:
        return min(len(self._tasks), self.workers)

    def wait(self, seconds: float) -> list[Outcome]:
        ready, _ = self._ray.wait(list(self._tasks), num_returns=1, timeout=seconds)
        return [self._outcome(reference, self._tasks.pop(reference)) for reference in ready]

    def _outcome(self, reference: Any, task: Task) -> Outcome:
        try:
            outcome: Outcome = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            outcome = Outcome(task.key, "failed", why_given_up(error, ATTEMPTS))
            keep_reason(task, outcome, str(error))
        return outcome


def _carry_out_on_node(task: Task, threads: int) -> Outcome:
    cells = task.place.parents[1]
    if not cells.is_dir():
        reason = f"the folder {cells} is not on the node {socket.gethostname()}; all nodes must share it"
        return Outcome(task.key, "failed", reason)
    os.environ["COUNTERPOISE_PROGRESS"] = "0"
    return carry_out(task, threads)
