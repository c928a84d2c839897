from __future__ import annotations

import pytest

import counterpoise as cp
from corpora import planted
from counterpoise.core.errors import InputError
from counterpoise.corpus.counting.rows import SCORE


@pytest.fixture(scope="module")
def found():
    corpora = {"strong": planted(1.5, 9000, 1), "weak": planted(0.4, 4000, 2), "other": planted(0.4, 4000, 3)}
    return cp.corpus.compare_corpora(corpora)


def row(found, first, second):
    table = found.differences
    [one] = table[
        (table["first"] == first) & (table["second"] == second) & (table.statistic == SCORE)
    ].itertuples()
    return one


def test_strengths_differ_and_equal_ones_do_not(found):
    apart, alike = row(found, "strong", "weak"), row(found, "weak", "other")
    assert apart.ci_low <= 1.1 <= apart.ci_high
    assert apart.p_adjusted < 0.001
    assert alike.ci_low <= 0 <= alike.ci_high
    assert alike.p_adjusted > 0.05


def test_samples_are_of_one_size(found):
    sizes = found.sample_words
    assert sizes["strong"] == pytest.approx(sizes["weak"], rel=0.05)
    assert found.totals["strong"]["words"] > 2 * sizes["strong"]


def test_the_words_that_carry_the_difference_are_professions(found):
    words = found.words.query("first == 'strong' and second == 'weak'")
    assert words[words.p_adjusted < 0.01].profession.all()
    ends = [*words.word.head(3), *words.word.tail(3)]
    assert {"nurse", "tired", "office"}.isdisjoint(set(ends) - set(words[words.profession].word))
    one = words[words.word == "nurse"].iloc[0]
    assert one.difference == pytest.approx(one.log_odds_first - one.log_odds_second)
    assert one.difference < 0


def test_the_seed_draws_another_sample():
    corpora = {"large": planted(0.4, 3000, 1), "small": planted(0.4, 1000, 2)}
    sizes = [cp.corpus.compare_corpora(corpora, seed=seed).sample_words["large"] for seed in (0, 0, 1)]
    assert sizes[0] == sizes[1] != sizes[2]


def test_one_corpus_given_twice():
    texts = planted(0.4, 200, 1)
    with pytest.raises(InputError, match="one and two hold the same text"):
        cp.corpus.compare_corpora({"one": texts, "two": list(texts)})
    with pytest.raises(InputError, match="a comparison needs two corpora"):
        cp.corpus.compare_corpora({"one": texts})


def test_professions_that_one_of_them_lacks_leave_no_score():
    texts = ["The nurse said he left.", "The nurse said she left."] * 50
    others = ["The judge said he left.", "The judge said she left."] * 50
    found = cp.corpus.compare_corpora({"one": texts, "two": others})
    assert "no profession is near gendered words 20 times in both" in row(found, "one", "two").note
