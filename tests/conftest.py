"""Fixtures that many tests share, and the rule about skipping.

Tests that need datasets which are not ours read them from the folder that COUNTERPOISE_DATA names. Where that folder
is there, a skipped test is a mistake and fails, unless it needs something else that a machine may lack.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import hypothesis
import pytest

# Before torch is imported: tests run side by side, one core each.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["COUNTERPOISE_PROGRESS"] = "0"
# In the background Ctrl-C is ignored, by children too; some tests press it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

import counterpoise as cp
import few
import tiny
from browser import chromium
from counterpoise.measures.base.catalogue import find_measure

# How long an example takes depends on what else the machine is doing, and is not what these tests are about.
hypothesis.settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any machine")

MAY_BE_MISSING = (
    "needs cuda",
    "needs onednn",
    "needs the hub",
    "needs glove",
    "needs chromium",
    "needs spacy",
    "needs no spacy",
    "needs ray",
    "needs pdflatex",
    "needs leave to mount",
    "needs onnx",
    "needs smollm2",
    "needs xllamacpp",
    "needs lm-eval",
)


def data_folder() -> Path | None:
    named = os.environ.get("COUNTERPOISE_DATA")
    return Path(named) if named and Path(named).is_dir() else None


AT_THE_START = data_folder()  # a test that loses it would have others skipped


@pytest.fixture(scope="session")
def data_file():
    """Finds a file of the data folder, or skips the test with the reason."""

    def find(name: str) -> Path:
        folder = data_folder()
        if folder is None:
            pytest.skip("COUNTERPOISE_DATA names no folder")
        if not (folder / name).exists():
            pytest.skip(f"{name} is not in the data folder")
        return folder / name

    return find


@pytest.fixture
def no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what happens without data: the folder of the environment is not there."""
    monkeypatch.delenv("COUNTERPOISE_DATA", raising=False)


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's cache."""
    monkeypatch.setenv("COUNTERPOISE_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(scope="session")
def builtin() -> cp.models.MaskedLM:
    return cp.load()


@pytest.fixture(scope="session")
def small_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved masked model with random weights, for tests that ask how things are done, not what the numbers are."""
    return tiny.save("bert", tmp_path_factory.mktemp("small") / "small")


@pytest.fixture(scope="session")
def small(small_folder: Path) -> cp.models.MaskedLM:
    return cp.load(small_folder, device="cpu")


@pytest.fixture(scope="module")  # not longer: while it is there, no test can run an event loop
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def few_questions() -> Iterator[None]:
    """Measures have a few sentences of their own dataset only, so that a model is asked everything in a second."""
    instead = {
        ("lpbs", "becpro"): few.professions,
        ("ppd", "pronoun_templates"): few.templates,
        ("sld", "stereotype_pairs"): few.pairs,
    }
    with pytest.MonkeyPatch.context() as patch:
        for (measure, data), made in instead.items():
            patch.setattr(import_module(find_measure(measure).function.__module__), data, made)
        yield


# Examples in docstrings that ask the built-in model thousands of questions.
SLOW_EXAMPLES = {
    "counterpoise.audit.audit",
    "counterpoise.audit.compare.compare",
    "counterpoise.audit.gate.gating.gate",
    "counterpoise.mitigate.evaluation.held_out.held_out",
    "counterpoise.mitigate.evaluation.proof.prove",
}


@pytest.hookimpl(tryfirst=True)  # before -m is looked at
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The slow ones first, minutes before seconds, so that none of them is left to a single worker at the end."""
    for item in items:
        if item.name in SLOW_EXAMPLES:
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: (item.get_closest_marker("slow") is None, "test_long_form" not in item.name))
    if not config.getoption("markexpr"):  # samples are for `make check`, where the slow ones do not run
        slow = {_function(item) for item in items if item.get_closest_marker("slow")}
        samples = [item for item in items if item.get_closest_marker("sample") and _function(item) in slow]
        items[:] = [item for item in items if item not in samples]
        config.hook.pytest_deselected(items=samples)


def _function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and AT_THE_START is not None:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not reason.removeprefix("Skipped: ").lower().startswith(MAY_BE_MISSING):
            report.outcome = "failed"
            report.longrepr = f"skipped although the data folder is there: {reason}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = len(terminalreporter.stats.get("skipped", []))
    terminalreporter.write_line(f"skipped tests: {skipped}")
    reports = (report for kind in terminalreporter.stats.values() for report in kind)
    if counts := robustness_counts(reports):
        terminalreporter.write_line(
            "robustness: " + ", ".join(f"{n:,} {what}" for what, n in sorted(counts.items()))
        )


def robustness_counts(reports: Iterable[Any]) -> dict[str, int]:
    """How many bad inputs, kills and the like the tests in `robustness` had, by what `count_inputs` recorded.

    The summary is here since pytest-xdist's controller, which prints it, reads no conftest.py below this one.
    """
    counts: dict[str, int] = {}
    for report in reports:
        for what, n in getattr(report, "user_properties", ()):
            if getattr(report, "when", "") == "teardown" and isinstance(n, int):
                counts[what] = counts.get(what, 0) + n
    return counts
