from __future__ import annotations

import pytest

_INPUTS = pytest.StashKey[dict[str, int]]()


@pytest.fixture
def count_inputs(request, record_property):
    """Adds to the number of bad inputs, kills or failing writes of a test, which its report shows."""
    total = {}

    def add(n, what="bad inputs"):
        total[what] = total.get(what, 0) + n

    yield add
    for what, n in total.items():
        record_property(what, n)


def pytest_terminal_summary(terminalreporter):
    counts = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            for what, n in getattr(report, "user_properties", ()):
                if getattr(report, "when", "") == "teardown" and isinstance(n, int):
                    counts[what] = counts.get(what, 0) + n
    if counts:
        terminalreporter.write_line(
            "robustness: " + ", ".join(f"{n:,} {what}" for what, n in sorted(counts.items()))
        )
