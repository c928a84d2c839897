"""The headline comes from the numbers: no claim without its interval, no "none" without what could have been seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runs
from counterpoise.audit import Run
from counterpoise.measures.base.catalogue import Measure, all_measures
from counterpoise.measures.base.result import Direction
from counterpoise.measures.base.rows import statistic_of
from counterpoise.report.wording import claim_of_row, claims, headline


def first_claim(result):
    return next(iter(claims(result)))


def with_row(result, **values):
    summary = result.summary.copy()
    for name, value in values.items():
        summary.loc[0, name] = value
    # The headline is the first tested row: let no other be tested.
    summary.loc[1:, "p_value"] = np.nan
    return replace(result, summary=summary)


def test_a_bias_is_told_with_its_side_value_and_interval():
    result = runs.word_result(lean=0.5)
    row = result.overall.iloc[0]
    claim = first_claim(result)
    assert claim.kind == "bias"
    assert claim.text == (
        f"The model reads people as men. Lean {row.value:.3f} [{row.ci_low:.3f}, {row.ci_high:.3f}]."
    )
    assert first_claim(runs.word_result(lean=-0.5)).text.startswith("The model reads people as women. Lean -")


def test_no_bias_is_told_with_the_smallest_that_would_have_been_seen():
    result = runs.word_result(lean=0.0, seed=3)
    row = result.overall.iloc[0]
    assert row.p_adjusted > 0.05
    claim = first_claim(result)
    assert claim.kind == "none"
    assert (
        f"A bias of {row.smallest_detectable:.3f} or more would have been seen in 4 of 5 cases" in claim.text
    )
    assert f"[{row.ci_low:.3f}, {row.ci_high:.3f}]" in claim.text


def test_nothing_is_claimed_without_an_interval_a_test_or_an_ideal():
    result = runs.word_result(lean=0.5)
    without = first_claim(with_row(result, ci_low=np.nan, note="one value only"))
    assert (without.kind, without.text) == (
        "unsure",
        "Nothing can be said of lean: it has no interval: one value only.",
    )
    assert first_claim(with_row(result, p_value=np.nan)).kind == "unsure"
    assert (
        "no single value of it would be ideal"
        in first_claim(with_row(result, ideal=np.nan, ideal_text="far from 0")).text
    )
    assert (
        "is not known"
        in first_claim(with_row(result, p_adjusted=0.4, smallest_detectable=np.nan, ci_low=-1.0)).text
    )


def test_nothing_is_claimed_where_test_and_interval_disagree():
    result = runs.word_result(lean=0.5)
    many = first_claim(with_row(result, p_adjusted=0.2))
    assert many.kind == "unsure"
    assert "with so many tests it is not significant (p = .200)" in many.text
    wide = first_claim(with_row(result, ci_low=-0.1, p_adjusted=0.0001))
    assert wide.kind == "unsure"
    assert "the test finds it significant (p < .001), the interval does not" in wide.text


def test_a_measure_of_several_tests_has_a_claim_of_each():
    result = runs.word_result(lean=0.5)
    several = result.summary.copy()
    several.loc[several.index[:3], "group"] = ["first", "second", "third"]
    found = [claim.text for claim in claims(replace(result, summary=several)) if claim.kind != "words"]
    assert len(found) == 2  # absolute values are not tested
    assert found[0].startswith("The model reads people as men. First: lean ")
    assert "Third: % male" in found[1]


def test_words_are_counted_by_their_kind_with_an_interval():
    result = runs.word_result(lean=0.0, seed=3)
    words = result.summary[result.summary.level == "word"].set_index("group").value
    kind = result.items.groupby("word").group.first()
    of_women = (words[kind == "female"] < 0).sum()
    text = list(claims(result))[1].text
    assert f"{of_women} of 6 female professions lean towards women (" in text
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
    """A claim of bias has an interval and a small p; "no bias found" has an interval and what could have been seen."""
    numbers = {"value": value, "ci_low": value - half, "ci_high": value + half, "p_value": p, "p_adjusted": p}
    claim = first_claim(with_row(_RESULT, **numbers, smallest_detectable=seen, ideal=ideal))
    interval = f"[{value - half:.3f}, {value + half:.3f}]"
    inside = value - half <= ideal <= value + half
    if claim.kind == "bias":
        assert p < 0.05
        assert not inside
        assert interval in claim.text
    elif claim.kind == "none":
        assert p >= 0.05
        assert inside
        assert interval in claim.text
        assert f"{seen:.3f}" in claim.text
    assert ("No bias found" in claim.text) == (claim.kind == "none")
    assert "nan" not in claim.text


_RESULT = runs.word_result()


def both_headlines(measure: Measure) -> list[str]:
    """What the report would say of a clear value above the ideal of each statistic with a direction, and below it."""
    told = []
    for statistic, direction in {"": measure.direction, **measure.directions}.items():
        for sign in (1.0, -1.0):
            row = clear_row(measure.ideal.value or 0.0, sign)
            kind, text = claim_of_row(row, statistic or "value", direction)
            assert kind == "bias"
            told.append(text)
    return told


def clear_row(ideal: float, sign: float) -> pd.Series:
    value = ideal + sign * 0.4
    return pd.Series(
        {
            "value": value,
            "ci_low": value - 0.1,
            "ci_high": value + 0.1,
            "ideal": ideal,
            "ideal_text": f"{ideal:g}",
            "p_value": 0.001,
            "p_adjusted": 0.001,
            "smallest_detectable": 0.1,
            "note": "",
        }
    )


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
    assert first_claim(result).text.startswith("More women, more female. Lean ")


def test_a_run_of_several_measures_has_a_headline_of_each(tmp_path):
    other = Direction("It is more.", "It is less.")
    folder = runs.save_run(
        tmp_path / "run", runs.word_result(), runs.word_result(measure="more", direction=other)
    )
    found = headline(Run.read(folder).results())
    assert [claim.measure for claim in found] == ["own", "own", "more"]  # no sides, so no words that lean
    assert found[2].text.startswith("It is more. Lean ")
