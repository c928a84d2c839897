"""When cells would run: the runner's order played through, without running anything."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class ScheduledCell:
    """A cell to run: how long it takes, and what it takes up. `needs` are the keys of other jobs."""

    seconds: float
    memory: float = 0.0
    disk: float = 0.0
    models: float = 0.0  # of the disk: what goes as soon as all jobs that need this one are done
    scratch: float = 0.0  # on disk, only while it runs
    needs: Sequence[str] = ()
    slots: int = 1
    gpus: float = 0.0


@dataclass(frozen=True)
class Schedule:
    """When the last job ends, and the most memory and disk in use at once, without models that have gone."""

    seconds: float
    memory: float
    disk: float


def play(jobs: Mapping[str, ScheduledCell], workers: int, gpus: float = 0.0) -> Schedule:
    """Plays the jobs through in the order of the local engine: as given, but those that had to wait come first.

    gpus: how many there are; without any, jobs run without.

    >>> jobs = {"a": ScheduledCell(2), "b": ScheduledCell(2), "c": ScheduledCell(1, needs=["a", "b"])}
    >>> play(jobs, 1).seconds, play(jobs, 2).seconds
    (5.0, 3.0)
    """
    unmet = {key: len(job.needs) for key, job in jobs.items()}
    dependents: dict[str, list[str]] = {key: [] for key in jobs}
    for key, job in jobs.items():
        for need in job.needs:
            dependents[need].append(key)
    unused = {key: len(of_job) for key, of_job in dependents.items()}
    waiting = deque(key for key, missing in unmet.items() if not missing)
    running: list[tuple[float, int, str]] = []
    now = memory = disk = most_memory = most_disk = 0.0
    started = 0
    while waiting or running:
        for key in list(waiting):
            busy = [jobs[other] for _, _, other in running]
            if sum(job.slots for job in busy) + jobs[key].slots > workers:
                break
            if gpus and sum(job.gpus for job in busy) + jobs[key].gpus > gpus:
                continue
            waiting.remove(key)
            heapq.heappush(running, (now + jobs[key].seconds, started, key))
            started += 1
            memory += jobs[key].memory
            disk += jobs[key].scratch
        most_memory, most_disk = max(most_memory, memory), max(most_disk, disk)
        now, _, ended = heapq.heappop(running)
        memory -= jobs[ended].memory
        disk += jobs[ended].disk - jobs[ended].scratch
        most_disk = max(most_disk, disk)
        for need in jobs[ended].needs:
            unused[need] -= 1
            disk -= jobs[need].models if not unused[need] else 0.0
        disk -= jobs[ended].models if not dependents[ended] else 0.0
        for dependent in dependents[ended]:
            unmet[dependent] -= 1
            if not unmet[dependent]:
                waiting.appendleft(dependent)
    return Schedule(float(now), most_memory, most_disk)
