"""The same command gives the same bytes; other threads or batches change the last digits, and no verdict."""

from __future__ import annotations

import re
import shutil

import numpy as np
import pandas as pd
import pytest
import torch

import counterpoise as cp
import tiny
from counterpoise.cli.main import run
from counterpoise.core.numbers import p_text
from counterpoise.report.wording import claims

pytestmark = pytest.mark.usefixtures("few_questions")

# What docs/runs.md promises of scores, which are sums of natural logs of at most some dozens of tokens.
BOUND = 1e-4


# Times, in the page and in the manifest, which the page quotes.
TIMES = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\+00:00)?|&#34;seconds&#34;: [\d.]+")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bert", "gpt2"])
def test_the_same_command_writes_the_same_bytes(tmp_path, kind, capsys):
    folder = tiny.save(kind, tmp_path / "model")
    out = tmp_path / "run"
    written = []
    for _ in range(2):
        assert run(["audit", str(folder), "--measures", "sld", "--no-cache", "--out", str(out)]) == 0
        files = [path for path in out.rglob("*") if path.is_file() and path.name != ".lock"]
        written.append({str(path.relative_to(out)): path.read_bytes() for path in files})
        shutil.rmtree(out)
    first, second = written
    assert first.keys() == second.keys()
    pages = [TIMES.sub("TIME", files.pop("report.html").decode()) for files in written]
    assert pages[0] == pages[1]
    for files in written:
        del files["manifest.json"]  # it says when the run began and how long it took
    assert first == second
    assert {"summary.json", "skipped.parquet", "scores/sld.parquet"} <= first.keys()


@pytest.fixture
def threads():
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


@pytest.mark.slow
def test_threads_and_batches_change_no_verdict(threads):
    measures = ["ppd", "sld", "lpbs"]

    def audited(count, budget):
        threads(count)
        model = cp.load()
        if budget is not None:
            model.token_budget = model.engine.token_budget = budget
        return cp.audit(model, measures=measures, cache=False)

    usual = audited(1, None)
    for count, budget in ((1, 200), (2, None), (3, 1000)):
        other = audited(count, budget)
        for name in measures:
            first, second = usual.results[name], other.results[name]
            scores = [result.items.select_dtypes("number").to_numpy() for result in (first, second)]
            np.testing.assert_allclose(*scores, rtol=0, atol=BOUND)
            assert [claim.text for claim in claims(first)] == [claim.text for claim in claims(second)]
            for column in ("p_value", "p_adjusted"):
                printed = [result.summary[column].map(p_text) for result in (first, second)]
                pd.testing.assert_series_equal(*printed)
