"""SEAT, worked out a second time with plain transformers and numpy, one sentence per forward pass."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch
from scipy.spatial import distance

import counterpoise as cp
import tiny
from counterpoise.core.errors import DataError, InputError, ModelError
from counterpoise.data import WordTest, WordTests
from counterpoise.data.builtin.seat import seat_sentences
from counterpoise.mitigate.projection.applying import apply_projection, fit_projection

pytestmark = pytest.mark.slow

TEST = WordTest.of(
    "small",
    x=["John", "Paul", "man"],
    y=["Amy", "Lisa", "woman", "girl"],
    a=["career", "office"],
    b=["home", "children", "family"],
    gender=True,
)
ARCHITECTURES = ["bert", "distilbert", "roberta", "albert"]


@pytest.fixture(scope="module")
def encoder():
    return cp.load(kind="encoder")


def sentence_vector(encoder, text):
    ids = torch.tensor([encoder.tokenizer(text)["input_ids"]])
    with torch.no_grad():
        return encoder.model(input_ids=ids).last_hidden_state[0].double().mean(0).numpy()


def first_token_alone(encoder, text):
    """As the authors' code reads BERT: no [CLS], no [SEP], the first vector."""
    ids = torch.tensor([encoder.tokenizer(text, add_special_tokens=False)["input_ids"]])
    with torch.no_grad():
        return encoder.model(input_ids=ids).last_hidden_state[0, 0].double().numpy()


def cosine(u, v):
    return float(u @ v / np.sqrt((u @ u) * (v @ v)))


def vectors_by_word(words, vector):
    return [[vector(text) for text in seat_sentences([word]).sentence] for word in words]


def associations_by_hand(test, vector):
    """s of each target word: over all pairs of its sentences and those of each attribute word."""
    x, y, a, b = (vectors_by_word(one.words, vector) for one in test.sets)

    def similarity(word, other):
        return np.mean([cosine(u, v) for u in word for v in other])

    def s(word):
        return np.mean([similarity(word, one) for one in a]) - np.mean([similarity(word, one) for one in b])

    return np.array([s(word) for word in x]), np.array([s(word) for word in y])


def exact_p(x, y):
    """Both directions, by listing all splits."""
    pool = np.concatenate([x, y])
    observed, count, total = abs(x.mean() - y.mean()), 0, 0
    for chosen in combinations(range(len(pool)), len(x)):
        inside = np.isin(np.arange(len(pool)), chosen)
        total += 1
        count += abs(pool[inside].mean() - pool[~inside].mean()) >= observed - 1e-12
    return count / total


def model_of(kind, encoder, tmp_path):
    return encoder if kind == "builtin" else cp.load(tiny.save(kind, tmp_path), kind="encoder")


@pytest.mark.parametrize("kind", ["builtin", *ARCHITECTURES])
def test_equals_numpy_on_plain_transformers(kind, encoder, tmp_path):
    model = model_of(kind, encoder, tmp_path)
    [row] = cp.measures.seat(model, TEST).summary.itertuples()
    x, y = associations_by_hand(TEST, lambda text: sentence_vector(model, text))
    d = (x.mean() - y.mean()) / np.concatenate([x, y]).std(ddof=1)
    assert row.value == pytest.approx(d, abs=1e-5)  # float32 in, in other batches
    assert row.p_value == exact_p(x, y)
    assert row.clusters == 7
    assert row.n == 4 * 8 + 3 * 13  # sentences of names and of nouns
    assert row.note == "p from all 35 splits"


def test_equals_numpy_on_the_same_vectors(encoder):
    """Given the vectors, the arithmetic to 1e-6."""
    result = cp.measures.seat(encoder, cp.data.weat(["weat7"]))
    [test] = cp.data.weat(["weat7"]).tests
    texts = result.items.text.unique().tolist()
    known = dict(zip(texts, encoder.sentence_vectors(texts).astype(float), strict=True))
    x, y = associations_by_hand(test, known.__getitem__)
    [row] = result.summary.itertuples()
    assert row.value == pytest.approx((x.mean() - y.mean()) / np.concatenate([x, y]).std(ddof=1), abs=1e-6)
    assert row.p_value == exact_p(x, y)
    assert row.ci_low < row.value < row.ci_high
    by_word = result.items[result.items.role.isin(["X", "Y"])].groupby("word", sort=False).association.mean()
    assert by_word.to_numpy() == pytest.approx(np.concatenate([x, y]), abs=1e-6)


def test_published_counts_sentences(encoder):
    """The first token without special tokens, each sentence by itself, one direction."""
    [row] = cp.measures.seat(encoder, TEST, variant="published").summary.itertuples()
    x, y, a, b = (
        [first_token_alone(encoder, text) for text in seat_sentences(one.words, "published").sentence]
        for one in TEST.sets
    )
    s = [np.mean([cosine(w, v) for v in a]) - np.mean([cosine(w, v) for v in b]) for w in [*x, *y]]
    x, y = np.array(s[: len(x)]), np.array(s[len(x) :])
    assert row.value == pytest.approx((x.mean() - y.mean()) / np.std(s, ddof=1), abs=1e-5)
    assert row.n == row.clusters == len(s)
    dice = np.random.default_rng(5)
    shuffled = dice.permuted(np.tile(s, (20_000, 1)), axis=1)
    p = np.mean(shuffled[:, : len(x)].sum(axis=1) >= x.sum())
    assert row.p_value == pytest.approx(p, abs=0.02)


def test_the_six_tests_about_gender_are_the_headline(encoder):
    result = cp.measures.seat(encoder)
    assert result.overall.group.str.partition(":")[0].tolist() == [
        "weat6", "weat6b", "weat7", "weat7b", "weat8", "weat8b"
    ]  # fmt: skip
    assert result.overall.p_adjusted.ge(result.overall.p_value).all()
    assert result.skipped.empty
    assert result.warnings == ()


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "mahalanobis"])
def test_other_distances(metric, tmp_path):
    encoder = cp.load(tiny.save("bert", tmp_path), kind="encoder")
    vectors = {
        word: np.array([sentence_vector(encoder, text) for text in seat_sentences([word]).sentence])
        for one in TEST.sets
        for word in one.words
    }
    options = {}
    if metric == "mahalanobis":
        covariance = np.cov(np.concatenate(list(vectors.values())), rowvar=False)
        options["VI"] = np.linalg.pinv(covariance, rcond=1e-8)  # the last layer's norm leaves no mean to vary

    def s(word):
        near_a, near_b = (
            -np.mean([distance.cdist(vectors[word], vectors[v], metric, **options).mean() for v in one.words])
            for one in TEST.sets[2:]
        )
        return near_a - near_b

    x, y = (np.array([s(word) for word in one.words]) for one in TEST.sets[:2])
    name = {"cityblock": "manhattan"}.get(metric, metric)
    [row] = cp.measures.seat(encoder, TEST, metric=name).summary.itertuples()
    assert row.statistic == f"d ({name}, ddof 1, over words)"
    expected = (x.mean() - y.mean()) / np.std([*x, *y], ddof=1)
    assert row.value == pytest.approx(expected, abs=1e-4)


def test_mahalanobis_of_few_sentences(encoder):
    with pytest.raises(InputError, match="vectors of 384 numbers are all equally far from one another"):
        cp.measures.seat(encoder, TEST, metric="mahalanobis")


def test_lost_words(encoder):
    """A word that the model cannot read is named; too many of them, and the test says nothing."""
    test = WordTest.of("t", ["he", "him", "☃"], ["she", "her"], ["math"], ["art"])
    result = cp.measures.seat(encoder, test)
    assert np.isnan(result.summary.value[0])
    assert result.summary.note[0] == "1 of the 3 words of 'X' are lost, more than a fifth"
    assert result.skipped.item[0] == "☃"
    assert "is not in the vocabulary" in result.skipped.reason.iloc[-1]
    assert result.warnings[0] == "1 words are not in the lexicon and stand in 'This is ...' only, e.g. '☃'"
    assert result.warnings[1].startswith("1 of 1 tests give no number (t)")
    allowed = cp.measures.seat(encoder, test, allow_lost=True)
    assert allowed.summary.value[0] == pytest.approx(
        cp.measures.seat(
            encoder, WordTest.of("t", ["he", "him"], ["she", "her"], ["math"], ["art"])
        ).summary.value[0]
    )


def test_bad_input(encoder, builtin):
    with pytest.raises(ModelError, match="seat needs a sentence encoder"):
        cp.measures.seat(builtin)
    with pytest.raises(InputError, match=r"^metric takes cosine or .*, not cosin; did you mean 'cosine'"):
        cp.measures.seat(encoder, TEST, metric="cosin")
    with pytest.raises(DataError, match="nothing is left to measure"):
        cp.measures.seat(encoder, WordTest.of("t", ["☃"], ["☂"], ["☁"], ["☀"]))


def test_own_word_sets(encoder, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(
        "sets: {x: [physics, math], y: [poetry, dance], m: [he, man], f: [she, woman]}\n"
        "tests: [{name: mine, targets: [x, y], attributes: [m, f], gender: true}]\n"
    )
    result = cp.measures.seat(encoder, path)
    assert result.dataset == "mine.yaml"
    assert result.overall.group.tolist() == ["mine: x, y / m, f"]
    assert result.warnings == ()
    both = WordTests("two", (TEST, WordTest.of("u", ["he"], ["she"], ["math"], ["art"])))
    assert cp.measures.seat(encoder, both).summary.level.tolist() == ["overall", "group"]


def test_an_audit_of_an_encoder(encoder, tmp_path):
    audit = cp.audit(encoder, out=tmp_path / "run")
    assert list(audit.results) == ["seat"]
    assert audit.left_out["lpbs"].startswith(
        "needs a masked language model or a causal language model; builtin is a sentence encoder (if"
    )
    again = cp.audit(cp.load(kind="encoder"), out=tmp_path / "run")  # continues: the model is the same
    assert again.results["seat"].summary.value.tolist() == audit.results["seat"].summary.value.tolist()


@pytest.mark.parametrize("variant", ["corrected", "published"])
def test_a_projected_encoder_is_measured_and_not_the_one_inside(variant, tmp_path):
    inside = cp.load(tiny.save("bert", tmp_path), kind="encoder")
    projected = apply_projection(inside, fit_projection(inside, "linear"))
    before, after = (cp.measures.seat(one, TEST, variant=variant).summary for one in (inside, projected))
    assert abs(before.value[0] - after.value[0]) > 1e-3
