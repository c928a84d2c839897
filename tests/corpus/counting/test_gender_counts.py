from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

import counterpoise as cp
from corpora import PROFESSIONS, planted
from counterpoise.core.errors import DataError, InputError
from counterpoise.corpus.counting.compare import differences, word_differences
from counterpoise.corpus.counting.count_files import CountSettings, count_corpora
from counterpoise.corpus.counting.log_odds import block_share, genbit, log_odds, spread
from counterpoise.corpus.counting.rows import SCORE
from counterpoise.data.corpus import Corpus

STRENGTHS = {"none": 0.0, "weak": 0.4, "strong": 1.5}


@pytest.fixture(scope="module")
def results():
    return {
        name: cp.corpus.measure_corpus(planted(strength, 4000, seed=1))
        for name, strength in STRENGTHS.items()
    }


def score(result):
    [row] = result.summary[result.summary.statistic == SCORE].itertuples()
    return row


@pytest.mark.parametrize("name", STRENGTHS)
def test_the_planted_strength_is_in_the_interval(results, name):
    row = score(results[name])
    assert row.ci_low <= STRENGTHS[name] <= row.ci_high
    assert row.ci_high - row.ci_low < 0.35
    assert row.n == len(PROFESSIONS)


def test_the_three_strengths_are_ranked_and_told_apart(results):
    none, weak, strong = (score(results[name]) for name in STRENGTHS)
    assert none.ci_high < weak.ci_low < weak.ci_high < strong.ci_low
    assert none.p_value > 0.05 > weak.p_value > strong.p_value
    assert weak.value > weak.smallest_detectable > none.value


def test_each_profession_has_the_log_odds_that_were_planted():
    """In four corpora, so that one unlucky draw does not decide: of 64 intervals at 95 % at least 56 (p = .01)."""
    inside = 0
    for seed in range(1, 5):
        summary = (
            cp.corpus.measure_corpus(planted(1.5, 4000, seed))
            .summary.query("level == 'word'")
            .set_index("group")
        )
        for at, profession in enumerate(PROFESSIONS):
            row = summary.loc[profession]
            planted_there = 1.5 if at % 2 else -1.5
            assert row.value == pytest.approx(planted_there, abs=0.7)
            assert row.p_adjusted < 0.001
            inside += row.ci_low <= planted_there <= row.ci_high
    assert inside >= 56


def test_the_score_does_not_grow_as_the_corpus_shrinks():
    """A mean of absolute values would: with 25 sentences a profession it is near 0.4 where nothing was planted."""
    small = [cp.corpus.measure_corpus(planted(0.0, 500, seed)) for seed in range(6)]
    words = [one.summary.query("level == 'word'").value.abs().mean() for one in small]
    assert np.mean(words) > 0.2
    assert np.mean([score(one).value for one in small]) < 0.1
    assert sum(score(one).p_value < 0.05 for one in small) <= 1


@pytest.mark.slow
def test_two_halves_of_a_corpus_differ_no_more_often_than_alpha():
    [counts] = count_corpora([Corpus.of(planted(0.4, 6000, seed=1))], CountSettings())
    dice = np.random.default_rng(0)
    differ = words_differ = 0
    for _ in range(200):
        blocks = dice.permutation(64)
        first, second = (
            replace(counts, near=counts.near[:, :, half], by_block=counts.by_block[:, half])
            for half in (blocks[:32], blocks[32:])
        )
        found = differences(first, second)
        differ += found[0].p_value < 0.05
        words_differ += (word_differences(first, second).p_adjusted < 0.05).any()
    assert differ <= 10  # 5 % of 200
    assert words_differ <= 10


def test_log_odds_are_those_of_the_formula():
    """Monroe et al. 2008, equations 15, 16 and 20, with the prior divided between the sides, computed word by word."""
    dice = np.random.default_rng(5)
    near = dice.poisson([[[3.0], [2.0]], [[1.0], [8.0]], [[40.0], [20.0]]], size=(3, 2, 64)).astype(float)
    around = dice.poisson([[900.0], [500.0]], size=(2, 64)).astype(float)
    found = log_odds(near, around, n_words=700, prior=50, smoothing=0.5)
    n_m, n_f = around.sum(axis=1)
    for at in range(3):
        y_m, y_f = near[at].sum(axis=1)
        strength = 0.5 + 50 * (y_m + y_f) / (n_m + n_f)
        a_m, a_f = (2 * strength * n / (n_m + n_f) for n in (n_m, n_f))
        whole_m, whole_f = (2 * (0.5 * 700 + 50) * n / (n_m + n_f) for n in (n_m, n_f))
        wanted = math.log((y_m + a_m) / (n_m + whole_m - y_m - a_m))
        wanted -= math.log((y_f + a_f) / (n_f + whole_f - y_f - a_f))
        assert found.value[at] == pytest.approx(wanted)
        assert found.variance[at] >= 1 / (y_m + a_m) + 1 / (y_f + a_f) - 1e-12


def test_bursts_widen_the_interval():
    """The same counts, spread evenly or all in two blocks; the second is as the bootstrap over blocks has it."""
    around = np.full((2, 64), 1000.0)
    even, bursts = np.ones((1, 2, 64)), np.zeros((1, 2, 64))
    bursts[0, 0, :4] = bursts[0, 1, 4:8] = 16
    narrow, wide = log_odds(even, around, 500, prior=0), log_odds(bursts, around, 500, prior=0)
    assert narrow.value == pytest.approx(wide.value)
    dice = np.random.default_rng(0)
    draws = []
    for _ in range(4000):
        y = bursts[0][:, dice.integers(0, 64, 64)].sum(axis=1)
        draws.append(y[0] - y[1])
    assert wide.variance[0] * 64**2 == pytest.approx(
        np.var(draws), rel=0.1
    )  # d = (y_m - y_f) / 64 near the middle
    assert wide.variance[0] > 8 * narrow.variance[0]


def test_the_spread_is_unbiased_and_its_interval_holds():
    """Counts drawn at known log odds, many times: most of them rare words, as in real corpora."""
    dice = np.random.default_rng(3)
    truth = np.where(np.arange(60) % 2, 0.5, -0.5)
    squares, inside = [], 0
    for _ in range(100):
        n = dice.poisson(40, 60) + 20
        male = dice.binomial(n, 1 / (1 + np.exp(-truth - 0.6)))
        near = np.stack(
            [[dice.multinomial(k, [1 / 64] * 64) for k in side] for side in (male, n - male)], axis=1
        )
        around = np.stack([dice.poisson(20_000 / (1 + math.exp(-lean)), 64) for lean in (0.6, -0.6)])
        found = spread(log_odds(near, around.astype(float), 5000, prior=0))
        squares.append(found.square)
        low, high = found.interval()
        inside += low <= 0.5 <= high
    assert math.sqrt(np.mean(squares)) == pytest.approx(0.5, abs=0.03)
    assert inside >= 90


def test_shares_by_block():
    dice = np.random.default_rng(1)
    male, female = dice.poisson(30, 64).astype(float), dice.poisson(20, 64).astype(float)
    found = block_share(male, female)
    p = male.sum() / (male.sum() + female.sum())
    assert found.value == p
    assert found.standard_error == pytest.approx(
        math.sqrt(p * (1 - p) / (male.sum() + female.sum())), rel=0.3
    )
    z = (p - 0.5) / found.standard_error
    assert found.p_value == pytest.approx(2 * norm.sf(z), abs=0.01)


def test_genbit_by_hand():
    """p(w | g) = (c + 1) / sum of (c + 1); the mean of |log p(w | m) / p(w | f)| over the words above the cut-off."""
    pairs = np.array([[9.0, 4.0], [1.0, 5.0], [0.0, 0.0], [3.0, 3.0], [30.0, 10.0]])
    smoothed = np.array([[10.0, 5.0], [2.0, 6.0], [4.0, 4.0], [31.0, 11.0]])
    shares = smoothed / smoothed.sum(axis=0)
    kept = smoothed.sum(axis=1) >= np.percentile(smoothed.sum(axis=1), 50)
    wanted = np.abs(np.log(shares[kept, 0] / shares[kept, 1])).mean()
    assert genbit(pairs, 50).score == pytest.approx(wanted)


def test_a_result_tells_all(results):
    found = results["weak"]
    assert set(found.summary.level) == {"overall", "group", "word"}
    assert found.summary.query("group == 'names'").note.tolist() == ["no names found"]
    shares = found.summary.query("group == 'pronouns'")
    assert shares.ci_low.iloc[0] < 50 < shares.ci_high.iloc[0]
    assert {"word", "log_odds", "ci_low", "ci_high", "z", "p_value", "p_adjusted"} <= set(found.items)
    assert "stands near one gender alone 0 times" in found.skipped.set_index("item").reason["surgeon"]
    assert "Monroe" in found.citation


def test_window_of_words_and_other_lists():
    texts = planted(1.5, 2000, seed=2)
    near = cp.corpus.measure_corpus(texts, window=3)
    assert score(near).ci_low <= 1.5 <= score(near).ci_high
    by_lists = [
        score(cp.corpus.measure_corpus(texts, terms=terms)).value
        for terms in ("all", "genbit", "bolukbasi", "pro")
    ]
    assert by_lists == pytest.approx([by_lists[0]] * 4, rel=1e-3)  # the same pronouns are in all of them
    own = cp.corpus.measure_corpus(texts, professions=["nurse", "garden"])
    assert score(own).n == 2


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([], "texts has no words"),
        (["... !"] * 50, "texts has no words"),
        (["The tree is tall."] * 100, "no gendered word among its 400 words"),
        (["He is a nurse."] * 100, "no word near female words alone"),
        (
            ["He is a nurse.", "She is a nurse."] * 5,
            "too small for an interval: 10 documents with gendered words",
        ),
        (["She said he is here."] * 100, "no word near male words alone"),
    ],
)
def test_what_cannot_be_measured_is_one_line(texts, message):
    with pytest.raises(DataError, match=message) as raised:
        cp.corpus.measure_corpus(texts)
    assert "\n" not in str(raised.value)


def test_rare_professions_give_a_warning_and_no_score():
    found = cp.corpus.measure_corpus(["He saw a tree.", "She saw a tree."] * 30)
    assert SCORE not in found.summary.statistic.tolist()
    assert "there is no score" in found.warnings[0]
    with pytest.raises(DataError, match="none of the professions"):
        cp.corpus.measure_corpus(["He saw a tree.", "She saw a tree."] * 30, professions=["nurse"])


def test_settings_are_checked():
    with pytest.raises(InputError, match="the window is `sentence` or 1 to 100 words, not 0"):
        cp.corpus.measure_corpus(["a"], window=0)
    with pytest.raises(InputError, match="one of them is 3"):
        cp.corpus.measure_corpus(["a", 3])
    with pytest.raises(InputError, match="there is no set of terms 'nothing'"):
        cp.corpus.measure_corpus(["a"], terms="nothing")
