"""Lines of progress where there is no terminal, by a clock that tests turn."""

from __future__ import annotations

import pytest

from counterpoise.core import progress as bars
from counterpoise.core import progress_lines
from counterpoise.core.progress_lines import ProgressLines


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def printed():
    return []


@pytest.fixture
def lines(clock, printed):
    return ProgressLines(clock, printed.append)


def test_a_line_every_thirty_seconds_and_none_before(lines, clock, printed):
    """1,200 questions in 30 s are 40 a second, and the other 4,200 take 105 s."""
    with lines.task("measures", 5) as measured, lines.task("lpbs", None, ""):
        measured(1)
        with lines.task("asking builtin", 5400, "questions") as asked:
            for second in range(1, 62):
                clock.now = 1000 + second
                asked(40)
    assert printed == [
        "measures 1/5, lpbs, asking builtin 1,200/5,400 questions (about 2 min left)",
        "measures 1/5, lpbs, asking builtin 2,400/5,400 questions (about 75 s left)",
    ]


def test_short_work_prints_nothing_however_much_there_was_before(lines, clock, printed):
    for _ in range(10):
        with lines.task("reading", 2) as advance:
            clock.now += 14
            advance(1)
            clock.now += 14
            advance(1)
    assert printed == []


def test_slow_steps_print_once_each(lines, clock, printed):
    """Lines come when something was done: a step of 70 s has one line and not two."""
    with lines.task("models", 2, "models") as advance:
        clock.now += 70
        advance(1)
        clock.now += 70
        advance(1)
    assert printed == ["models 1/2 models (about 70 s left)", "models 2/2 models (about 0.0 s left)"]


def test_work_of_unknown_size_and_bytes(lines, clock, printed):
    with lines.task("swapping", None, "texts") as advance:
        clock.now += 30
        advance(12_345)
    with lines.task("fetching gap.zip", 36_000_000, "bytes") as advance:
        clock.now += 30
        advance(12_000_000)
    assert printed == ["swapping 12,345 texts", "fetching gap.zip 12 MB of 36 MB (about 60 s left)"]


def test_work_that_fails_is_over(lines, clock, printed):
    with pytest.raises(KeyError), lines.task("outer", 1):
        raise KeyError
    with lines.task("next", 2) as advance:
        clock.now += 31
        advance(1)
    assert printed == ["next 1/2 (about 31 s left)"]


@pytest.fixture
def in_a_job(monkeypatch, clock):
    """Nothing is turned off, and the error stream is no terminal: in tests it never is."""
    monkeypatch.setenv("COUNTERPOISE_PROGRESS", "1")
    monkeypatch.setattr(progress_lines._of_thread, "lines", ProgressLines(clock), raising=False)


@pytest.mark.usefixtures("in_a_job")
def test_progress_and_its_steps_are_printed_to_the_error_stream(clock, capsys):
    with bars.progress("measures", 2) as advance, bars.step("ppd"):
        clock.now += 29
        advance(1)
        assert capsys.readouterr() == ("", "")
        clock.now += 1
        advance(1)
    assert capsys.readouterr() == ("", "measures 2/2, ppd\n")


@pytest.mark.usefixtures("in_a_job")
def test_it_can_be_turned_off(clock, capsys, monkeypatch):
    monkeypatch.setenv("COUNTERPOISE_PROGRESS", "0")
    with bars.progress("measures", 2) as advance, bars.step("ppd"):
        clock.now += 100
        advance(2)
    assert capsys.readouterr() == ("", "")
