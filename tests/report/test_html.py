from __future__ import annotations

import re

import pandas as pd
import pytest

import counterpoise as cp
import tiny
from counterpoise.core.errors import RunError
from counterpoise.report.html import render, write_report


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
