"""The order of cells played through, against schedules worked out by hand and against the plainest of all."""

from __future__ import annotations

import random

import pytest

from counterpoise.studies.engine.schedule import ScheduledCell, play


def test_one_worker_takes_the_sum_and_many_take_the_longest_chain():
    dice = random.Random(1)
    for _ in range(20):
        jobs = {}
        for number in range(12):
            needs = [str(other) for other in range(number) if dice.random() < 0.2]
            jobs[str(number)] = ScheduledCell(dice.uniform(0.1, 5), memory=dice.uniform(1, 9), needs=needs)
        longest: dict[str, float] = {}
        for key, job in jobs.items():
            longest[key] = job.seconds + max((longest[need] for need in job.needs), default=0.0)
        assert play(jobs, 1).seconds == pytest.approx(sum(job.seconds for job in jobs.values()))
        assert play(jobs, 1).memory == pytest.approx(max(job.memory for job in jobs.values()))
        assert play(jobs, 99).seconds == pytest.approx(max(longest.values()))
        two = play(jobs, 2).seconds
        assert play(jobs, 99).seconds <= two + 1e-9
        assert two <= play(jobs, 1).seconds + 1e-9


def test_by_hand():
    """Two workers: a and b at once, then c beside a's dependent; memory and disk as in a table on paper."""
    jobs = {
        "a": ScheduledCell(2, memory=10, disk=100, models=90),
        "b": ScheduledCell(3, memory=20, disk=100, models=90),
        "c": ScheduledCell(4, memory=5, disk=1),
        "d": ScheduledCell(1, memory=7, disk=1, needs=["a"]),
        "e": ScheduledCell(1, memory=8, disk=1, needs=["b"]),
    }
    # 0 a b | 2 a ends, d begins before c | 3 b and d end: a's model goes (d), e and c begin | 4 e ends | 7 c ends
    played = play(jobs, 2)
    assert played.seconds == 7
    assert played.memory == 30
    assert played.disk == 100 + 100 + 1  # b ends, then d, and only then does the model of a go
    assert play(jobs, 1).disk == 100 + 1 - 90 + 100 + 1  # one model at a time


def test_scratch_is_in_use_only_while_a_cell_runs():
    jobs = {
        "a": ScheduledCell(2, disk=10, models=10, scratch=90),
        "b": ScheduledCell(3, disk=10, models=10, scratch=90),
        "c": ScheduledCell(1, disk=1, needs=["a"]),
        "d": ScheduledCell(1, disk=1, needs=["b"]),
    }
    assert play(jobs, 2).disk == 90 + 90  # 2: a ends, 10 + 90 | 3: c ends and a's model goes, b ends
    assert play(jobs, 1).disk == 1 + 90  # c ends and a's model goes before b begins
    kept = {
        key: ScheduledCell(job.seconds, disk=job.disk, scratch=job.scratch, needs=job.needs)
        for key, job in jobs.items()
    }
    assert play(kept, 1).disk == 10 + 1 + 90


def test_what_needs_more_of_the_machine():
    wide = {"a": ScheduledCell(1, slots=2), "b": ScheduledCell(1), "c": ScheduledCell(1)}
    assert play(wide, 2).seconds == 2
    on_gpu = {"a": ScheduledCell(1, gpus=1), "b": ScheduledCell(1, gpus=1), "c": ScheduledCell(1)}
    assert play(on_gpu, 3, gpus=1).seconds == 2
    assert play(on_gpu, 3, gpus=0).seconds == 1
    assert play({}, 2).seconds == 0
