"""Results that show themselves: fragments for notebooks, pages, charts and tables, with text of others escaped."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import counterpoise as cp
import proofs
import runs
from counterpoise.audit.run import Run
from counterpoise.core.errors import InputError
from counterpoise.core.shown import Shown
from counterpoise.mitigate.evaluation.proof import prove

EVIL = "<script>alert(1)</script>"


class Checked(HTMLParser):
    """Every element that is opened is closed, and none can run or style anything outside."""

    VOID = frozenset({"img", "br"})

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.images = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        assert not any(name.startswith("on") for name, _ in attributes)
        if tag == "img":
            self.images.append(dict(attributes))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def checked(html):
    parser = Checked()
    parser.feed(html)
    assert parser.open == []
    assert not {"script", "style", "link"} & set(parser.tags)
    return parser


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("views")


@pytest.fixture(scope="module")
def comparison(folder):
    first = runs.save_run(folder / "first", runs.word_result("one", lean=1.0))
    second = runs.save_run(folder / "second", runs.word_result("two", lean=0.2, seed=1))
    return cp.compare(first, second)


@pytest.fixture(scope="module")
def shown(folder, comparison):
    even = ["The nurse said she was late.", "The nurse said he was late."] * 100
    skewed = ["The nurse said she was late.", "The cook said he was late."] * 100
    corpora = cp.corpus.compare_corpora({"even": even, "skewed": skewed}, professions=["nurse"])
    rng = np.random.default_rng(0)
    leans, pronouns = rng.normal(0, 0.5, 12), rng.normal(0, 0.3, 12)
    before, after = proofs.scores("before", leans, pronouns), proofs.scores("after", leans / 2, pronouns / 2)
    return {
        "Result": runs.word_result(f"model {EVIL}", lean=0.5),
        "Run": Run.read(folder / "first"),
        "Comparison": comparison,
        "Proof": prove(before, after),
        "CorpusComparison": corpora,
        "CorpusResult": corpora.results["even"],
    }


KINDS = ["Result", "Run", "Comparison", "Proof", "CorpusComparison", "CorpusResult"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_fragment_has_verdicts_a_chart_and_a_table(shown, kind):
    thing = shown[kind]
    assert type(thing).__name__ == kind
    parser = checked(thing._repr_html_())
    assert parser.tags.count("li") >= 1
    assert parser.tags.count("table") == 1
    [image] = parser.images
    assert image["alt"]
    drawn = base64.b64decode(image["src"].removeprefix("data:image/svg+xml;base64,"))
    assert ElementTree.fromstring(drawn).tag.endswith("svg")


@pytest.mark.parametrize("kind", KINDS)
def test_a_repr_is_one_short_line(shown, kind):
    assert re.fullmatch(r"<.{5,120}>", repr(shown[kind]))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_pages_charts_and_tables(shown, kind, tmp_path):
    thing = shown[kind]
    page = thing.report(tmp_path / "new" / "page.html")
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert EVIL not in page.read_text(encoding="utf-8")
    charts = thing.plot()
    assert len(charts) >= 1
    assert len(checked(charts._repr_html_()).images) == len(charts)
    assert isinstance(thing.to_frame(), pd.DataFrame)
    latex = thing.to_latex()
    assert latex.count(r"\begin{tabular}") >= 1
    assert latex.count(r"\begin{table*}") == latex.count(r"\end{table*}") == 1
    assert r"\end{tabular}" in latex


def test_charts_are_saved(shown, tmp_path):
    files = shown["Result"].plot().save(tmp_path / "charts", "png")
    assert files
    assert all(file.read_bytes().startswith(b"\x89PNG") for file in files)


def test_text_of_others_is_escaped(shown):
    html = shown["Result"]._repr_html_()
    assert EVIL not in html
    assert "model &lt;script&gt;" in html


def test_the_numbers_are_those_of_the_summary(shown):
    """The first row of the table, read back from the fragment."""
    result = shown["Result"]
    cells = re.findall(r"<td[^>]*>(.*?)</td>", result._repr_html_())
    assert float(cells[2]) == pytest.approx(result.summary.value.iloc[0], abs=0.005)
    assert cells[7] == str(result.summary.n.iloc[0])


def test_a_run_reports_into_its_folder_and_a_result_needs_a_path(shown):
    run = shown["Run"]
    assert run.report() == run.folder / "report.html"
    with pytest.raises(InputError, match=r"say where the page goes, such as \.report\('page.html'\)"):
        shown["Result"].report()
    with pytest.raises(InputError, match=r"ends in \.html, not to page\.pdf"):
        shown["Result"].report("page.pdf")


def test_results_are_by_measure_in_audits_and_runs_alike(tmp_path):
    audit = cp.audit(
        measures=["ppd"], templates=cp.data.Templates.of("{subject} naps."), out=tmp_path / "run"
    )
    assert (tmp_path / "run" / "report.html").is_file()
    assert audit.run.results.keys() == audit.results.keys() == {"ppd"}
    pd.testing.assert_frame_equal(audit.run.to_frame(), audit.to_frame())
    assert audit.run.results is audit.run.results  # read once


def test_an_audit_that_writes_nothing_has_a_page_too(tmp_path):
    audit = cp.audit(measures=["ppd"], templates=cp.data.Templates.of("{subject} naps.", "{subject} reads."))
    assert audit.run is None
    with pytest.raises(InputError, match="say where the page goes"):
        audit.report()
    page = audit.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Is builtin fair to women and men?" in page
    assert "not finished" not in page
    checked(audit._repr_html_())


def test_what_has_no_view_is_named():
    with pytest.raises(TypeError, match="Shown has no view"):
        Shown().plot()
