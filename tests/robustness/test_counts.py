"""The number of bad inputs, kills and failing writes is printed at the end, also where tests run side by side."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from robustness.test_interruptions import WRITES

TESTS = Path(__file__).parents[1]


def test_the_summary_is_where_every_way_to_run_the_tests_finds_it():
    """pytest-xdist's controller collects nothing, so it knows the hooks of the outermost conftest.py only."""
    hooks = [path for path in TESTS.rglob("conftest.py") if "def pytest_terminal_summary" in path.read_text()]
    assert hooks == [TESTS / "conftest.py"]


def test_counts_are_added_up_once_for_each_test(request):
    conftest = request.config.pluginmanager.get_plugin(str(TESTS / "conftest.py"))

    def report(when, *properties):
        return SimpleNamespace(when=when, user_properties=list(properties))

    reports = [
        report("call", ("kills", 3)),
        report("teardown", ("kills", 3)),
        report("teardown", ("kills", 4), ("bad inputs", 40), ("other", "text")),
        SimpleNamespace(),  # what was not collected
    ]
    assert conftest.robustness_counts(reports) == {"kills": 7, "bad inputs": 40}


def test_there_are_hundreds_of_failing_writes():
    """What `make test` prints is at least this, since each of these tests counts what it was given."""
    assert sum(WRITES.values()) >= 200
