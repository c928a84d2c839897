"""The likelihood measures of causal models on a real one, each with an item worked out again by plain transformers."""

from __future__ import annotations

import numpy as np
import pytest

import brute
import counterpoise as cp
from counterpoise.measures.base.sampling import limited
from served import smollm2

pytestmark = pytest.mark.slow

ITEMS = 12
NEEDS = {
    "winogender": "winogender/all_sentences.tsv",
    "winobias": "winobias",
    "gest": "gest/gest_1.1.csv",
    "lpbs": None,
    "ppd": None,
}


@pytest.fixture(scope="module")
def lm():
    return cp.load(smollm2(), device="cpu")


def of_versions(lm, row, first, second, before):
    """The log-likelihood ratio of a sentence with either word, and the log-odds of the words after its beginning."""
    start = row.text.partition("[MASK]")[0]
    whole = [brute.sentence_log_likelihood(lm, row.text.replace("[MASK]", word)) for word in (first, second)]
    words = [brute.next_word_log_probability(lm, start, word) for word in (first, second)]
    return [whole[0] - whole[1], *([words[0] - words[1]] if before else [])]


def expected(name, lm, row):
    """The numbers of an item and what plain transformers make of them."""
    if name == "winogender":
        found = [row.preference, row.preference_before]
        return found, of_versions(lm, row, row.male, row.female, before=True)
    if name == "winobias":
        return [row.score, row.score_before], of_versions(lm, row, row.pro, row.anti, before=True)
    if name == "lpbs":
        before, _, rest = row.target_masked.partition("[MASK]")
        target, prior = (
            brute.sentence_log_likelihood(lm, subject + rest) - brute.sentence_log_likelihood(lm, subject)
            for subject in (before + row.person, "This person")
        )
        return [row.association], [target - prior]
    start = row.text.removesuffix("[MASK]") if name == "gest" else row.text.partition("[MASK]")[0]
    male, female = (brute.next_word_log_probability(lm, start, word) for word in (row.male, row.female))
    if name == "gest":
        return [row.score], [male - female]
    return [row.ppd], [np.exp(male) - np.exp(female)]


@pytest.mark.parametrize("name", NEEDS)
def test_a_sample_of_a_likelihood_measure(name, lm, data_file):
    if NEEDS[name]:
        data_file(NEEDS[name])
    with limited(ITEMS):
        result = getattr(cp.measures, name)(lm)
    assert 0 < len(result.items) <= 2 * ITEMS
    assert np.isfinite(result.headline.value)
    assert np.isfinite(result.overall.value).all()
    [row] = result.items.iloc[:1].itertuples()
    if name == "winobias":  # one sentence whose versions differ in one word
        [row] = result.items[result.items.text.str.count(r"\[MASK\]") == 1].iloc[:1].itertuples()
    found, worked_out = expected(name, lm, row)
    assert found == pytest.approx(worked_out, abs=1e-3)
