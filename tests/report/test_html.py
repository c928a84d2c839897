"""The page of a run: complete, escaped, honest about what is missing."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest

import counterpoise as cp
import runs
from counterpoise.core.errors import InputError, RunError
from counterpoise.measures.base.result import Direction
from counterpoise.measures.base.skipped import skipped_table
from counterpoise.report.charts import Figure
from counterpoise.report.html import render, write_charts, write_report

pytestmark = pytest.mark.slow

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def run(few_questions, small, tmp_path_factory):
    return cp.audit(small, measures=["ppd"], out=tmp_path_factory.mktemp("runs") / "run", cache=False).run


def page_of(folder, *results, **options):
    return write_report(runs.save_run(folder, *results, **options)).read_text()


def test_the_page_shows_every_row_and_needs_no_network(run):
    page = write_report(run.folder).read_text()
    for row in next(iter(run.results.values())).summary.itertuples():
        assert row.group in page
        assert f"{row.value:.3f}" in page
    assert not re.search(r"(?:src|href)=[\"'](?:https?:)?//", page)
    assert "Which pronoun does the model choose" in page
    assert "Barza" in page
    assert run.manifest["options"]["fingerprint"] in page
    assert page.count("<figure>") == 5  # overview, forest, words, words with a gender of their own, power
    assert page.count("<svg") == page.count('role="img"') == 10  # each for wide windows and for phones


def test_ids_in_the_page_are_unique(run):
    ids = re.findall(r'\bid="([^"]+)"', write_report(run.folder).read_text())
    assert len(ids) == len(set(ids))


def test_text_from_users_and_data_is_escaped(tmp_path):
    result = runs.word_result(model=EVIL, measure="own")
    items = result.items.assign(text=EVIL + result.items.text, word=EVIL + result.items.word)
    summary = result.summary.assign(
        group=np.where(result.summary.level == "word", EVIL + result.summary.group, result.summary.group),
        note=EVIL,
        statistic=EVIL,
    )
    skipped = skipped_table([EVIL], [EVIL])
    evil = replace(
        result,
        items=items,
        summary=summary,
        skipped=skipped,
        dataset=EVIL,
        direction=Direction(EVIL, EVIL),
        citation=EVIL,
        warnings=(EVIL,),
    )
    page = page_of(tmp_path / "run", evil, command=EVIL, left_out={EVIL: EVIL})
    assert "<script" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") > 20


def test_the_note_of_a_row_is_shown_and_a_value_that_is_missing_is_not_drawn(run, tmp_path):
    """The share of women in a profession stands in the note of its row."""
    folder = shutil.copytree(run.folder, tmp_path / "copy")
    document = json.loads((folder / "summary.json").read_text())
    document["results"][-1] |= {"note": "share of women (US, 2019): 88.9 %", "value": None}
    (folder / "summary.json").write_text(json.dumps(document))
    page = write_report(folder).read_text()
    assert "share of women (US, 2019): 88.9 %" in page
    assert '="nan"' not in page


def test_an_unfinished_run_says_so(run, tmp_path):
    page = page_of(tmp_path / "half", runs.word_result(), finished=False)
    assert "This run is not finished" in page
    run = cp.Run.read(tmp_path / "half")
    run.manifest["measures"] = {}
    with pytest.raises(RunError, match="has no finished measure yet"):
        render(run)


def test_notes_warnings_and_what_was_left_out_are_shown(tmp_path):
    result = runs.word_result()
    result = replace(
        result, summary=result.summary.assign(note="a note"), warnings=("beware of the numbers",)
    )
    page = page_of(tmp_path / "run", result, left_out={"seat": "needs a sentence encoder"})
    assert "a note" in page
    assert "beware of the numbers" in page
    assert "needs a sentence encoder" in page


def test_a_content_note_stands_before_sentences_that_state_prejudices(tmp_path, run, small):
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("stereotyped,counterpart\nHe sews.,She sews.\nHe sings.,She sings.\nHe is.,He is.\n")
    sld = cp.audit(small, ["sld"], pairs=pairs, out=tmp_path / "run").run
    page = write_report(sld.folder).read_text()
    note = "state prejudices as people state them."
    assert page.index("The most extreme items") < page.index(note) < page.index("He sews.")
    assert page.count("Content note:") == 2  # before the items, and before those that were skipped
    assert "Content note:" not in write_report(run.folder).read_text()


def test_what_is_skipped_is_capped_with_a_count(tmp_path):
    many = skipped_table([f"item {n}" for n in range(300)], ["too long"] * 300)
    page = page_of(tmp_path / "run", replace(runs.word_result(), skipped=many))
    assert "300 items skipped" in page
    assert "The first 50 of 300" in page
    assert "item 49" in page
    assert "item 50" not in page


def test_many_words_are_shown_from_both_ends(tmp_path):
    result = runs.word_result(words=210, templates=2)
    page = page_of(tmp_path / "run", result)
    words = result.summary[result.summary.level == "word"].sort_values("value")
    assert "200 of 210 single words" in page
    assert words.group.iloc[0] in page
    assert words.group.iloc[-1] in page
    assert "The 60 lowest and highest of 210 words" in page


def test_extreme_items_are_the_lowest_and_highest(tmp_path):
    result = runs.word_result()
    page = page_of(tmp_path / "run", result)
    ordered = result.items.sort_values("own")
    table = page[page.index("The most extreme items") :]
    for text in (*ordered.text.head(5), *ordered.text.tail(5)):
        assert text in table


def test_a_measure_without_items_or_words_has_a_page(tmp_path):
    result = runs.word_result()
    bare = replace(
        result, items=result.items.iloc[:0], summary=result.summary[result.summary.level != "word"]
    )
    page = page_of(tmp_path / "run", bare)
    assert "kept no items" in page
    assert "lean" in page


def test_a_row_without_interval_or_value_is_drawn(tmp_path):
    result = runs.word_result()
    summary = result.summary.copy()
    summary.loc[0, ["ci_low", "ci_high", "p_value", "p_adjusted"]] = np.nan
    summary.loc[3, ["value", "ci_low", "ci_high"]] = np.nan
    assert "no interval" in page_of(tmp_path / "run", replace(result, summary=summary))


@pytest.mark.parametrize("format", ["svg", "pdf", "png"])
def test_charts_are_written_as_files(tmp_path, format):
    folder = runs.save_run(tmp_path / "run", runs.word_result())
    paths = write_charts(folder, format)
    assert [path.name for path in paths] == [
        f"{name}.{format}" for name in ("overview", "own-forest", "own-words", "power")
    ]
    start = {"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG"}[format]
    assert all(path.read_bytes().startswith(start) for path in paths)


def test_a_name_from_a_run_leads_nowhere():
    figure = Figure("../../etc/my measure", "title", draw=None)
    assert figure.name == "-etc-my-measure"


def test_an_unknown_format_of_charts(tmp_path):
    folder = runs.save_run(tmp_path / "run", runs.word_result())
    with pytest.raises(InputError, match="there is no format of charts 'gif'"):
        write_charts(folder, "gif")


def test_a_newer_or_damaged_run_is_refused(tmp_path):
    newer = runs.save_run(tmp_path / "newer", runs.word_result(), schema=99)
    with pytest.raises(RunError, match="update Counterpoise"):
        write_report(newer)
    damaged = runs.save_run(tmp_path / "damaged", runs.word_result())
    manifest = json.loads((damaged / "manifest.json").read_text())
    del manifest["finished"]
    (damaged / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(RunError, match="is damaged"):
        write_report(damaged)
