"""Bars in the output of a notebook's cell, by a clock that tests turn; a real kernel runs in tests/examples."""

from __future__ import annotations

import pytest

from counterpoise.core.progress_notebook import NotebookBars, in_notebook


@pytest.fixture
def shown():
    return []


@pytest.fixture
def clock():
    return iter(range(1000))


@pytest.fixture
def bars(shown, clock):
    def show(html):
        shown.append(html)
        return shown.append

    return NotebookBars(show, lambda: float(next(clock)))


def test_bars_inside_bars_with_time_left_and_nothing_in_the_end(bars, shown):
    with bars.task("measures", 4) as measured:  # at 0, shown at 1
        measured(1)  # shown at 2: one in two seconds, so that three more take six
        with bars.task("asking <it>", 10, "questions") as asked:
            asked(5)
    assert shown[0] == '<progress max="4" value="0"></progress> measures 0/4'
    assert shown[1] == '<progress max="4" value="1"></progress> measures 1/4, 2.0 s/item, 6.0 s left'
    assert "asking &lt;it&gt; 5/10 questions" in shown[-2]
    assert shown[-1] == ""


def test_bars_are_not_drawn_more_often_than_a_reader_sees():
    times, shown = iter([0.0, *(n / 100 for n in range(201))]), []
    with NotebookBars(lambda html: shown.append(html) or shown.append, lambda: next(times)).task(
        "scoring", 200
    ) as advance:
        for _ in range(200):
            advance(1)
    assert 7 <= len(shown) <= 10  # two seconds, four times a second, and the end


def test_work_of_unknown_size_and_work_that_fails(bars, shown):
    def fail():
        with bars.task("counting", None, "words") as advance:
            advance(12_345)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert "<progress></progress> counting 12,345 words" in shown[-2]
    assert shown[-1] == ""


def test_this_is_no_notebook():
    assert not in_notebook()
