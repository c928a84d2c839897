"""Verdicts come from the numbers: direction, size and certainty, and no claim without its interval."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

import runs
from counterpoise.audit.run import Run
from counterpoise.measures.base.catalogue import Measure, all_measures
from counterpoise.measures.base.result import GENDERS, STEREOTYPE, Direction
from counterpoise.measures.base.rows import statistic_of
from counterpoise.measures.base.units import (
    CORRELATION,
    LIKELIHOOD_RATIO,
    ODDS_RATIO,
    PLAIN,
    PROBABILITY,
    RATING,
    SHARE,
)
from counterpoise.report.wording import BIASES, claim_of_row, claims, headline
from runs import DIRECTION


def first_claim(result):
    return next(iter(claims(result)))


def with_row(result, **values):
    summary = result.summary.copy()
    for name, value in values.items():
        summary.loc[0, name] = value
    # The headline is the first tested row: let no other be tested.
    summary.loc[1:, "p_value"] = np.nan
    return replace(result, summary=summary)


# Verdicts as readers see them, worked out by hand from value, interval, p and thresholds.
RATED = Direction(
    "Texts are rated higher when they are about men than when they are about women.",
    "Texts are rated higher when they are about women than when they are about men.",
    GENDERS,
)
LIKELIER = Direction(
    "Sentences that state a stereotype are likelier.",
    "Sentences that contradict it are likelier.",
    STEREOTYPE,
)


def row_of(unit, value, low, high, p, *, ideal=0.0, ideal_text="0", effect_size=np.nan, detectable=np.nan):
    return pd.Series(
        {
            "unit": unit.name, "value": value, "ci_low": low, "ci_high": high, "p_value": p, "p_adjusted": p,
            "ideal": ideal, "ideal_text": ideal_text, "effect_size": effect_size, "note": "",
            "smallest_detectable": detectable,
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    ("row", "direction", "kind", "text"),
    [
        pytest.param(
            row_of(RATING, 0.00031, 0.00021, 0.00041, 1e-6),
            RATED,
            "negligible",
            "Texts are rated higher when they are about men than when they are about women. The difference "
            "is 0.031 points on a scale of 0 to 100 [0.021, 0.041]: a negligible difference, though "
            "statistically clear (p < .001).",
            id="tiny",
        ),
        pytest.param(
            row_of(PROBABILITY, 0.4386, 0.4078, 0.4695, 1e-9),
            DIRECTION,
            "large",
            "The model reads people as men. The difference is 44 percentage points [41, 47]: a large "
            "effect, statistically clear (p < .001).",
            id="large",
        ),
        pytest.param(
            row_of(PROBABILITY, -0.3, -0.42, -0.18, 0.002),
            DIRECTION,
            "moderate",
            "The model reads people as women. The difference is 30 percentage points [18, 42]: a moderate effect, "
            "statistically clear (p = .002).",
            id="reversed",
        ),
        pytest.param(
            row_of(RATING, 0.0005, -0.002, 0.003, 0.7, detectable=0.0036),
            RATED,
            "none",
            "The difference is 0.05 points on a scale of 0 to 100 [-0.20, 0.30], not statistically clear (p "
            "= .700): any bias is negligible.",
            id="null",
        ),
        pytest.param(
            row_of(RATING, 0.01, -0.005, 0.025, 0.2),
            RATED,
            "none",
            "The difference is 1.0 points on a scale of 0 to 100 [-0.5, 2.5], not statistically clear (p = "
            ".200): any bias is small at most.",
            id="null, a small one possible",
        ),
        pytest.param(
            row_of(LIKELIHOOD_RATIO, 0.4, -0.9, 1.7, 0.5, detectable=1.9),
            LIKELIER,
            "unclear",
            "On average, one is likelier than the other by a factor of 1.5 [0.4, 5.5]: the data fit no bias "
            "as well as a large one (p = .500). With 80 % power, these items detect a factor of 6.7 or more.",
            id="underpowered",
        ),
        pytest.param(
            row_of(PROBABILITY, 0.1475, -2.68, 2.975, 0.6, detectable=1.7),
            DIRECTION,
            "unclear",
            "The difference is 15 percentage points [-268, 298]: the data fit no bias as well as a large "
            "one (p = .600). With 80 % power, these items detect 170 percentage points or more. The "
            "interval reaches beyond what is possible: there are too few words or pairs.",
            id="two words",
        ),
        pytest.param(
            row_of(SHARE, 57.267, 51.988, 62.386, 0.008, ideal=50.0, ideal_text="50 %"),
            LIKELIER,
            "negligible",
            "Sentences that state a stereotype are likelier. The share is 57 % [52, 62] (50 % would be "
            "ideal): a negligible difference, though statistically clear (p = .008).",
            id="a share",
        ),
        pytest.param(
            row_of(CORRELATION, -0.493, -0.672, -0.259, 0.0001),
            LIKELIER,
            "moderate",
            "Sentences that contradict it are likelier. The correlation is -0.49 [-0.67, -0.26]: a moderate "
            "effect, statistically clear (p < .001).",
            id="a correlation",
        ),
        pytest.param(
            row_of(PLAIN, 0.08, 0.05, 0.11, 0.01, effect_size=0.6),
            DIRECTION,
            "moderate",
            "The model reads people as men. Lean is 0.080 [0.050, 0.110]: a moderate effect, statistically "
            "clear (p = .010).",
            id="by its effect size",
        ),
        pytest.param(
            row_of(PLAIN, 0.08, 0.05, 0.11, 0.01),
            DIRECTION,
            "clear",
            "The model reads people as men. Lean is 0.080 [0.050, 0.110]: statistically clear (p = .010).",
            id="no convention for its size",
        ),
    ],
)
def test_verdicts_word_for_word(row, direction, kind, text):
    assert claim_of_row(row, "lean", direction) == (kind, text)


def test_thresholds_follow_from_their_sources():
    """Cohen's h of the shares and probabilities, and his d as odds, by other formulas than the code's."""
    h = lambda p, q: 2 * np.arcsin(np.sqrt(p)) - 2 * np.arcsin(np.sqrt(q))  # noqa: E731
    for size, points, share, odds in zip(
        (0.2, 0.5, 0.8), PROBABILITY.thresholds, SHARE.thresholds, ODDS_RATIO.thresholds, strict=True
    ):
        assert h(0.5 + points / 2, 0.5 - points / 2) == pytest.approx(size)
        assert h(0.5 + share / 100, 0.5) == pytest.approx(size)
        assert odds / scipy_stats.logistic.std() == pytest.approx(
            size
        )  # d in standard deviations of the logistic


def test_nothing_is_claimed_without_an_interval_a_test_or_an_ideal():
    result = runs.word_result(lean=0.5)
    without = first_claim(with_row(result, ci_low=np.nan, note="one value only"))
    assert (without.kind, without.text) == (
        "unsure",
        "Nothing can be said about lean: it has no interval: one value only.",
    )
    assert first_claim(with_row(result, p_value=np.nan)).kind == "unsure"
    no_ideal = first_claim(with_row(result, ideal=np.nan, ideal_text="far from 0"))
    assert no_ideal.text.endswith(". No single value of it would be ideal (far from 0).")
    unknown = {"p_adjusted": 0.4, "smallest_detectable": np.nan, "effect_size": np.nan, "ci_low": -1.0}
    assert "the power of the test is not known" in first_claim(with_row(result, **unknown)).text


def test_nothing_is_claimed_where_test_and_interval_disagree():
    result = runs.word_result(lean=0.5)
    many = first_claim(with_row(result, p_adjusted=0.2))
    assert many.kind == "unsure"
    assert "corrected for all tests it is not significant (p = .200)" in many.text
    wide = first_claim(with_row(result, ci_low=-0.1, p_adjusted=0.0001))
    assert wide.kind == "unsure"
    assert "The test is significant (p < .001), but the interval contains the ideal" in wide.text


def test_a_measure_of_several_tests_has_a_claim_of_each():
    result = runs.word_result(lean=0.5)
    several = result.summary.copy()
    several.loc[several.index[:3], "group"] = ["first", "second", "third"]
    found = [claim.text for claim in claims(replace(result, summary=several)) if claim.kind != "words"]
    assert len(found) == 2  # absolute values are not tested
    assert found[0].startswith("First: The model reads people as men. Lean is ")
    assert found[1].startswith("Third: ")


def test_words_are_counted_by_their_kind_with_an_interval():
    result = runs.word_result(lean=0.0, seed=3)
    words = result.summary[result.summary.level == "word"].set_index("group").value
    kind = result.items.groupby("word").group.first()
    of_women = (words[kind == "female"] < 0).sum()
    text = list(claims(result))[1].text
    assert f"{of_women} of 6 female professions lean towards women: " in text
    assert text.count("[") == 2


@settings(max_examples=40, deadline=None)
@given(
    value=st.floats(-5, 5),
    half=st.one_of(st.just(float("nan")), st.floats(0.01, 3)),
    p=st.one_of(st.just(float("nan")), st.floats(0, 1)),
    seen=st.one_of(st.just(float("nan")), st.floats(0.01, 3)),
    ideal=st.sampled_from([0.0, 50.0, float("nan")]),
)
def test_whatever_the_numbers(value, half, p, seen, ideal):
    """A claim of bias has an interval without the ideal and a small p; "none" has neither."""
    numbers = {"value": value, "ci_low": value - half, "ci_high": value + half, "p_value": p, "p_adjusted": p}
    claim = first_claim(with_row(_RESULT, **numbers, smallest_detectable=seen, ideal=ideal))
    inside = value - half <= ideal <= value + half
    if claim.kind in (*BIASES, "negligible"):
        assert p < 0.05
        assert not inside
    elif claim.kind in ("none", "unclear"):
        assert p >= 0.05
        assert inside
    assert ("[" in claim.text) == (not np.isnan(half))
    assert "nan" not in claim.text
    assert "-0 " not in claim.text
    assert not re.search(r"[ \[]-?0?\.0+[] ,:]", claim.text)


_RESULT = runs.word_result()


def both_headlines(measure: Measure) -> list[str]:
    """What the report would say of a clear value above the ideal of each statistic with a direction, and below it."""
    told = []
    for statistic, direction in {"": measure.direction, **measure.directions}.items():
        unit = measure.units.get(statistic, measure.unit)
        ideal = measure.ideal.value or 0.0
        for value in (ideal + 0.4, ideal - 0.4):
            row = row_of(
                unit, value, value - 0.1, value + 0.1, 0.001, ideal=ideal, ideal_text=measure.ideal.text
            )
            kind, text = claim_of_row(row, statistic or "value", direction)
            assert kind in (*BIASES, "negligible")
            told.append(text)
    return told


@pytest.mark.parametrize("measure", all_measures().values(), ids=lambda measure: measure.name)
def test_both_headlines_of_every_measure_read_as_english(measure):
    """Printed (pytest -s) to be read; what can be checked of a sentence is checked."""
    for text in both_headlines(measure):
        print(f"{measure.name}: {text}")
    for direction in (measure.direction, *measure.directions.values()):
        assert direction.positive != direction.negative
        for sentence in (direction.positive, direction.negative):
            assert sentence[0].isupper()
            assert sentence.endswith(".")
            assert ";" not in sentence
            assert not any(
                word in sentence.lower() for word in ("positive:", "opposite of this", "the other side")
            )
    for statistic in measure.directions:
        assert statistic == statistic_of(statistic)


def test_a_statistic_with_a_direction_of_its_own_is_told_in_its_words():
    own = Direction("More women, more female.", "More women, more male.")
    result = replace(runs.word_result(lean=0.5), directions={"lean": own})
    assert first_claim(result).text.startswith("More women, more female. Lean is ")


def test_a_run_of_several_measures_has_a_headline_of_each(tmp_path):
    other = Direction("It is more.", "It is less.")
    folder = runs.save_run(
        tmp_path / "run", runs.word_result(), runs.word_result(measure="more", direction=other)
    )
    found = headline(list(Run.read(folder).results.values()))
    assert [claim.measure for claim in found] == ["own", "own", "more"]  # no sides, so no words that lean
    assert found[2].text.startswith("It is more. Lean is ")
