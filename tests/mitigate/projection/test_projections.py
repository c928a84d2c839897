"""Every projection by the property that defines it, on real vectors; and what remains after it."""

from __future__ import annotations

import json

import numpy as np
import pytest

import counterpoise as cp
import tiny
from counterpoise.core.errors import DataError, InputError, RunError
from counterpoise.data.builtin.gender_words import GenderWords
from counterpoise.mitigate.projection import directions
from counterpoise.mitigate.projection.applying import (
    Projected,
    apply_projection,
    fit_projection,
    what_remains,
)
from counterpoise.mitigate.projection.projections import (
    HardDebias,
    LinearProjection,
    Rotation,
    load_projection,
)
from counterpoise.models.vectors import WordVectors

pytestmark = pytest.mark.slow

METHODS = ["pair", "linear", "means", "hard", "inlp", "oscar"]


@pytest.fixture(scope="module")
def glove(data_file):
    return cp.load(data_file("vectors/glove_6B_50d_subset.txt.xz"))


def unit(rows):
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


@pytest.mark.parametrize("method", ["pair", "linear", "means"])
def test_a_linear_projection_removes_its_direction_exactly_and_nothing_else(method, glove):
    projection = fit_projection(glove, method)
    [direction] = projection.basis
    after = apply_projection(glove, projection)
    assert np.abs(after.matrix @ direction).max() < 1e-5
    # What is orthogonal to the direction is as it was.
    rest = glove.matrix - np.outer(glove.matrix @ direction, direction)
    assert after.matrix == pytest.approx(rest, abs=1e-5)
    assert projection.transform(after.matrix) == pytest.approx(after.matrix, abs=1e-5)
    assert after.name == "glove_6B_50d_subset.txt.xz (linear)"
    assert after.fingerprint != glove.fingerprint


def test_directions_by_another_way(glove):
    male, female = glove.lookup(["he", "man", "boy"]), glove.lookup(["she", "woman", "girl"])
    male, female = male.astype(float), female.astype(float)
    assert directions.from_pair(male[0], female[0])[0] == pytest.approx(unit(male[0] - female[0]))
    assert directions.from_means(male, female)[0] == pytest.approx(unit((male - female).sum(axis=0)))
    differences = male - female
    values, axes = np.linalg.eigh(differences.T @ differences)
    found = directions.from_pairs(male, female, components=2)
    for row, axis in zip(found, (axes[:, -1], axes[:, -2]), strict=True):
        assert abs(row @ axis) == pytest.approx(1)
        assert (differences @ row).sum() > 0  # towards male
    assert values[-1] > values[-2]
    jobs = glove.lookup(["nurse", "doctor", "lawyer", "teacher"]).astype(float)
    _, axes = np.linalg.eigh(np.cov(jobs, rowvar=False))
    assert abs(directions.from_spread(jobs)[0] @ axes[:, -1]) == pytest.approx(1)


def test_the_classifier_equals_a_plain_gradient_descent():
    rng = np.random.default_rng(0)
    vectors, labels = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    weights, bias = directions.fit_classifier(vectors, labels)
    scale = np.sqrt((vectors**2).mean())
    w, b = np.zeros(3), 0.0
    for _ in range(20_000):
        p = 1 / (1 + np.exp(-(vectors / scale @ w + b)))
        w -= 0.1 * ((vectors / scale).T @ (p - labels) / 60 + 1e-3 * w)
        b -= 0.1 * (p - labels).mean()
    assert weights == pytest.approx(w / scale, abs=1e-3)
    assert bias == pytest.approx(b, abs=1e-3)


def accuracy_on_unseen(before, labels, unseen, seen):
    """Of a classifier, before and after INLP; neither has seen the words that it is tested on."""
    after = LinearProjection(directions.from_classifiers(before[seen], labels[seen])).transform(before)
    for rows in (before, after):
        weights, bias = directions.fit_classifier(rows[seen], labels[seen])
        yield float(np.mean((rows[unseen] @ weights + bias > 0) == (labels[unseen] == 1)))


def test_inlp_leaves_a_linear_classifier_at_chance_on_held_out_rows():
    """Ravfogel's claim, where there are as many rows as in his paper: three directions give the label away."""
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(6000, 30))
    labels = (vectors[:, :3].sum(axis=1) + rng.normal(0, 0.5, 6000) > 0).astype(int)
    before, after = accuracy_on_unseen(vectors, labels, np.arange(2000), np.arange(2000, 6000))
    assert before > 0.85
    assert abs(after - 0.5) < 3 * np.sqrt(0.25 / 2000)


def test_inlp_on_few_real_words_leaves_little(glove):
    """With some 500 words to learn from, a little is left: three in five unseen words, of all before."""
    he_she = directions.from_pair(glove["he"], glove["she"])[0]
    order = np.argsort(unit(glove.matrix) @ he_she)
    vectors = glove.matrix[np.concatenate([order[-361:], order[:361]])].astype(float)
    labels, found = np.repeat([1, 0], 361), []
    for seed in range(4):
        unseen, seen = np.split(np.random.default_rng(seed).permutation(len(labels)), [150])
        found.append(list(accuracy_on_unseen(vectors, labels, unseen, seen)))
    before, after = np.mean(found, axis=0)
    assert before > 0.98
    assert after < 0.62


def test_inlp_finds_the_one_direction_that_there_is():
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(400, 6))
    labels = vectors[:, 2] > 0
    basis = directions.from_classifiers(vectors, labels, seed=3)
    assert abs(basis[0, 2]) > 0.98
    assert basis @ basis.T == pytest.approx(np.eye(len(basis)), abs=1e-9)
    assert np.array_equal(basis, directions.from_classifiers(vectors, labels, seed=3))


def test_oscar_makes_the_two_directions_orthogonal(glove):
    projection = fit_projection(glove, "oscar")
    before = abs(projection.first @ projection.second)
    assert before > 0.05
    first, second = projection.transform([projection.first, projection.second])
    assert first == pytest.approx(projection.first)
    assert first @ second == pytest.approx(0, abs=1e-12)
    after = projection.transform(glove.matrix)
    assert np.linalg.norm(after, axis=1) == pytest.approx(np.linalg.norm(glove.matrix, axis=1), rel=1e-6)
    # Outside the plane of the two nothing changes.
    plane = np.linalg.qr(np.stack([projection.first, projection.second]).T)[0]
    outside = np.eye(50) - plane @ plane.T
    assert after @ outside == pytest.approx(glove.matrix @ outside, abs=1e-5)


@pytest.mark.parametrize("angle", [0.4, 1.2, 1.9, 2.9])
def test_graded_rotation_as_the_paper_writes_it(angle):
    """Its four cases (Dev et al. 2021, section 3), written out."""
    first, second = np.array([1.0, 0.0]), np.array([np.cos(angle), np.sin(angle)])
    rotation = Rotation(first, second)
    for phi in np.linspace(-3.1, 3.1, 23):
        vector = np.array([np.cos(phi), np.sin(phi)])
        distance, size = np.pi / 2 - angle, abs(phi)
        if phi > 0:
            turn = distance * size / angle if size < angle else distance * (np.pi - size) / (np.pi - angle)
        elif size >= np.pi - angle:
            turn = distance * (np.pi - size) / angle
        else:
            turn = distance * size / (np.pi - angle)
        expected = [np.cos(phi + turn), np.sin(phi + turn)]
        assert rotation.transform([vector])[0] == pytest.approx(expected, abs=1e-9)


def test_hard_debiasing_neutralises_and_equalises(glove):
    projection = fit_projection(glove, "hard")
    after = apply_projection(glove, projection)
    [direction] = projection.basis
    neutral = ["nurse", "doctor", "algebra", "poetry"]
    assert np.abs(after.lookup(neutral) @ direction).max() < 1e-6
    assert np.linalg.norm(after.matrix, axis=1) == pytest.approx(1, abs=1e-5)
    for male, female in [("he", "she"), ("man", "woman"), ("john", "mary")]:
        near, far = after.lookup(neutral) @ after[male], after.lookup(neutral) @ after[female]
        assert near == pytest.approx(far, abs=1e-6)  # every neutral word is as near to one as to the other
        assert after[male] @ direction == pytest.approx(-after[female] @ direction, abs=1e-6)
        assert after[male] @ direction > 0.1
    # A word with a gender of its own, outside the pairs, keeps it.
    assert after["waitress"] == pytest.approx(unit(glove["waitress"]), abs=1e-6)


def test_equalise_equals_the_formula_of_the_paper():
    """Step 2b: mu, nu = mu - mu_B, w = nu + sqrt(1 - |nu|^2) (w_B - mu_B) / |w_B - mu_B|."""
    rng = np.random.default_rng(4)
    first, second = unit(rng.normal(size=(2, 5)))
    basis = np.linalg.qr(rng.normal(size=(5, 2)))[0].T
    inside = basis.T @ basis
    mu = (first + second) / 2
    nu = mu - inside @ mu
    expected = []
    for word in (first, second):
        away = inside @ word - inside @ mu
        expected.append(nu + np.sqrt(1 - nu @ nu) * away / np.linalg.norm(away))
    found = HardDebias(basis).equalise(first, second)
    assert found[0] == pytest.approx(expected[0])
    assert found[1] == pytest.approx(expected[1])


@pytest.mark.parametrize("method", METHODS)
def test_saved_and_loaded(method, glove, tmp_path):
    projection = fit_projection(glove, method, seed=2)
    projection.save(tmp_path / "p.npz")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.json", "p.npz"]
    loaded = load_projection(tmp_path / "p.npz")
    assert type(loaded) is type(projection)
    once, again = (apply_projection(glove, one).matrix for one in (projection, loaded))
    assert np.array_equal(once, again)
    assert np.array_equal(once, apply_projection(glove, fit_projection(glove, method, seed=2)).matrix)


def test_projected_vectors_can_be_saved(glove, tmp_path):
    after = apply_projection(glove, fit_projection(glove))
    after.save(tmp_path / "after.npy")
    assert np.array_equal(WordVectors.open(tmp_path / "after.npy").matrix, after.matrix)


def test_damaged_files(tmp_path):
    LinearProjection(np.eye(2)[:1]).save(tmp_path / "p")
    about = json.loads((tmp_path / "p.json").read_text())
    for change, message in (
        ({"kind": "magic"}, "names no kind of projection: 'magic'"),
        ({"kind": "hard"}, "cannot read .* as a projection"),
        ({"schema": 99}, "of a later version"),
    ):
        (tmp_path / "p.json").write_text(json.dumps(about | change))
        with pytest.raises(DataError, match=message):
            load_projection(tmp_path / "p")
    (tmp_path / "p.json").write_text(json.dumps(about))
    (tmp_path / "p.npz").write_bytes(b"nothing")
    with pytest.raises(DataError, match="cannot read"):
        load_projection(tmp_path / "p")
    with pytest.raises(RunError, match="cannot read"):
        load_projection(tmp_path / "nowhere")


def test_an_encoder_is_wrapped(tmp_path):
    encoder = cp.load(tiny.save("encoder", tmp_path))
    texts = ["He is a nurse.", "She is an engineer."]
    projection = fit_projection(encoder, "linear")
    wrapped = apply_projection(encoder, projection)
    assert isinstance(wrapped, Projected)
    assert wrapped.kind == "encoder"
    for before, after in (
        (encoder.sentence_vectors(texts), wrapped.sentence_vectors(texts)),
        (
            encoder.word_vectors(texts, ["nurse", "engineer"]),
            wrapped.word_vectors(texts, ["nurse", "engineer"]),
        ),
    ):
        assert np.abs(after @ projection.basis[0]).max() < 1e-5
        assert after == pytest.approx(
            before - np.outer(before @ projection.basis[0], projection.basis[0]), abs=1e-5
        )
        assert after.dtype == before.dtype
    assert wrapped.fingerprint != encoder.fingerprint
    assert wrapped.precision == "float32"
    assert wrapped.problems([""]) == encoder.problems([""])
    for method in ("pair", "hard", "inlp", "oscar"):
        assert fit_projection(encoder, method).transform(encoder.sentence_vectors(texts)).shape == (2, 32)


def test_what_remains_of_an_encoder_is_shown(tmp_path):
    """Neighbours among words that are each read on their own, worked out with vectors made by hand."""
    encoder = cp.load(tiny.save("encoder", tmp_path))
    data = GenderWords.of([("he", "she"), ("man", "woman")], ["nurse", "engineer", "chef", "judge"])
    vocabulary = [
        "house",
        "river",
        "green",
        "music",
        "paper",
        "water",
        "light",
        "stone",
        "table",
        "paint",
        "nurse",
    ]
    words = list(
        dict.fromkeys(["he", "she", "man", "woman", "nurse", "engineer", "chef", "judge", *vocabulary])
    )
    vectors = WordVectors(words, encoder.sentence_vectors(words).astype(float))
    for method in METHODS:
        projection = fit_projection(encoder, method, data)
        projection.save(tmp_path / method)
        after = apply_projection(encoder, load_projection(tmp_path / method))
        table = what_remains(encoder, after, data, vocabulary=vocabulary, k=4, n_biased=3)
        changed = WordVectors(words, projection.transform(vectors.matrix))
        first = cp.measures.neighbours(vectors, data, k=4, n_biased=3).summary
        second = cp.measures.neighbours(changed, data, original=vectors, k=4, n_biased=3).summary
        assert table.before.tolist() == pytest.approx(first.value.tolist(), abs=1e-6)
        assert table.after.tolist() == pytest.approx(second.value.tolist(), abs=1e-6, nan_ok=True)


def test_the_words_of_a_tokenizer(tmp_path):
    encoder = cp.load(tiny.save("encoder", tmp_path))
    table = what_remains(
        encoder, apply_projection(encoder, fit_projection(encoder, "linear")), k=20, n_biased=50
    )
    assert table.shape == (3, 5)
    assert table["nothing left"].tolist()[1:] == [0, 50]


@pytest.mark.parametrize("method", METHODS)
def test_what_remains_is_shown(method, glove):
    """Gonen & Goldberg's finding: after the direction is gone, words still lie among those of their gender."""
    after = apply_projection(glove, fit_projection(glove, method))
    table = what_remains(glove, after, allow_lost=True, k=50, n_biased=200)
    assert table.shape == (3, 5)
    _, correlation, clusters = table.itertuples(index=False)
    assert correlation.before > 0.8
    assert correlation.after < correlation.before
    assert correlation.after > 0.4  # much is left, whatever was done
    assert clusters.after <= clusters.before


def test_mistakes(glove):
    with pytest.raises(InputError, match="there is no method 'soft'"):
        fit_projection(glove, "soft")
    with pytest.raises(InputError, match="orthogonal and of length 1"):
        LinearProjection(np.array([[2.0, 0.0]]))
    with pytest.raises(InputError, match="for vectors of 50 numbers, found 3"):
        fit_projection(glove).transform(np.ones((2, 3)))
    with pytest.raises(InputError, match="the two directions are one"):
        Rotation(np.array([1.0, 0]), np.array([-2.0, 0]))
    with pytest.raises(InputError, match="the two directions have 2 and 3 numbers"):
        Rotation(np.array([1.0, 0]), np.ones(3))
    with pytest.raises(InputError, match="10 pairs give 10 components, not 11"):
        fit_projection(glove, "linear", components=11)
    with pytest.raises(InputError, match="do not differ in gender"):
        HardDebias(np.eye(2)[:1]).equalise(np.array([0.0, 1]), np.array([0.0, 1]))
    with pytest.raises(InputError, match="labels of two kinds"):
        directions.from_classifiers(np.ones((3, 2)), [1, 1, 1])
    with pytest.raises(DataError, match="no vectors for any pair"):
        fit_projection(WordVectors(["a"], np.ones((1, 2))))
