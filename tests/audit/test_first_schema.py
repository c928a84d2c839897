"""Run folders written by version 0.1, before rows said where they come from: read, compared, shown and served."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import counterpoise as cp
from counterpoise.audit.reading import read_results
from counterpoise.audit.run import Run
from counterpoise.report.html import extreme_items, write_report
from counterpoise.web.folder import RunFolder

HERE = Path(__file__).parent / "first_schema"


@pytest.fixture
def masked(tmp_path):
    """An old run, where it may be written to."""
    return shutil.copytree(HERE / "masked", tmp_path / "masked")


@pytest.fixture(scope="module")
def today(tmp_path_factory, small):
    """The same audit of the same model, carried out now."""
    folder = tmp_path_factory.mktemp("today") / "run"
    name, small.name = small.name, "tiny"
    try:
        cp.audit(
            small,
            ["ppd", "sld", "crows"],
            out=folder,
            pairs=HERE / "pairs.csv",
            templates=HERE / "templates.yaml",
            cache=False,
        )
    finally:
        small.name = name
    return folder


def test_old_rows_get_the_keys_and_sources_of_today(masked, today):
    (_, old), (_, new) = read_results(masked), read_results(today)
    for before, after in zip(old, new, strict=True):
        assert before.summary.key.tolist() == after.summary.key.tolist()
        assert before.summary.ideal_kind.tolist() == after.summary.ideal_kind.tolist()
        assert before.sources == after.sources
        assert before.direction == after.direction
        assert before.summary.value.to_numpy() == pytest.approx(after.summary.value.to_numpy(), abs=1e-4)


def test_an_old_run_is_compared_with_a_new_one(masked, today):
    found = cp.compare(masked, today)
    paired = found.rows[found.rows.form != ""]
    assert set(found.measures) == {"ppd", "sld", "crows"}
    assert len(paired) == len(found.rows) - 1  # the count of ties is no mean over items
    assert paired.difference.abs().max() < 1e-4


def test_two_old_runs_are_compared(masked, tmp_path):
    other = shutil.copytree(masked, tmp_path / "other")
    found = cp.compare(masked, other)
    assert found.rows[found.rows.form != ""].is_same.all()


def test_rows_of_texts_that_are_not_rated_zero_are_compared(tmp_path):
    """Which texts those are differs between models; those of both count."""

    def rate(texts):
        words = [text.lower().split() for text in texts]
        return [0.4 + 0.02 * some.count("he") - 0.03 * some.count("her") for some in words]

    new = cp.models.Classifier.of(rate, name="rates anew")
    cp.audit(new, ["sentiment"], out=tmp_path / "new", texts=HERE / "texts.csv", columns={"label": "label"})
    rows = cp.compare(HERE / "ratings", tmp_path / "new").rows.set_index("key")
    (_, [old]), (_, [again]) = read_results(HERE / "ratings"), read_results(tmp_path / "new")
    both = (old.items.bias != 0) & (again.items.bias != 0)
    row = rows.loc["total_bias.not_zero"]
    assert row.difference == pytest.approx((again.items.bias - old.items.bias)[both].mean())
    assert (row.n, row.clusters) == (both.sum(), both.sum())
    assert rows.loc[["absolute_bias.not_zero", "share_male.not_zero"]].difference.notna().all()


def test_an_old_run_is_shown_and_served(masked):
    _, results = read_results(masked)
    assert len(extreme_items(results[0])) == 10
    assert "The model expects people in these professions" in write_report(masked).read_text(encoding="utf-8")
    folder = RunFolder(masked.parent)
    [entry] = folder.entries()
    assert not entry.problem
    assert [result.measure for result in folder.open(entry.id)[1]] == ["ppd", "sld", "crows"]


def test_an_old_run_that_is_continued_becomes_a_new_one(masked, small):
    manifest = json.loads((masked / "manifest.json").read_text())
    del manifest["measures"]["crows"]
    (masked / "manifest.json").write_text(json.dumps(manifest))
    run = Run.read(masked)
    before = list(run.results.values())
    run.save([*before, before[-1]], 0.1)
    assert Run.read(masked).manifest["schema"] == 2
    assert [result.sources for result in Run.read(masked).results.values()] == [one.sources for one in before]


def test_items_that_are_others_give_no_sources(masked):
    """A folder that somebody changed: its rows are read, and not taken for what they are not."""
    document = json.loads((masked / "summary.json").read_text())
    document["results"][0]["value"] += 1
    (masked / "summary.json").write_text(json.dumps(document))
    _, (ppd, *_) = read_results(masked)
    assert ppd.sources == {}
    assert ppd.summary.key[0] == "row_1"
