"""The page of any study: its findings escaped, its charts drawn, its tables with so many decimals."""

from __future__ import annotations

import pytest

from counterpoise.core.errors import InputError
from counterpoise.report.study_page import figure_of, write_study_page
from counterpoise.studies.replication.comparison import compared, table_of_lines
from counterpoise.studies.replication.findings import Chart, Findings, PaperAnswer, Table


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    records = [{"word": "nurse", "value": -0.4}, {"word": "mason", "value": 0.6}]
    Findings(
        "A <study>",
        "About it.",
        [PaperAnswer("Is it?", "No & never.", "yes", "no")],
        [
            Table(
                "one",
                "Table 1",
                ["word", "value", "n"],
                [["<b>", -0.41234, 12], ["mason", None, 3]],
                decimals=2,
            ),
            table_of_lines(
                "two",
                "Table 2",
                [
                    compared("d <1>", 0.5, 0.5, 0.01, kind="d"),
                    compared("d <2>", 0.7, 0.9, 0.01, "another model", kind="d"),
                ],
            ),
        ],
        [Chart("bars", "Figure 1", "word_bars", records, "A caption.", axis="male - female")],
        ["a note"],
    ).write(folder)
    write_study_page(folder)
    return folder


def test_html(folder):
    page = (folder / "study.html").read_text()
    assert "A &lt;study&gt;" in page
    assert "<strong>No &amp; never.</strong>" in page
    assert '<th scope="row">&lt;b&gt;</th><td class="num">-0.41</td><td class="num">12</td>' in page
    assert 'aria-label="Bars of 2 words, male - female. Highest: mason 0.600.' in page
    assert "<script" not in page


def test_it_begins_with_the_scorecard(folder):
    page, text = ((folder / name).read_text() for name in ("study.html", "study.md"))
    sentence = "Of 2 comparisons with printed numbers 1 reproduces the number and 1 differs from it."
    for content in (page, text):
        assert sentence in content
        assert content.index(sentence) < content.index("Is it?")
    assert "Scatter plots of 2 published against measured numbers (d)" in page
    assert "| Table 2 | 2 | 1 | 0 | 1 | 0 | 0 |" in text
    assert (folder / "figures" / "agreement.svg").exists()


def test_an_answer_leads_with_its_verdict(folder):
    page, text = ((folder / name).read_text() for name in ("study.html", "study.md"))
    assert page.index("Is it?") < page.index("<strong>No &amp; never.</strong>") < page.index("Published:")
    assert text.index("**No \\& never.**") < text.index("Published: yes")


def test_markdown_and_figure(folder):
    text = (folder / "study.md").read_text()
    assert "| mason |  | 3 |" in text
    assert "(figures/bars.svg)" in text
    assert (folder / "figures" / "bars.svg").read_text().startswith("<svg")


def test_an_unknown_chart():
    with pytest.raises(InputError, match="there is no kind of chart 'pie'"):
        figure_of(Chart("x", "X", "pie", []))
