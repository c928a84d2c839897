"""The pages in a real browser: from disk, without a network, light and dark, on a phone, on paper, for everyone."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

import counterpoise as cp
import runs
from browser import DESK, PHONE, opened
from corpora import planted
from counterpoise.measures.base.skipped import skipped_table
from counterpoise.report.compare_page import write_comparison
from counterpoise.report.corpus_page import write_corpus_page
from counterpoise.report.html import write_report
from counterpoise.report.study_page import write_study_page
from counterpoise.studies.replication.findings import Chart, Findings

pytestmark = pytest.mark.slow

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A report and a comparison with everything in them, and what a reviewer with bad intentions would write."""
    folder = tmp_path_factory.mktemp("pages")
    written = []
    for n, lean in enumerate((1.5, 0.5, 0.4)):
        result = runs.word_result(f"model {n} {EVIL}", lean=lean, seed=n)
        items = result.items.assign(
            text=EVIL + result.items.text, women_share=90.0 - 10 * result.items.word.str[4:].astype(int)
        )
        result = replace(
            result,
            items=items,
            skipped=skipped_table([EVIL] * 3, ["too long"] * 3),
            warnings=("beware",),
            citation=EVIL,
        )
        unsure = replace(runs.word_result(measure="small", words=1, seed=n), model=result.model)
        written.append(runs.save_run(folder / str(n), result, unsure, left_out={"seat": "needs an encoder"}))
    return {
        "report": write_report(written[0]),
        "comparison": write_comparison(cp.compare(*written[:2]), folder / "two"),
        "ranking": write_comparison(cp.compare(*written), folder / "three"),
    }


@pytest.mark.parametrize(
    ("name", "scheme", "size"),
    [
        ("report", "light", DESK),
        ("report", "dark", DESK),
        ("report", "light", PHONE),
        ("report", "dark", PHONE),
        ("comparison", "dark", DESK),
        ("comparison", "light", PHONE),
        ("ranking", "light", DESK),
        ("ranking", "dark", PHONE),
    ],
)
def test_pages_open_from_disk_and_serve_everyone(browser, pages, name, scheme, size):
    with opened(browser, pages[name], size, color_scheme=scheme) as found:
        assert [url for url in found.requests if not url.startswith(("file:", "data:"))] == []
        assert len([url for url in found.requests if url.startswith("file:")]) == 1
        assert found.complaints == []
        assert found.overflow() <= 0
        assert found.out_of_view() == []
        assert found.cut_texts() == []
        assert found.violations() == []


def test_the_instrument_sees_what_is_wrong(browser, tmp_path):
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<p style='color:#aaa;background:#fff'>pale</p><img src='http://0.0.0.0/x.png'><script>alert(1)</script>"
    )
    with opened(browser, bad) as found:
        names = [violation.split(":")[0] for violation in found.violations()]
        assert {"color-contrast", "image-alt"} <= set(names)
        assert "1" in found.complaints
        assert "http://0.0.0.0/x.png" in found.requests


def test_dark_is_dark_and_charts_follow(browser, pages):
    seen = {}
    for scheme in ("light", "dark"):
        with opened(browser, pages["report"], color_scheme=scheme) as found:
            paper = found.page.evaluate("getComputedStyle(document.body).backgroundColor")
            ink = found.page.eval_on_selector("svg text", "element => getComputedStyle(element).fill")
            seen[scheme] = paper, ink
    assert _lightness(seen["light"][0]) > 0.9 > 0.3 > _lightness(seen["light"][1])
    assert _lightness(seen["dark"][0]) < 0.2 < 0.7 < _lightness(seen["dark"][1])


def _lightness(colour: str) -> float:
    numbers = [float(part) for part in colour.removeprefix("rgb(").rstrip(")").split(",")]
    return sum(numbers) / (3 * 255)


def test_the_page_can_be_printed(browser, pages, tmp_path):
    with opened(browser, pages["report"], color_scheme="dark") as found:
        found.page.emulate_media(media="print")
        assert not found.page.is_visible("nav")
        paper = found.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert _lightness(paper) == 1.0
        found.page.pdf(path=tmp_path / "page.pdf", format="A4")
        assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")


def test_charts_are_printed_wide_and_in_the_colours_of_paper(browser, pages):
    with opened(browser, pages["report"], PHONE, color_scheme="dark") as found:
        found.page.emulate_media(media="print", color_scheme="dark")
        shown = (
            "[...document.querySelectorAll('figure svg')].filter(one => one.getBoundingClientRect().width)"
        )
        assert set(found.page.evaluate(f"{shown}.map(one => one.getAttribute('class'))")) == {"wide"}
        bars = "[...document.querySelectorAll('svg.wide [fill=\"#0072b2\"]')]"
        fills = found.page.evaluate(f"{bars}.map(one => getComputedStyle(one).fill)")
        assert set(fills) == {"rgb(0, 114, 178)"}


@pytest.fixture(scope="module")
def real_pages(few_questions, builtin, small, tmp_path_factory):
    """Pages of real models and corpora: their report, a comparison, counts of words, and a study."""
    folder = tmp_path_factory.mktemp("real")
    audits = [
        cp.audit(model, ["lpbs", "ppd", "sld"], out=folder / name, cache=False).run.folder
        for name, model in (("builtin", builtin), ("checkpoint-100000", small))
    ]
    corpora = {"strong": planted(1.5, 400, 1), "comments of 2019 to 2024": planted(0.0, 400, 2)}
    records = [
        {"word": word, "run": run, "value": value, "seen": word == "nurse"}
        for word, value in (("customer service representative", 0.4), ("nurse", -0.3))
        for run in ("before", "after")
    ]
    study = folder / "study"
    study.mkdir()
    Findings("A study", "", charts=[Chart("bars", "Bars", "word_bars", records, axis="APPD")]).write(study)
    (folder / "corpus").mkdir()
    return {
        "report": write_report(audits[0]),
        "comparison": write_comparison(cp.compare(*audits), folder / "comparison"),
        "corpus": write_corpus_page(cp.corpus.compare_corpora(corpora), folder / "corpus"),
        "study": write_study_page(study),
    }


@pytest.mark.parametrize("name", ["report", "comparison", "corpus", "study"])
def test_nothing_is_cut_or_out_of_view_on_real_pages(browser, real_pages, name):
    for size in (DESK, {"width": 390, "height": 844}):
        with opened(browser, real_pages[name], size) as found:
            assert found.cut_texts() == []
            assert found.out_of_view() == []
            assert found.smallest_text() > 9
            assert found.share_of_column() > 0.99


def test_links_lead_somewhere(browser, pages):
    for path in pages.values():
        with opened(browser, path) as found:
            missing = found.page.evaluate(
                "[...document.querySelectorAll('a[href^=\"#\"]')].map(a => a.hash.slice(1))"
                ".filter(id => !document.getElementById(id))"
            )
            assert missing == []


def test_a_report_of_20000_items_opens_without_stalling(browser, tmp_path):
    folder = runs.save_run(tmp_path / "large", runs.word_result(words=100, templates=200, spread=0.05))
    path = write_report(folder)
    start = time.monotonic()
    with opened(browser, path) as found:
        found.page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        assert time.monotonic() - start < 5
        assert found.complaints == []
