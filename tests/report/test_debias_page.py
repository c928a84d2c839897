"""The page of a proof: everything on it, escaped, and good for everyone in a real browser."""

from __future__ import annotations

from dataclasses import replace

import pytest

import proofs
from browser import DESK, PHONE, opened
from counterpoise.mitigate.evaluation.proof import prove
from counterpoise.report.debias_page import render_proof, write_debias_page

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def proof():
    base, control, debiased = proofs.three()
    corpus = [f"A job {i} came." for i in range(9)]
    return prove(
        replace(base, model=EVIL), replace(debiased, model=f"after {EVIL}"), control=control, corpus=corpus
    )


def test_the_page_has_it_all(proof):
    page = render_proof(proof)
    assert page.index("Verdict") < page.index("Gain: how far professions lean") < page.index("Filled masks")
    assert EVIL not in page
    assert "<del>it</del>" in page
    assert "<ins>they</ins>" in page
    for sentence in proof.verdict:
        assert sentence.replace("'", "&#39;").replace("<", "&lt;").replace(">", "&gt;") in page
    titles = ["male - female association of professions: before", "APPD of professions: before"]
    titles += ["Words with a gender of their own: before", "APPD of each profession, before and after"]
    places = [page.index(title) for title in titles]
    assert places == sorted(places)


def test_without_a_control_the_page_says_what_cannot_be_known(proof):
    base, _, debiased = proofs.three()
    page = render_proof(prove(base, debiased))
    assert "Without a control nobody can tell" in page
    assert "due to swapping</th>" not in page
    assert "Without a control" not in render_proof(proof)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "scheme"), [(DESK, "light"), (PHONE, "dark")])
def test_the_page_serves_everyone(browser, proof, tmp_path, size, scheme):
    path = write_debias_page(proof, tmp_path)
    with opened(browser, path, size, color_scheme=scheme) as found:
        assert found.complaints == []
        assert len(found.requests) <= 2
        assert found.overflow() <= 0
        assert found.violations() == []
