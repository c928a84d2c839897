"""WEAT on real vectors, worked out a second time with numpy and by enumerating every split."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.core.errors import DataError, InputError, ModelError
from counterpoise.data import WordTest, WordTests, weat


@pytest.fixture(scope="module")
def glove(data_file):
    return cp.load(data_file("vectors/glove_6B_50d_subset.txt.xz"))


@pytest.fixture(scope="module")
def word2vec(data_file):
    return cp.load(data_file("vectors/word2vec_googlenews_subset.txt.xz"))


@pytest.fixture(scope="module")
def glove_result(glove):
    return cp.measures.weat(glove)


def plain_vectors(path):
    """The vectors, read without our reader."""
    import lzma

    with lzma.open(path, "rt", encoding="utf-8") as file:
        lines = [line.split() for line in file]
    return {line[0]: np.array(line[1:], dtype=float) for line in lines if len(line) > 2}


def by_hand(vectors, sets):
    """Associations and d, from cosines of one pair of words at a time; lower-case words where there are no others."""

    def vector(word):
        return vectors.get(word, vectors.get(word.lower()))

    def cos(u, v):
        return float(u @ v / np.sqrt((u @ u) * (v @ v)))

    x, y, a, b = ([vector(word) for word in words if vector(word) is not None] for words in sets)
    s = [np.mean([cos(w, v) for v in a]) - np.mean([cos(w, v) for v in b]) for w in (*x, *y)]
    return s, len(x), (np.mean(s[: len(x)]) - np.mean(s[len(x) :])) / np.std(s, ddof=1)


@pytest.mark.parametrize("number", range(1, 11))
def test_equals_numpy_on_glove(number, glove_result, data_file):
    stimuli = json.loads(data_file(f"weat/sent-bias/weat{number}.jsonl").read_text())
    sets = [stimuli[key]["examples"] for key in ("targ1", "targ2", "attr1", "attr2")]
    s, _, d = by_hand(plain_vectors(data_file("vectors/glove_6B_50d_subset.txt.xz")), sets)
    items = glove_result.items[glove_result.items.test == f"weat{number}"]
    assert items[items.role.isin(["X", "Y"])].association.tolist() == pytest.approx(s, abs=1e-6)
    row = glove_result.summary.iloc[number - 1]
    assert row.value == pytest.approx(d, abs=1e-6)
    assert row.effect_size == row.value
    assert row.statistic == "d (cosine, ddof 1)"
    assert row.ci_low < row.value < row.ci_high
    assert row.n == len(s)


@pytest.mark.parametrize("number", [6, 7, 8, 9, 10])
def test_exact_p_equals_enumeration(number, glove_result, data_file):
    stimuli = json.loads(data_file(f"weat/sent-bias/weat{number}.jsonl").read_text())
    sets = [stimuli[key]["examples"] for key in ("targ1", "targ2", "attr1", "attr2")]
    s, count, _ = by_hand(plain_vectors(data_file("vectors/glove_6B_50d_subset.txt.xz")), sets)
    s = np.array(s)
    differences = []
    for chosen in itertools.combinations(range(len(s)), count):
        inside = np.zeros(len(s), dtype=bool)
        inside[list(chosen)] = True
        differences.append(s[inside].mean() - s[~inside].mean())
    differences = np.array(differences)
    expected = np.mean(np.abs(differences) >= abs(differences[0]) - 1e-12)
    row = glove_result.summary.iloc[number - 1]
    assert row.p_value == pytest.approx(expected, abs=1e-12)
    assert row.note == f"p from all {len(differences):,} splits"


def test_what_a_reader_should_see(glove_result):
    assert glove_result.overall.group.str.split(":").str[0].tolist() == ["weat6", "weat7", "weat8"]
    assert (glove_result.overall.value > 1.4).all()  # as Caliskan found: male with career, math and science
    assert glove_result.warnings == ("162 words were found only in lower case, e.g. 'Adam' as 'adam'",)
    assert glove_result.skipped.values.tolist() == [
        ["gladiola", "weat1, flowers: has no vector"],
        ["short-term", "weat9, temporary: has no vector"],
        ["Billy", "weat10, young people's names: has no vector"],
    ]


def test_as_published_p_is_one_sided_and_strict(glove):
    published = cp.measures.weat(glove, weat(["weat6", "weat10"]), variant="published")
    corrected = cp.measures.weat(glove, weat(["weat6", "weat10"]))
    assert published.summary.value.tolist() == corrected.summary.value.tolist()
    assert published.summary.p_value[0] == 0.0  # no split differs more; the paper printed p < 10^-3
    assert 0 < published.summary.p_value[1] < corrected.summary.p_value[1]


def test_a_set_that_lost_too_many_words_gives_nan_with_the_count(word2vec, data_file):
    names = weat(["weat6", "weat7"])
    result = cp.measures.weat(word2vec, names)
    lost = result.summary.iloc[0]
    assert np.isnan(lost.value)
    assert lost.note == "4 of the 8 words of 'male names' are lost, more than a fifth"
    assert "1 of 2 tests give no number" in result.warnings[-1]
    assert "weat6" in result.warnings[-1]
    assert result.summary.value[1] > 0  # 1 of 8 words of weat7 is lost, which is not more than a fifth
    assert {"Amy", "equations"} <= set(result.skipped.item)
    allowed = cp.measures.weat(word2vec, names, allow_lost=True)
    vectors = plain_vectors(data_file("vectors/word2vec_googlenews_subset.txt.xz"))
    _, _, d = by_hand(vectors, [one.words for one in names.tests[0].sets])
    assert allowed.summary.value[0] == pytest.approx(d, abs=1e-6)
    assert not any("no number" in warning for warning in allowed.warnings)


def test_a_set_without_words_has_no_number_even_if_allowed(word2vec):
    result = cp.measures.weat(word2vec, weat(["weat10"]), allow_lost=True)
    assert np.isnan(result.summary.value[0])
    assert 'none of the 8 words of "old people\'s names" is left' in result.summary.note[0]
    with pytest.raises(DataError, match="no vector for any word"):
        cp.measures.weat(word2vec, WordTest.of("t", ["qq"], ["ww"], ["ee"], ["rr"]))


UNEQUAL = WordTest.of(
    "unequal",
    ["math", "algebra", "geometry", "calculus", "numbers"],
    ["poetry", "art", "dance"],
    ["he", "man"],
    ["she", "woman"],
)


def test_unequal_sets_are_kept_or_cut_as_asked(glove):
    kept = cp.measures.weat(glove, UNEQUAL)
    assert kept.summary.n[0] == 8
    assert len(kept.skipped) == 0
    end = cp.measures.weat(glove, UNEQUAL, equalise="end")
    assert end.items[end.items.role == "X"].word.tolist() == ["math", "algebra", "geometry"]
    assert end.skipped.item.tolist() == ["calculus", "numbers"]
    assert end.skipped.reason[0] == "unequal, X: left out so that both target sets are of one size"
    drawn = {
        seed: cp.measures.weat(glove, UNEQUAL, equalise="random", seed=seed).items.word[:3].tolist()
        for seed in range(6)
    }
    assert drawn[0] == cp.measures.weat(glove, UNEQUAL, equalise="random", seed=0).items.word[:3].tolist()
    assert len({tuple(words) for words in drawn.values()}) > 1
    with pytest.raises(InputError, match=r"^equalise takes random or end, not middle$"):
        cp.measures.weat(glove, UNEQUAL, equalise="middle")


def test_a_reduced_vocabulary_from_a_file(glove, word2vec, tmp_path):
    word2vec.save(tmp_path / "other.npy")
    by_file = cp.measures.weat(glove, weat(["weat8"]), vocabulary=str(tmp_path / "other.npy"))
    by_hand = cp.measures.weat(glove, weat(["weat8"]), vocabulary=word2vec)
    assert by_file.items.word.tolist() == by_hand.items.word.tolist()


def test_the_same_test_on_a_reduced_vocabulary(glove, word2vec):
    """Words that only one of two models has are left out of both: then the models can be compared."""
    test = weat(["weat7"])
    one = cp.measures.weat(glove, test, vocabulary=word2vec)
    other = cp.measures.weat(word2vec, test, vocabulary=glove)
    assert one.items.word.tolist() == other.items.word.tolist()
    assert one.skipped.values.tolist() == [["equations", "weat7, math: is not in the reduced vocabulary"]]
    assert one.summary.statistic[0] == "d (cosine, ddof 1, reduced vocabulary)"
    assert one.summary.value[0] != cp.measures.weat(glove, test).summary.value[0]


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "mahalanobis"])
def test_other_distances(metric, glove, data_file):
    from scipy.spatial import distance

    [test] = weat(["weat8"]).tests
    x, y, a, b = (glove.lookup(one.words).astype(float) for one in test.sets)
    options = {}
    if metric == "mahalanobis":
        vectors = np.array(list(plain_vectors(data_file("vectors/glove_6B_50d_subset.txt.xz")).values()))
        options["VI"] = np.linalg.inv(np.cov(vectors, rowvar=False))
    name = {"manhattan": "cityblock"}.get(metric, metric)

    def s(words):
        return -distance.cdist(words, a, name, **options).mean(1) + distance.cdist(
            words, b, name, **options
        ).mean(1)

    expected = (s(x).mean() - s(y).mean()) / np.concatenate([s(x), s(y)]).std(ddof=1)
    row = cp.measures.weat(glove, test, metric=metric).summary.iloc[0]
    assert row.value == pytest.approx(expected, abs=1e-6)
    assert row.statistic == f"d ({metric}, ddof 1)"


def test_ddof_is_said_and_as_asked(glove):
    zero = cp.measures.weat(glove, weat(["weat6"]), ddof=0).summary.iloc[0]
    one = cp.measures.weat(glove, weat(["weat6"])).summary.iloc[0]
    assert zero.statistic == "d (cosine, ddof 0)"
    assert zero.value == pytest.approx(one.value * np.sqrt(16 / 15))


def test_two_words_with_one_vector_count_once():
    words = ["bill", "amy", "ann", "career", "home", "office", "family"]
    vectors = cp.models.WordVectors(words, np.random.default_rng(0).normal(size=(7, 4)))
    test = WordTest.of(
        "t", ["Bill", "bill", "BILL"], ["amy", "ann"], ["career", "office"], ["home", "family"]
    )
    result = cp.measures.weat(vectors, test, allow_lost=True)
    assert result.items[result.items.role == "X"].word.tolist() == ["Bill"]
    assert result.skipped.reason.tolist() == ["t, X: is read as 'bill', which is there already"] * 2


def test_zero_vectors_are_lost_and_warnings_of_the_file_are_passed_on(tmp_path):
    path = tmp_path / "v.txt"
    lines = ["x1 1 2", "x2 2 1", "x3 0 0", "y1 1 1", "y2 3 1", "y1 9 9", "a 1 0", "b 0 1"]
    path.write_text("".join(f"{line}\n" for line in lines))
    test = WordTest.of("t", ["x1", "x2", "x3"], ["y1", "y2"], ["a"], ["b"])
    result = cp.measures.weat(cp.load(path), test, allow_lost=True)
    assert result.skipped.values.tolist() == [["x3", "t, X: its vector is all zeros"]]
    assert result.warnings == (
        "v.txt, line 6: 'y1' is there already; the first vector counts",
        "v.txt, line 3: 'x3' has a vector of zeros",
    )


def test_own_word_sets_from_a_file(glove, tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text(
        "sets: {science: [physics, chemistry], arts: [poetry, dance], male: [he, man], female: [she, woman]}\n"
        "tests: [{name: mine, targets: [science, arts], attributes: [male, female], gender: true}]\n"
    )
    result = cp.measures.weat(glove, path)
    assert result.dataset == "own.yaml"
    assert result.overall.value[0] > 0


def test_an_audit_of_vectors(glove, tmp_path):
    audit = cp.audit(glove, out=tmp_path / "run", measures=["weat"])
    again = cp.audit(glove, out=tmp_path / "run", measures=["weat"])
    assert audit.summary.value.tolist() == pytest.approx(again.summary.value.tolist())
    assert again.results["weat"].items.shape == audit.results["weat"].items.shape
    assert "weat" in cp.audit(glove).results


def test_the_table_of_the_docs(glove, glove_result):
    """Published beside measured, in docs/vectors.md: the measured half is what is measured."""
    lines = (Path(__file__).parents[3] / "docs" / "vectors.md").read_text().splitlines()
    kurita = weat(["kurita_flowers", "kurita_names", "kurita_math", "kurita_science"])
    measured = [glove_result, cp.measures.weat(glove, kurita, allow_lost=True)]
    rows = {row.group.split(":")[0]: row for result in measured for row in result.summary.itertuples()}
    published = {test.name: test.published for tests in (weat(), kurita) for test in tests.tests}
    table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.count("|") == 7]
    checked = [cells for cells in table if cells[0].split(",")[0] in rows]
    assert len(checked) == 14
    for title, caliskan, of_kurita, d, interval, p in checked:
        name = title.split(",")[0]
        row = rows[name]
        assert float(of_kurita if name.startswith("kurita") else caliskan) == round(published[name], 3)
        assert d == f"{row.value:.3f}"
        assert interval == f"{row.ci_low:.2f} to {row.ci_high:.2f}"
        assert float(p) == pytest.approx(row.p_value, abs=6e-6)


def test_mistakes(glove, builtin):
    with pytest.raises(InputError, match=r"^metric takes cosine or .* mahalanobis, not dot$"):
        cp.measures.weat(glove, metric="dot")
    with pytest.raises(ModelError, match="weat needs word vectors; builtin is a masked"):
        cp.measures.weat(builtin)
    with pytest.raises(InputError, match=r"^vocabulary takes .*names or word vectors or .* a file, not 3$"):
        cp.measures.weat(glove, vocabulary=3)
    with pytest.raises(InputError, match=r"^ddof should be less than or equal to 1, not 2$"):
        cp.measures.weat(glove, WordTests("own", weat(["weat6"]).tests), ddof=2)
