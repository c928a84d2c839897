"""No chart can end the process that asks for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import altair as alt
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoise.core.errors import RunError
from counterpoise.report.charts import converter as converters
from counterpoise.report.charts.converter import ChartError, Converter
from counterpoise.report.charts.draw import Figure, to_svg, write_figures

SPEC = {"mark": "bar", "data": {"values": [{"a": "x", "b": 1}]}, "encoding": {"x": {"field": "b"}}}
# Converting this directly aborts the process: the character cannot be in an SVG document.
DEADLY = {**SPEC, "title": "a\x00b"}


def bars(label, **_):
    table = pd.DataFrame({"label": [label, "other"], "value": [1.0, 2.0]})
    return alt.Chart(table, description=label).mark_bar().encode(x="value:Q", y="label:N")


def process_id(converter):
    converter.convert(SPEC, "svg", {})
    return converter._child.pid


@pytest.mark.parametrize("character", ["\x00", "\x01", "\x0b", "\x1b", "\x7f", "\ufffe"])
def test_a_label_may_hold_any_character(character, tmp_path):
    svg = to_svg(bars(f"a{character}b"))
    assert "\ufffd" in svg or "\x7f" in svg
    ElementTree.fromstring(svg)
    figure = Figure("name", "title", lambda layout: bars(f"a{character}b"))
    ElementTree.fromstring(f"<p>{figure.svg()}</p>")
    for kind in ("svg", "pdf", "png"):
        [path] = write_figures([figure], tmp_path, kind)
        assert path.stat().st_size > 500


@pytest.mark.slow
@given(st.text(max_size=20))
@settings(max_examples=50, deadline=None)
def test_any_label_can_be_drawn(label):
    ElementTree.fromstring(to_svg(bars(label)))


@pytest.mark.skipif(sys.platform != "linux", reason="no limit on address space")
def test_a_soft_limit_on_address_space_keeps_no_chart_from_being_drawn():
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (4 << 30), before[1]))
    try:
        assert b"<svg" in Converter().convert(SPEC, "svg", {})
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def test_a_chart_that_kills_its_process_is_an_error_and_the_next_one_is_drawn():
    converter = Converter()
    first = process_id(converter)
    with pytest.raises(ChartError, match="the drawing process ended 2 times"):
        converter.convert(DEADLY, "svg", {})
    assert process_id(converter) != first
    converter.close()


def test_a_process_that_was_killed_is_replaced_and_nobody_notices():
    converter = Converter()
    expected = converter.convert(SPEC, "svg", {})
    first = process_id(converter)
    assert process_id(converter) == first  # it is used again
    os.kill(first, signal.SIGKILL)
    assert converter.convert(SPEC, "svg", {}) == expected
    converter.close()


@pytest.mark.slow
def test_a_chart_that_never_ends_is_given_up():
    converter = Converter(seconds=2.0)
    converter.convert(SPEC, "svg", {})
    endless = {**SPEC, "transform": [{"calculate": "length(sequence(0, 1e8, 1e-2))", "as": "n"}]}
    began = time.monotonic()
    with pytest.raises(ChartError, match="it took longer than 2 seconds"):
        converter.convert(endless, "svg", {})
    assert time.monotonic() - began < 20
    assert converter.convert(SPEC, "svg", {}).startswith(b"<svg")
    converter.close()


def test_what_vl_convert_refuses_is_one_line():
    with pytest.raises(ChartError, match="a chart cannot be drawn: ") as error:
        converters.convert({"mark": "no such mark"}, "svg")
    assert "\n" not in str(error.value)


def test_a_page_says_where_a_chart_is_missing(monkeypatch):
    monkeypatch.setattr(converters, "without_control_characters", lambda spec: spec)
    figure = Figure("name", "title", lambda layout: bars("a\x00b"))
    assert figure.svg() == "<p>This chart could not be drawn.</p>"


def test_pictures_are_not_written_through_a_link(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "charts").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RunError, match="charts is a symbolic link"):
        write_figures([Figure("name", "title", bars)], tmp_path / "charts", "svg")


@pytest.mark.slow
def test_the_process_ends_with_the_one_that_started_it():
    code = (
        "from counterpoise.report.charts import converter as c; "
        f"c.convert({SPEC!r}, 'svg'); "
        "import os, signal; print(c._converter(os.getpid())._child.pid, flush=True); "
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    child = int(subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=False).stdout)
    for _ in range(100):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    raise AssertionError("the drawing process outlived its parent")
