"""LPBS of causal models, worked out a second time with plain forward passes."""

from __future__ import annotations

import pandas as pd
import pytest

import brute
import counterpoise as cp
import few
import tiny


def log_p_rest(lm, subject, rest):
    """log P(rest | subject) by the definition of conditional probability."""
    both = brute.sentence_log_likelihood(lm, subject + rest, ended=False)
    return both - brute.sentence_log_likelihood(lm, subject, ended=False)


@pytest.fixture(scope="module", params=["gpt2", "llama"])
def lm(request, tmp_path_factory):
    return cp.load(tiny.save(request.param, tmp_path_factory.mktemp(request.param)))


def test_what_follows_the_person_against_a_neutral_subject(lm):
    rows = cp.data.becpro("en")
    some = rows[rows.profession.isin(["registered nurse", "taper"])]
    some = some[some.pair.isin([0, 1, 2])]
    items = cp.measures.lpbs(lm, some).items
    assert len(items) == len(some)
    assert set(items.template) == set(rows.template)
    for row in items.itertuples():
        before, _, rest = row.target_masked.partition("[MASK]")
        target = log_p_rest(lm, before + row.person, rest)
        prior = log_p_rest(lm, "This person", rest)
        assert row.prior_text == f"This person{rest}"
        assert row.log_p_target == pytest.approx(target, abs=1e-4)
        assert row.log_p_prior == pytest.approx(prior, abs=1e-4)
        assert row.association == pytest.approx(target - prior, abs=1e-4)


def test_the_difference_does_not_depend_on_the_neutral_subject(lm):
    """The prior cancels between the male and the female version of a sentence."""
    result = cp.measures.lpbs(lm, few.professions())
    cells = result.items.pivot_table(index=["profession", "pair"], columns="gender", values="log_p_target")
    by_profession = (cells.male - cells.female).groupby(level="profession").mean()
    assert result.headline.value == pytest.approx(by_profession.mean())


def test_an_attribute_before_the_person_cannot_be_asked(lm):
    rows = few.professions()
    first = rows[rows.profession == "taper"]
    turned = first.assign(target_masked="As a taper, [MASK] works hard.", attribute_at=5, template="turned")
    result = cp.measures.lpbs(lm, pd.concat([first, turned]))
    assert len(result.items) == len(first)
    assert set(result.skipped.reason) == {
        "the attribute stands before the person, and a causal model is asked for what follows the person"
    }


def test_a_sentence_that_only_fits_without_the_neutral_subject_is_skipped(lm):
    rows = few.professions()
    first = rows[rows.profession == "taper"]
    rest = " is a taper" + " very" * next(
        n for n in range(lm.max_length) if lm.problems(["This person is a taper" + " very" * n])[0]
    )
    assert lm.problems([f"He{rest}", f"She{rest}"]) == [None, None]
    person = first.gender.map({"male": "He", "female": "She"})
    long = first.assign(target_masked=f"[MASK]{rest}", attribute_at=12, person=person, template="long")
    result = cp.measures.lpbs(lm, pd.concat([first, long]))
    assert len(result.items) == len(first)
    [reason] = set(result.skipped.reason)
    assert reason.startswith("with 'this person' for the person the text has")
