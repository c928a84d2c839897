"""Direct bias, RIPA, ECT and neighbours on real vectors, each worked out a second time in another way."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from scipy import stats as scipy_stats

import counterpoise as cp
from counterpoise.core.errors import DataError, InputError
from counterpoise.data.builtin.gender_words import GenderWords, gender_words, read_gender_words
from counterpoise.models.vectors import WordVectors

pytestmark = pytest.mark.slow

MEASURES = ["direct_bias", "ripa", "ect", "neighbours"]


@pytest.fixture(scope="module", params=["glove_6B_50d", "word2vec_googlenews"])
def vectors(request, data_file):
    return cp.load(data_file(f"vectors/{request.param}_subset.txt.xz"))


@pytest.fixture(scope="module")
def words(vectors):
    """Our own words, as far as the vectors have them: nothing is lost."""
    asked = gender_words()
    pairs = [pair for pair in asked.pairs if all(word in vectors for word in pair)]
    neutral = [word for one in asked.neutral for word in one.words if word in vectors]
    return GenderWords.of(pairs, neutral)


def unit(rows):
    return rows / np.sqrt((rows * rows).sum(axis=-1, keepdims=True))


def arrays(vectors, words):
    """Male words, female words, neutral words, straight from the matrix."""
    row = {word: vectors.matrix[i].astype(float) for i, word in enumerate(vectors.words)}
    find = lambda word: row.get(word, row.get(word.lower()))  # noqa: E731
    male, female = (np.array([find(pair[side]) for pair in words.pairs]) for side in (0, 1))
    return male, female, np.array([find(word) for word in words.neutral[0].words])


def bolukbasi_direction(male, female):
    """As his code has it: each word minus the centre of its pair, covariance of the twenty rows, its eigenvectors."""
    rows = np.concatenate([male - (male + female) / 2, female - (male + female) / 2])
    values, axes = np.linalg.eigh(np.cov(rows, rowvar=False))
    axis = axes[:, -1]
    return axis * np.sign(((male - female) @ axis).sum()), values[-1] / values.sum()


def test_direct_bias(vectors, words):
    male, female, neutral = map(unit, arrays(vectors, words))
    direction, explained = bolukbasi_direction(male, female)
    for c in (1.0, 0.5, 0.0):
        result = cp.measures.direct_bias(vectors, words, c=c)
        assert result.items.projection.tolist() == pytest.approx((neutral @ direction).tolist(), abs=1e-6)
        bias, lean, variance = result.summary.itertuples()
        assert bias.value == pytest.approx(np.mean(np.abs(neutral @ direction) ** c), abs=1e-6)
        assert bias.statistic == f"direct bias, c={c:g}"
        assert lean.value == pytest.approx(np.mean(neutral @ direction), abs=1e-6)
        assert variance.value == pytest.approx(100 * explained, abs=1e-4)
        assert variance.p_value < 0.01  # pairs of gender hold together as random pairs do not
    assert np.isnan(bias.ci_low)  # with c = 0 every word counts 1
    refused = {
        -1: "greater than or equal to 0, not -1",
        np.nan: "finite number, not nan",
        np.inf: "finite.* inf",
    }
    for c, message in refused.items():
        with pytest.raises(InputError, match=f"^c should be .*{message}$"):
            cp.measures.direct_bias(vectors, words, c=c)


def test_the_p_of_direct_bias_is_uniform_where_gender_is_nothing_special():
    rng, p_values = np.random.default_rng(0), []
    pairs, neutral = [(f"m{i}", f"f{i}") for i in range(6)], [f"n{i}" for i in range(10)]
    names = [word for pair in pairs for word in pair] + neutral
    for _ in range(40):
        random = WordVectors(names, rng.normal(size=(22, 8)))
        p_values.append(
            cp.measures.direct_bias(random, GenderWords.of(pairs, neutral)).summary.p_value.iloc[0]
        )
    assert scipy_stats.kstest(p_values, "uniform").pvalue > 0.001


def test_the_smallest_direct_bias_that_would_show(vectors, words):
    """Worked out anew with other random pairings: their 95 % point, and 0.84 standard errors of the excess."""
    male, female, neutral = map(unit, arrays(vectors, words))
    found = cp.measures.direct_bias(vectors, words).summary.iloc[0]
    everyone, dice, others = np.concatenate([male, female]), np.random.default_rng(7), []
    for _ in range(400):
        mixed = everyone[dice.permutation(len(everyone))]
        others.append(np.abs(neutral @ bolukbasi_direction(mixed[: len(male)], mixed[len(male) :])[0]))
    excess = np.abs(neutral @ bolukbasi_direction(male, female)[0]) - np.mean(others, axis=0)
    expected = np.quantile(np.mean(others, axis=1), 0.95) + 0.8416 * scipy_stats.sem(excess)
    assert found.smallest_detectable == pytest.approx(expected, rel=0.05)
    few = GenderWords.of(list(words.pairs[:1]), list(words.neutral[0].words))
    assert np.isnan(cp.measures.direct_bias(vectors, few).summary.smallest_detectable[0])


def test_ripa(vectors, words):
    male, female, neutral = arrays(vectors, words)
    differences = male - female
    _, axes = np.linalg.eigh(differences.T @ differences)
    direction = axes[:, -1] * np.sign((differences @ axes[:, -1]).sum())
    result = cp.measures.ripa(vectors, words)
    expected = neutral @ direction
    assert result.items.ripa.tolist() == pytest.approx(expected.tolist(), abs=1e-5)
    mean, absolute = result.summary.itertuples()
    assert mean.value == pytest.approx(expected.mean(), abs=1e-6)
    assert absolute.value == pytest.approx(np.abs(expected).mean(), abs=1e-6)
    interval = scipy_stats.ttest_1samp(expected, 0).confidence_interval()
    assert (mean.ci_low, mean.ci_high) == pytest.approx((interval.low, interval.high), abs=1e-5)


def test_ripa_of_one_pair_is_the_projection_on_its_difference(vectors):
    one = GenderWords.of([("he", "she")], ["nurse", "engineer", "physicist"])
    direction = unit((vectors["he"] - vectors["she"]).astype(float))
    kept = [word for word in one.neutral[0].words if word in vectors]
    expected = vectors.lookup(kept).astype(float) @ direction
    found = cp.measures.ripa(vectors, one, allow_lost=True).items
    assert found.ripa.tolist() == pytest.approx(expected.tolist(), abs=1e-5)


def test_ect_and_its_exact_p(vectors, words):
    male, female, neutral = arrays(vectors, words)
    male, female = male[:7], female[:7]
    few = GenderWords.of(list(words.pairs[:7]), list(words.neutral[0].words))

    def rho(one, other):
        cosines = [unit(neutral) @ unit(side.mean(axis=0)) for side in (one, other)]
        return scipy_stats.spearmanr(*cosines).statistic

    result = cp.measures.ect(vectors, few).summary.iloc[0]
    assert result.value == pytest.approx(rho(male, female), abs=1e-9)
    swapped = []
    for pattern in itertools.product([False, True], repeat=7):  # all 128; ours leaves out the mirror images
        turn = np.array(pattern)[:, None]
        swapped.append(rho(np.where(turn, female, male), np.where(turn, male, female)))
    assert result.p_value == pytest.approx(np.mean(np.array(swapped) <= result.value + 1e-9))
    assert result.note == "p from all 64 exchanges"
    assert result.ci_low < result.value < result.ci_high
    assert result.ideal == 1


def test_the_smallest_ect_that_would_show(vectors, words):
    """The 5 % point of all exchanges of seven pairs, and 0.84 standard errors by a bootstrap of our own."""
    male, female, neutral = arrays(vectors, words)
    male, female, neutral = male[:7], female[:7], unit(neutral)
    few = GenderWords.of(list(words.pairs[:7]), list(words.neutral[0].words))
    sides = []
    for pattern in itertools.product([False, True], repeat=6):
        turn = np.array([False, *pattern])[:, None]
        one, other = np.where(turn, female, male), np.where(turn, male, female)
        sides.append([neutral @ unit(side.mean(axis=0)) for side in (one, other)])

    def rho(side, rows):
        return scipy_stats.spearmanr(side[0][rows], side[1][rows]).statistic

    everyone = np.arange(len(neutral))
    critical = np.quantile([rho(side, everyone) for side in sides], 0.05)
    dice, taken = np.random.default_rng(8), []
    for _ in range(100):
        rows = dice.integers(0, len(neutral), len(neutral))
        taken.append(rho(sides[0], rows) - np.mean([rho(side, rows) for side in sides[::4]]))
    found = cp.measures.ect(vectors, few).summary.smallest_detectable[0]
    assert found == pytest.approx(1 - critical + 0.8416 * np.std(taken), rel=0.2)
    four = GenderWords.of(list(words.pairs[:4]), list(words.neutral[0].words))
    assert np.isnan(
        cp.measures.ect(vectors, four).summary.smallest_detectable[0]
    )  # 8 exchanges: p is never .05


def test_neighbours(vectors, words):
    result = cp.measures.neighbours(vectors, words, k=10, n_biased=50)
    he, she = unit(vectors["he"].astype(float)), unit(vectors["she"].astype(float))
    direction = unit(he - she)
    terms = cp.text.terms.load("all").terms
    gendered = {word.lower() for pair in words.pairs for word in pair}
    gendered |= {word for term in terms for word in (term.male, term.female)}
    allowed = [word for word in vectors.words if word.lower() not in gendered]
    lean = {word: float(unit(vectors[word].astype(float)) @ direction) for word in allowed}
    for row in result.items.iloc[::7].itertuples():
        near = [word for word, _ in vectors.nearest(row.word, len(vectors)) if word in lean][:10]
        assert row.share_male == pytest.approx(np.mean([lean[word] > 0 for word in near]))
        assert row.projection == pytest.approx(
            float(unit(vectors[row.word].astype(float)) @ direction), abs=1e-6
        )
    share, correlation, clusters = result.summary.itertuples()
    assert share.value == pytest.approx(100 * result.items.share_male.mean())
    assert share.ideal == round(100 * np.mean([value > 0 for value in lean.values()]), 1)
    expected = scipy_stats.pearsonr(result.items.projection, result.items.share_male)
    assert correlation.value == pytest.approx(expected.statistic)
    assert clusters.value >= 50
    assert clusters.n == 100
    assert set(result.summary.note[1:]) == {"p from 99 random pairs of words"}
    dice, as_high = np.random.default_rng(0), 1
    places = [[allowed.index(word) for word, _ in vectors.nearest(row.word, len(vectors)) if word in lean][:10]
              for row in result.items.itertuples()]  # fmt: skip
    space, own = unit(vectors.lookup(allowed).astype(float)), unit(arrays(vectors, words)[2])
    for _ in range(99):
        first, second = dice.choice(len(allowed), 2, replace=False)
        other = space[first] - space[second]
        shares = [np.mean([space[place] @ other > 0 for place in some]) for some in places]
        as_high += np.corrcoef(own @ other, shares)[0, 1] >= correlation.value
    assert correlation.p_value == pytest.approx(as_high / 100, abs=0.021)


def test_two_clusters_that_are_there_are_found():
    rng = np.random.default_rng(3)
    male, female = rng.normal([3, 0, 0], 0.3, (40, 3)), rng.normal([-3, 0, 0], 0.3, (40, 3))
    names = ["he", "she", *(f"m{i}" for i in range(40)), *(f"f{i}" for i in range(40))]
    made = WordVectors(names, np.concatenate([[[1.0, 0, 0], [-1.0, 0, 0]], male, female]))
    pair = GenderWords.of([("he", "she")], ["m0", "m1", "f0", "f1"])
    after = WordVectors(names, made.matrix + rng.normal(0, 0.01, made.matrix.shape))
    result = cp.measures.neighbours(after, pair, k=5, n_biased=15, original=made)
    assert result.items.share_male.tolist() == [1, 1, 0, 0]
    accuracy = result.summary.iloc[2]
    assert accuracy.value == 100
    table = [[15, 0], [0, 15]]
    assert accuracy.p_value == pytest.approx(scipy_stats.fisher_exact(table).pvalue)


def test_in_noise_gender_is_as_special_as_any_direction():
    """Correlation and clusters are clear in noise too, and p must not say that this is gender."""
    rng, found = np.random.default_rng(5), []
    names = ["he", "she", *(f"w{i}" for i in range(300))]
    pair = GenderWords.of([("he", "she")], [f"w{i}" for i in range(25)])
    for _ in range(5):
        noise = WordVectors(names, rng.normal(size=(302, 20)))
        found.append(cp.measures.neighbours(noise, pair, k=20, n_biased=60).summary)
    assert all(one.value[1] > 0.5 and one.value[2] > 90 for one in found)
    assert min(one.p_value[1:].min() for one in found) > 0.01
    again = WordVectors(names, noise.matrix.copy())
    same = cp.measures.neighbours(again, pair, k=20, n_biased=60, original=noise).summary
    assert same.p_value.tolist() == found[-1].p_value.tolist()


def test_the_original_may_be_a_file(vectors, words, tmp_path):
    vectors.save(tmp_path / "before.npy")
    noise = WordVectors(vectors.words, np.random.default_rng(0).normal(size=vectors.matrix.shape))
    by_file = cp.measures.neighbours(noise, words, original=tmp_path / "before.npy", k=30, n_biased=80)
    by_hand = cp.measures.neighbours(noise, words, original=vectors, k=30, n_biased=80)
    assert by_file.summary.value.tolist() == by_hand.summary.value.tolist()


def test_what_leans_male_is_taken_from_the_original(vectors, words):
    """Vectors of noise have no neighbourhoods of gender, although the words were biased before."""
    noise = WordVectors(vectors.words, np.random.default_rng(0).normal(size=vectors.matrix.shape))
    result = cp.measures.neighbours(noise, words, original=vectors, k=30, n_biased=80)
    own = cp.measures.neighbours(vectors, words, k=30, n_biased=80)
    assert result.items.projection.tolist() == own.items.projection.tolist()
    _, correlation, clusters = result.summary.itertuples()
    assert abs(correlation.value) < 0.45 < own.summary.value.iloc[1]
    assert clusters.value < 65


def test_men_and_women_of_professions_are_compared(vectors):
    result = cp.measures.ripa(vectors, allow_lost=True)
    row = result.summary[result.summary.group == "professions held mostly by men - by women"].iloc[0]
    by_group = {name: some.ripa.to_numpy() for name, some in result.items.groupby("group")}
    assert row.value == pytest.approx(by_group["male"].mean() - by_group["female"].mean())
    exact = scipy_stats.permutation_test(
        (by_group["male"], by_group["female"]), lambda x, y: x.mean() - y.mean(), n_resamples=np.inf
    )
    assert row.p_value == pytest.approx(exact.pvalue, abs=0.01)  # scipy doubles the smaller tail
    assert row.ci_low < row.value < row.ci_high


@pytest.mark.parametrize("name", MEASURES)
def test_too_many_lost_words_give_nan_with_the_count(name, vectors):
    result = getattr(cp.measures, name)(vectors)  # the subsets have half of the professions
    assert result.summary.value.isna().all()
    assert result.summary.p_value.isna().all()
    assert set(result.summary.note) == {"32 of the 62 neutral words are lost, more than a fifth"}
    assert any("--allow-lost" in warning for warning in result.warnings)
    assert "taper" in set(result.skipped.item)
    assert result.skipped.reason[result.skipped.item == "taper"].tolist() == ["male: has no vector"]


@pytest.mark.parametrize("name", MEASURES)
def test_the_same_seed_gives_the_same_numbers(name, vectors, words):
    first, second = (getattr(cp.measures, name)(vectors, words, seed=4).summary for _ in range(2))
    assert first.equals(second)


def test_lost_pairs():
    names = ["he", "she", "man", "nurse", "pilot", "judge"]
    few = WordVectors(names, np.random.default_rng(0).normal(size=(6, 3)))
    own = GenderWords.of([("he", "she"), ("man", "woman")], ["nurse", "pilot", "judge"])
    result = cp.measures.ripa(few, own)
    assert result.summary.note[0] == "1 of the 2 gender pairs are lost, more than a fifth"
    assert result.skipped.values.tolist() == [["woman", "gender pairs: has no vector"]]
    allowed = cp.measures.ripa(few, own, allow_lost=True)
    assert allowed.items.ripa.notna().all()
    with pytest.raises(DataError, match="no vectors for any pair of gender words"):
        cp.measures.ripa(few, GenderWords.of([("boy", "girl")], ["nurse"]))
    with pytest.raises(DataError, match="no vectors for any neutral word"):
        cp.measures.ripa(few, GenderWords.of([("he", "she")], ["plumber"]))


def test_the_pairs_are_bolukbasis(data_file):
    published = json.loads(data_file("word-lists/bolukbasi/definitional_pairs.json").read_text())
    assert [[female, male] for male, female in gender_words().pairs] == published
    assert sum(len(one.words) for one in gender_words().neutral) == 62


def test_a_users_own_words(tmp_path, vectors):
    path = tmp_path / "own.yaml"
    path.write_text("pairs: [[he, she], [man, woman]]\nneutral: {jobs: [judge, nurse, chef]}\n")
    assert read_gender_words(path).neutral[0].name == "jobs"
    assert cp.measures.ripa(vectors, path, allow_lost=True).dataset == "own.yaml"
    for content, message in {
        "pairs: []\nneutral: {a: [b]}": "own.yaml has no pairs",
        "pairs: [[he, she]]": "has no neutral words",
        "pairs: [[he, she]]\nneutral: {a: [he]}": "own.yaml, line 2: 'he' is there twice",
        "pairs: [[he]]\nneutral: {a: [b]}": r"pairs\.0",
        "pairs: [[he, '']]\nneutral: {a: [b]}": "line 1: an empty word",
    }.items():
        path.write_text(content)
        with pytest.raises(DataError, match=message):
            read_gender_words(path)


def test_vectors_that_are_no_numbers_are_nobodys_neighbours(tmp_path):
    rng = np.random.default_rng(6)
    matrix = rng.normal(size=(62, 5))
    matrix[10], matrix[11, 2], matrix[2] = 0, np.nan, np.inf
    names = ["he", "she", *(f"w{i}" for i in range(60))]
    np.save(tmp_path / "v.npy", matrix)
    (tmp_path / "v.words.txt").write_text("\n".join(names))
    pair = GenderWords.of([("he", "she")], [f"w{i}" for i in range(6)])
    vectors = cp.load(tmp_path / "v.npy")
    result = cp.measures.neighbours(vectors, pair, k=5, n_biased=10)
    assert result.skipped.reason.tolist() == ["neutral: its vector has a number that is NaN or infinite"]
    good = [row for row in range(62) if row not in (2, 10, 11)]
    clean = WordVectors([names[row] for row in good], matrix[good])
    again = cp.measures.neighbours(clean, pair, k=5, n_biased=10, allow_lost=True)
    assert again.summary.value.tolist() == pytest.approx(result.summary.value.tolist())


def test_mistakes(vectors, words):
    with pytest.raises(InputError, match=r"^k should be greater than or equal to 1, not 0$"):
        cp.measures.neighbours(vectors, words, k=0)
    with pytest.raises(InputError, match=r"^original takes word vectors or .* a file, not 3$"):
        cp.measures.neighbours(vectors, words, original=3)
    small = WordVectors(["he", "she", "nurse"], np.eye(3))
    with pytest.raises(DataError, match="1 words without a gender of their own, too few"):
        cp.measures.neighbours(small, GenderWords.of([("he", "she")], ["nurse"]))
