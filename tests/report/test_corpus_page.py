import pytest

import counterpoise as cp
from browser import DESK, PHONE, opened
from corpora import planted
from counterpoise.corpus.counting.compare import CorpusComparison
from counterpoise.report.corpus_page import corpus_claims, corpus_document, render_corpora, write_corpus_page

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def found() -> CorpusComparison:
    corpora = {
        "strong": planted(1.5, 1500, 1),
        f"none {EVIL}": [f"{text} {EVIL}" for text in planted(0.0, 1500, 2)],
    }
    return cp.corpus.compare_corpora(corpora)


def test_claims_say_what_was_found_and_what_could_have_been(found):
    claims = {(claim.measure, claim.kind): claim.text for claim in reversed(corpus_claims(found))}
    assert "log odds: 1." in claims["strong", "bias"]
    assert "could have been seen" in claims[f"none {EVIL}", "none"]
    assert "differ in the spread" in claims["compared", "difference"]
    assert "no names" in claims["compared", "unsure"]


def test_the_page_holds_all_and_is_escaped(found):
    page = render_corpora(found)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert (
        page.count("<figure>") == 1 + 2 * 2 + 1
    )  # all corpora; words and professions of each; the difference
    assert "1,500 documents" in page
    assert "Barza" not in page


def test_numbers_beside_the_page(found):
    document = corpus_document(found)
    assert [one["name"] for one in document["corpora"]] == list(found.results)
    assert len(document["differences"]) == 4
    assert document["sample_words"] == found.sample_words


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "size"), [("light", DESK), ("dark", PHONE)])
def test_in_a_browser(browser, found, tmp_path, scheme, size):
    path = write_corpus_page(found, tmp_path)
    with opened(browser, path, size, color_scheme=scheme) as page:
        assert page.violations() == []
        assert page.overflow() <= 0
        assert page.requests == [path.resolve().as_uri()]
        assert page.complaints == []
