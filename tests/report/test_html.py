from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import counterpoise as cp
import tiny
from counterpoise.core.errors import RunError
from counterpoise.report.html import _table, render, write_report
from counterpoise.report.terminal import print_audit


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


def test_where_there_is_no_value_the_reason_stands(tmp_path, capsys):
    """Half of the words are lost: no number and no bar, but the count; on the page and in the terminal."""
    vectors = cp.models.WordVectors(
        ["math", "art", "he", "she"], np.array([[3.0, 1], [1, 2], [1, 0], [0, 1]])
    )
    (tmp_path / "own.yaml").write_text(
        "sets: {x: [math, physics], y: [art], a: [he], b: [she]}\n"
        "tests: [{name: mine, targets: [x, y], attributes: [a, b], gender: true}]\n"
    )
    audit = cp.audit(vectors, ["weat"], out=tmp_path / "run", words=tmp_path / "own.yaml")
    page = render(audit.run)
    assert "1 of the 2 words of &#39;x&#39; are lost, more than a fifth" in page
    assert 'cx="nan"' not in page
    print_audit(audit, tmp_path / "run", tmp_path / "run" / "report.html")
    told = " ".join(capsys.readouterr().out.split())
    assert "1 of the 2 words" in told
