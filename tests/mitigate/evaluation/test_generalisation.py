"""The line through professions, against scipy; what counts as inside a corpus; the plain answer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from counterpoise.core.errors import DataError
from counterpoise.mitigate.evaluation.generalisation import PARTS, generalise, words_in

RNG = np.random.default_rng(2)
BEFORE = pd.Series(RNG.normal(0.3, 0.4, 60), index=[f"job{i}" for i in range(60)])
NOISE = pd.Series(RNG.normal(0, 0.03, 60), index=BEFORE.index)
CORPUS = [f"The job{i}s met." for i in range(20)]


def test_slope_intercept_and_correlation_are_scipys():
    found = generalise(BEFORE, 0.4 * BEFORE + 0.1 + NOISE, CORPUS)
    points, fits = found.points, found.fits.set_index("part")
    assert points.seen.sum() == fits.n["in the corpus"] == 20
    chosen = {"all": points.word != "", "in the corpus": points.seen, "not in the corpus": ~points.seen}
    for part, rows in chosen.items():
        some = points[rows]
        line = scipy_stats.linregress(some.before, some.after)
        assert fits.slope[part] == pytest.approx(line.slope)
        assert fits.intercept[part] == pytest.approx(line.intercept)
        assert fits.r[part] == pytest.approx(line.rvalue)
        # The errors here are normal and of one size, where least squares and resampling agree.
        half = scipy_stats.t.ppf(0.975, len(some) - 2) * line.stderr
        assert fits.slope_low[part] == pytest.approx(line.slope - half, abs=0.6 * half)
        assert fits.slope_high[part] == pytest.approx(line.slope + half, abs=0.6 * half)


@pytest.mark.parametrize(
    ("after", "kept", "answer"),
    [
        (
            0.4 * BEFORE + NOISE,
            1.0,
            "Levelled rather than debiased: differences between professions shrank to about",
        ),
        (
            0.8 * BEFORE - 0.3,
            1.0,
            "Levelled rather than debiased: differences between professions shrank to about 80 %, "
            "and one that leaned neither way now leans towards women by 0.30; they keep their order",
        ),
        (0.1 * BEFORE + 3 * NOISE, 1.0, "Partly debiased, partly levelled"),
        (
            BEFORE - 0.3 + NOISE,
            1.0,
            "Shifted rather than levelled: professions moved towards women by -0.301 [",
        ),
        (
            BEFORE + 0.2 + NOISE,
            1.0,
            "Shifted rather than levelled: professions moved towards men by +0.199 [",
        ),
        (1.5 * BEFORE + NOISE, 1.0, "Widened: differences between professions grew to about"),
        (
            1.5 * BEFORE + 0.2,
            1.0,
            "Widened: differences between professions grew to about 150 %, and one that leaned neither way now leans "
            "towards men by",
        ),
        (BEFORE + NOISE / 10, 1.0, "Unchanged, as far as can be seen"),
        (BEFORE, 1.0, "Unchanged, as far as can be seen"),
        (NOISE, 1.0, "Debiased: "),
        (BEFORE.sample(frac=1, random_state=1).set_axis(BEFORE.index) * 40, 1.0, "Inconclusive: "),
        (0 * BEFORE, 1.0, "Debiased: "),
        (NOISE, 0.1, "Levelled to nothing"),
        (-BEFORE, 1.0, "Reversed"),
    ],
)
def test_the_plain_answer(after, kept, answer):
    found = generalise(BEFORE, after, CORPUS, kept=kept).answer
    assert found.startswith(answer)
    assert "nan" not in found


def test_several_seeds_count_as_a_source_of_uncertainty():
    """Seeds that disagree about the direction: no shift can be told, though each of them alone has one."""
    shifts = (-0.15, 0.12, -0.13)
    runs = pd.DataFrame([BEFORE + shift + NOISE for shift in shifts], index=[0, 1, 2])
    for _, run in runs.iterrows():
        assert generalise(BEFORE, run, ()).answer.startswith("Shifted")
    found = generalise(BEFORE, runs, ())
    assert found.answer.startswith("Unchanged, as far as can be seen")
    [fit] = found.fits.itertuples()
    lines = [scipy_stats.linregress(BEFORE, run) for _, run in runs.iterrows()]
    assert fit.slope == pytest.approx(np.mean([line.slope for line in lines]))
    assert fit.intercept == pytest.approx(np.mean([line.intercept for line in lines]))
    assert fit.r == pytest.approx(np.mean([line.rvalue for line in lines]))
    assert fit.shift == pytest.approx((runs - BEFORE).to_numpy().mean())
    assert fit.change == pytest.approx(100 * (runs.abs().to_numpy().mean() / BEFORE.abs().mean() - 1))
    # All professions move alike, so that the seeds are all there is: a t-test over three means.
    expected = scipy_stats.ttest_1samp((runs - BEFORE).mean(axis=1), 0).confidence_interval()
    assert (fit.shift_low, fit.shift_high) == pytest.approx(tuple(expected), rel=0.02)


def test_whether_the_corpus_matters_is_said():
    alike = generalise(BEFORE, 0.4 * BEFORE + NOISE, CORPUS).answer
    assert alike.endswith("no difference between the two can be seen.")
    seen = np.arange(60) < 20
    only_seen = generalise(BEFORE, BEFORE.where(~seen, 0.1 * BEFORE) + NOISE / 10, CORPUS)
    assert only_seen.answer.endswith("the effect depends on the corpus.")
    nowhere = generalise(BEFORE, 0.4 * BEFORE, ["no word of it"])
    assert nowhere.fits.part.tolist() == [PARTS[0], PARTS[2]]
    assert "None of the professions stands in the corpus" in nowhere.answer
    without = generalise(BEFORE, 0.4 * BEFORE, ())
    assert without.fits.part.tolist() == ["all"]
    assert "corpus" not in without.answer


def test_what_is_inside_a_corpus():
    corpus = [
        "The POLICE  officers and two secretaries left.",
        "A retail",
        "salesperson came; firemen, guards, chefs'.",
    ]
    asked = [
        "police officer",
        "secretary",
        "retail salesperson",
        "fireman",
        "guard",
        "chef",
        "cook",
        "ice officer",
    ]
    assert words_in(corpus, asked) == {"police officer", "secretary", "fireman", "guard", "chef"}
    assert words_in(["a supervisor of retail sales worker"], ["supervisor of retail sales workers"])
    assert words_in([], asked) == set()


def test_too_few_professions_have_no_line():
    few = generalise(BEFORE[:3], 0.4 * BEFORE[:3], ())
    assert np.isnan(few.fits.slope[0])
    assert few.answer.startswith("There is no line")
    with pytest.raises(DataError, match="share no profession"):
        generalise(BEFORE[:3], BEFORE[5:], ())
