from __future__ import annotations

import sys
from pathlib import Path

import pytest

MOST_MEMORY = 4 << 30  # bytes that a test may add


@pytest.fixture(autouse=True)
def bounded_memory():
    """What would fill the memory is an error of its test, and not the end of other processes."""
    if sys.platform != "linux":
        yield
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MOST_MEMORY, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.fixture
def count_inputs(request, record_property):
    """Adds to the number of bad inputs, kills or failing writes of a test, which its report shows."""
    total = {}

    def add(n, what="bad inputs"):
        total[what] = total.get(what, 0) + n

    yield add
    for what, n in total.items():
        record_property(what, n)
