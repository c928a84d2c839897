from __future__ import annotations

import json
import re
import shutil

import pandas as pd
import pytest

import counterpoise as cp
import tiny
from counterpoise.core.errors import RunError
from counterpoise.report.html import _table, render, write_report


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    lm = cp.load(tiny.save("bert", tmp_path_factory.mktemp("model")))
    return cp.audit(lm, measures=["ppd"], out=tmp_path_factory.mktemp("runs") / "run", cache=False).run


def test_the_page_shows_every_row_and_needs_no_network(run):
    page = write_report(run.folder).read_text()
    for row in run.results()[0].summary.itertuples():
        assert row.group in page
        assert f"{row.value:.3f}" in page
    assert not re.search(r"(?:src|href)=[\"'](?:https?:)?//", page)


def test_the_note_of_a_row_is_shown_and_a_value_that_is_missing_is_not_drawn(run, tmp_path):
    """The share of women in a profession stands in the note of its row."""
    folder = shutil.copytree(run.folder, tmp_path / "copy")
    document = json.loads((folder / "summary.json").read_text())
    document["results"][-1] |= {"note": "share of women (US, 2019): 88.9 %", "value": None}
    (folder / "summary.json").write_text(json.dumps(document))
    page = write_report(folder).read_text()
    assert "share of women (US, 2019): 88.9 %" in page
    assert '="nan"' not in page
    words = (run.results()[0].summary.level == "word").sum()
    assert f"single words: {words} rows, from the lowest value to the highest" in page


def test_text_from_data_is_escaped(run):
    skipped = pd.DataFrame({"measure": ["ppd"], "item": ["<script>alert(1)</script>"], "reason": ["<b>"]})
    skipped.to_parquet(run.folder / "skipped.parquet", index=False)
    page = render(run)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>" not in page


def test_an_unfinished_run_says_so(run, tmp_path):
    run.manifest["finished"] = None
    assert "This run is not finished" in render(run)
    run.manifest["measures"] = {}
    with pytest.raises(RunError, match="has no finished measure yet"):
        render(run)


def test_bars_of_different_units_do_not_share_a_range():
    """A share of 60 % against 50 % does not squash a difference of 0.2 against 0."""
    rows = pd.DataFrame(
        {
            "value": [0.2, -0.1, 60.0, 1.0],
            "ideal": [0.0, 0.0, 50.0, float("nan")],
            "ci_low": [0.1, -0.3, 40.0, 0.5],
            "ci_high": [0.3, 0.1, 70.0, 1.5],
        }
    )
    found = [(row.rule, row.low, row.high) for row in _table(rows)]
    assert found == [(0.0, -0.3, 1.5), (0.0, -0.3, 1.5), (50.0, 40.0, 70.0), (0.0, -0.3, 1.5)]
