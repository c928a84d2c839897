import pytest

import counterpoise as cp
from browser import DESK, PHONE, opened
from corpora import planted
from counterpoise.corpus.concordance import ConcordanceLine
from counterpoise.corpus.counting.compare import CorpusComparison
from counterpoise.corpus.counting.words import CorpusWords
from counterpoise.corpus.quotes import Quotes, leading_quotes
from counterpoise.data.corpus import Corpus
from counterpoise.report.corpus_page import all_findings, corpus_document, render_corpora, write_corpus_page

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def found() -> CorpusComparison:
    corpora = {
        "strong": planted(1.5, 1500, 1),
        f"none {EVIL}": [f"{text} {EVIL}" for text in planted(0.0, 1500, 2)],
    }
    return cp.corpus.compare_corpora(corpora)


@pytest.fixture(scope="module")
def lines(found) -> dict:
    corpus = Corpus.of(planted(1.5, 1500, 1), name="strong")
    return {"strong": leading_quotes(corpus, found.results["strong"].items, CorpusWords.of())}


def test_findings_begin_with_the_fact(found):
    findings = all_findings(found)
    assert "% of gendered pronouns are male (" in findings[0].fact
    verdicts = {(finding.corpus, finding.verdict): finding.text for finding in reversed(findings)}
    assert "typical profession" in verdicts["strong", "bias"]
    assert (f"none {EVIL}", "bias") not in verdicts
    assert "They differ" in verdicts["compared", "differs"]
    assert "no names" in verdicts["compared", "unclear"]


def test_the_page_holds_all_and_is_escaped(found):
    page = render_corpora(found)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    # All corpora; words and professions of the one, professions of the other, where no word leans; the difference.
    assert page.count("<figure>") == 1 + 2 + 1 + 1
    assert "None of" in page
    assert "1,500 documents" in page
    assert "Barza" not in page


def test_the_leading_fact_is_the_first_that_is_said(found):
    page = render_corpora(found)
    first = page.index("of gendered pronouns are male")
    assert first < page.index("typical profession") < page.index("log odds")
    assert page.index("<h1>") < first < page.index("<svg")


def test_lines_of_the_corpus_are_quoted_where_they_are_given(found, lines):
    assert "In context" not in render_corpora(found)
    page = render_corpora(found, quotes=lines)
    assert page.count("In context") == 1
    assert "<strong>poet</strong>" in page
    evil = {"strong": [Quotes("nurse", "men", (ConcordanceLine(1, EVIL, "nurse", "\x1b[0m"),))]}
    page = render_corpora(found, quotes=evil)
    assert "<script" not in page
    assert "\\x1b[0m" in page


def test_numbers_beside_the_page(found):
    document = corpus_document(found)
    assert [one["name"] for one in document["corpora"]] == list(found.results)
    assert len(document["differences"]) == 4
    assert document["findings"][0].keys() == {"corpus", "verdict", "fact", "explanation"}
    assert document["sample_words"] == found.sample_words


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "size"), [("light", DESK), ("dark", PHONE)])
def test_in_a_browser(browser, found, lines, tmp_path, scheme, size):
    path = write_corpus_page(found, tmp_path, quotes=lines)
    with opened(browser, path, size, color_scheme=scheme) as page:
        assert page.violations() == []
        assert page.overflow() <= 0
        assert page.requests == [path.resolve().as_uri()]
        assert page.complaints == []
