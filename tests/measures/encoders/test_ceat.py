"""CEAT: sampling, the random-effects combination by hand, and the test over words by enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch
from scipy import stats as scipy_stats

import counterpoise as cp
import tiny
from counterpoise.core.errors import DataError, InputError
from counterpoise.data import WordTest
from counterpoise.measures.encoders.common.association_tests import TestSettings
from counterpoise.measures.encoders.common.ceat_samples import (
    Sampled,
    sampled_associations,
    sampling_variance,
)

TEST = WordTest.of(
    "t",
    ["math", "physics", "numbers"],
    ["art", "dance", "poetry"],
    ["he", "man"],
    ["she", "woman"],
    gender=True,
)
FRAMES = [
    "The {} was there.",
    "Nobody saw the {}.",
    "What is {} to us?",
    "Give me the {}, please.",
    "{} it is.",
]
CORPUS = [
    frame.format(word if frame[0] != "{" else word.capitalize())
    for frame in FRAMES
    for one in TEST.sets
    for word in one.words
]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return cp.load(tiny.save("bert", tmp_path_factory.mktemp("bert")), kind="encoder")


@pytest.fixture(scope="module")
def result(encoder):
    return cp.measures.ceat(encoder, CORPUS, words=TEST, samples=500)


def associations(encoder, items, samples=500):
    vectors = encoder.word_vectors(items.text.tolist(), items.form.tolist()).astype(float)
    return sampled_associations(items, vectors, vectors, samples, TestSettings())


def test_one_context_is_weat(encoder):
    """Where each word has one sentence all samples are alike: WEAT's d on those vectors."""
    one = [f"This is {word}." for some in TEST.sets for word in some.words]
    result = cp.measures.ceat(encoder, one, words=TEST, samples=10)
    unit = {}
    for text in one:
        word = text.split()[-1].removesuffix(".")
        ids = encoder.tokenizer(text)["input_ids"]
        pieces = encoder.tokenizer(word, add_special_tokens=False)["input_ids"]
        at = ids.index(pieces[0])
        with torch.no_grad():
            hidden = encoder.model(torch.tensor([ids])).last_hidden_state[0].double().numpy()
        vector = hidden[at : at + len(pieces)].mean(axis=0)
        unit[word] = vector / np.linalg.norm(vector)
    s = [
        np.mean([unit[w] @ unit[v] for v in TEST.a.words])
        - np.mean([unit[w] @ unit[v] for v in TEST.b.words])
        for w in (*TEST.x.words, *TEST.y.words)
    ]
    d = (np.mean(s[:3]) - np.mean(s[3:])) / np.std(s, ddof=1)
    assert result.overall.value.iloc[0] == pytest.approx(d, abs=1e-5)
    assert result.overall.value.iloc[2] == 0  # nothing varies between contexts
    assert "10 words stand in fewer than 5 sentences" in result.warnings[0]


def test_every_sample_takes_one_sentence_of_each_word(encoder, result):
    """An association of a sample is that of some choice of sentences: no other value is possible."""
    items = result.items
    vectors = encoder.word_vectors(items.text.tolist(), items.form.tolist()).astype(float)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    found = sampled_associations(items, vectors, vectors, 50, TestSettings())
    at = {word: np.flatnonzero(items.word == word) for word in items.word.unique()}
    assert all(len(places) == 5 for places in at.values())

    def similarities(word, other):
        return (vectors[at[word]] @ vectors[at[other]].T)[..., None]

    to = [similarities("math", other) for other in ("he", "man", "she", "woman")]
    possible = {
        round(float((to[0][i, a] + to[1][i, b]).item() / 2 - (to[2][i, c] + to[3][i, d]).item() / 2), 9)
        for i in range(5) for a in range(5) for b in range(5) for c in range(5) for d in range(5)
    }  # fmt: skip
    assert {round(float(s), 9) for s in found.associations[:, 0]} <= possible
    assert len(set(found.associations[:, 0])) > 40


def test_the_combination_by_hand(encoder, result):
    """All samples weigh alike, so that the combined effect size is their mean; its variance and tau by hand."""
    found = associations(encoder, result.items)
    d = np.array([(s[:3].mean() - s[3:].mean()) / s.std(ddof=1) for s in found.associations])
    value, variance, tau = result.overall.value
    assert value == pytest.approx(d.mean(), abs=1e-9)
    v = sampling_variance(d.mean(), 3, 3)
    tau2 = max(0.0, d.var(ddof=1) - v)  # what DerSimonian & Laird's formula is with equal weights
    assert tau == pytest.approx(np.sqrt(tau2), abs=1e-9)
    assert variance == pytest.approx((v + tau2) / len(d), abs=1e-12)


def test_exact_p_and_interval_over_words(encoder, result):
    found = associations(encoder, result.items)
    scaled = (found.associations / found.associations.std(axis=1, ddof=1)[:, None]).mean(axis=0)
    splits = [list(chosen) for chosen in combinations(range(6), 3)]
    sums = np.array([scaled[chosen].mean() - np.delete(scaled, chosen).mean() for chosen in splits])
    row = result.overall.iloc[0]
    assert row.value == pytest.approx(scaled[:3].mean() - scaled[3:].mean(), abs=1e-9)
    assert row.p_value == np.mean(np.abs(sums) >= abs(row.value) - 1e-12)
    pooled = np.sqrt((scaled[:3].var(ddof=1) + scaled[3:].var(ddof=1)) / 2)
    half = scipy_stats.t.ppf(0.975, 4) * pooled * np.sqrt(2 / 3)
    assert (row.ci_low, row.ci_high) == pytest.approx((row.value - half, row.value + half))


def test_the_published_combination_by_hand(encoder):
    """V is the variance of associations; DerSimonian & Laird written out; p one-sided."""
    result = cp.measures.ceat(encoder, CORPUS, words=TEST, samples=300, variant="published")
    items = result.items
    vectors = encoder.word_vectors(
        items.text.tolist(), items.form.tolist(), "last", special_tokens=False
    ).astype(float)
    s = sampled_associations(items, vectors, vectors, 300, TestSettings()).associations
    e, v = (s[:, :3].mean(1) - s[:, 3:].mean(1)) / s.std(axis=1, ddof=1), s.var(axis=1, ddof=1)
    w = 1 / v
    q = np.sum(w * e**2) - np.sum(w * e) ** 2 / np.sum(w)
    tau2 = max(0, (q - 299) / (np.sum(w) - np.sum(w**2) / np.sum(w)))
    w = 1 / (v + tau2)
    ces, se = np.sum(w * e) / np.sum(w), np.sqrt(1 / np.sum(w))
    value, variance, tau = result.overall.value
    assert (value, variance, tau**2) == pytest.approx((ces, se**2, tau2))
    assert result.overall.p_value.iloc[0] == pytest.approx(scipy_stats.norm.sf(ces / se))
    assert "This" not in set(items.form)
    assert not items.text.str.contains(r"[.,?]").any()


def test_sampling_variance_against_simulation():
    """The delta method, over 20,000 tests of 40 words with a true difference."""
    dice = np.random.default_rng(1)
    for delta in (0.0, 1.0):
        x, y = dice.normal(delta, 1, (20_000, 20)), dice.normal(0, 1, (20_000, 20))
        d = Sampled(np.concatenate([x, y], axis=1), 20).effect_sizes
        assert sampling_variance(float(d.mean()), 20, 20) == pytest.approx(d.var(), rel=0.08)


def test_published_windows_of_words(encoder):
    """Nine words at the ends of a text, eight in its middle, as the authors' code cuts them."""
    text = "one two three four five, math six seven eight nine ten."
    corpus = [text, "Math is here but not so spelt", "math is short.", *CORPUS]
    items = cp.measures.ceat(encoder, corpus, words=TEST, samples=5, variant="published").items
    texts = items.text[items.word == "math"].tolist()
    assert texts[:2] == ["two three four five math six seven eight", "math is short"]
    assert all("Math" not in one for one in texts)


def test_without_a_corpus(encoder):
    with pytest.raises(DataError, match=r"needs a corpus \(data=FILE, --corpus FILE\)"):
        cp.measures.ceat(encoder)
    audit = cp.audit(encoder, measures=None, suite="full")
    assert "needs a corpus" in audit.left_out["ceat"]
    assert {"seat", "cseat", "weat_contextual"} <= set(audit.results)


def test_an_audit_with_a_corpus_and_words_of_ones_own(encoder, tmp_path):
    (tmp_path / "corpus.txt").write_text("\n".join(CORPUS))
    (tmp_path / "own.yaml").write_text(
        "sets: {x: [math, physics], y: [art, dance], a: [he], b: [she]}\n"
        "tests: [{name: mine, targets: [x, y], attributes: [a, b]}]\n"
    )
    audit = cp.audit(
        encoder,
        ["ceat"],
        corpus=tmp_path / "corpus.txt",
        words=tmp_path / "own.yaml",
        settings={"samples": 5, "allow_lost": True},
    )
    assert audit.results["ceat"].dataset == "own.yaml, corpus.txt"
    assert audit.summary.group[0] == "mine: x, y / a, b"


def test_bad_input(encoder, tmp_path):
    with pytest.raises(DataError, match="no word of own stands in a sentence of own"):
        cp.measures.ceat(encoder, ["Nothing here."], words=TEST)
    with pytest.raises(InputError, match=r"^samples should be greater than or equal to 2, not 1$"):
        cp.measures.ceat(encoder, CORPUS, words=TEST, samples=1)
    few = [line for line in CORPUS if "physics" not in line.lower()]
    result = cp.measures.ceat(encoder, few, words=TEST, samples=5)
    assert result.overall.note.tolist() == ["1 of the 3 words of 'X' are lost, more than a fifth"]
    assert result.skipped.item.tolist() == ["physics"]
    long = " ".join(["math"] * 90)
    skipped = cp.measures.ceat(encoder, [*CORPUS, long], words=TEST, samples=5).skipped
    assert skipped.reason.tolist() == ["the text has 92 tokens and the model takes 80"]


def test_occurrences_are_laid_out_by_word(result):
    assert result.items.groupby("role").word.nunique().to_dict() == {"A": 2, "B": 2, "X": 3, "Y": 3}
    assert len(result.items) == 5 * 10
    assert list(result.items.columns) == ["test", "role", "set", "word", "form", "text"]
