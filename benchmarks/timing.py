"""Ratios from interleaved repeats: what every benchmark prints."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

Work = Callable[[], object]


def interleaved(works: Mapping[str, Work], repeats: int = 5) -> dict[str, list[float]]:
    """Seconds of each piece of work, one after another in turns, so that a busy moment hits them all alike."""
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def ratio(seconds: Mapping[str, list[float]], baseline: str, ours: str) -> str:
    """How many times faster than the baseline: the median over repeats, and the range."""
    ratios = [slow / fast for slow, fast in zip(seconds[baseline], seconds[ours], strict=True)]
    return f"{statistics.median(ratios):.2f}x (range {min(ratios):.2f} to {max(ratios):.2f})"
