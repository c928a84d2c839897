"""The leading sentences claim no more than the intervals allow."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from counterpoise.studies.papers.barza2023 import verdicts

ABOVE, BELOW, AROUND = (0.1, 0.5), (-0.5, -0.1), (-0.2, 0.3)


def row(interval, **more):
    low, high = interval
    return SimpleNamespace(value=(low + high) / 2, ci_low=low, ci_high=high, **more)


@pytest.mark.parametrize(
    ("interval", "said"),
    [
        (ABOVE, "finds stereotypes likelier"),
        (BELOW, "finds the opposite of stereotypes likelier"),
        (AROUND, "cannot be told, since the interval contains zero"),
    ],
)
def test_measuring(interval, said):
    assert said in verdicts.measuring(row(interval))


def test_models():
    pairs = [SimpleNamespace(p_adjusted=p) for p in (0.01, 0.2, 0.9)]
    assert verdicts.models(["a", "b", "c"], pairs).endswith("is significant in 1 of 3 pairs of models.")
    assert verdicts.models(["a", "b", "c"], pairs).startswith("a has the smallest and c the largest ASLD")
    assert verdicts.models(["a", "b", "c"], pairs[1:]).startswith("Cannot be told")
    assert verdicts.models(["a"], []).startswith("Not answered")


def test_corpora():
    assert "1 of 2 corpora" in verdicts.corpora([row(ABOVE), row(AROUND)])
    assert verdicts.corpora([row(AROUND)]).startswith("Not shown")
    assert verdicts.corpora([]).startswith("Not answered")


@pytest.mark.parametrize(
    ("professions", "bound", "start", "end"),
    [
        (BELOW, BELOW, "The swap itself makes professions lean less,", "lose some of their gender."),
        (BELOW, AROUND, "The swap itself makes professions lean less;", "no loss of gender was found"),
        (AROUND, BELOW, "Whether the swap itself", "lose some of their gender."),
        (ABOVE, ABOVE, "The swap itself makes professions lean more;", "keep their gender."),
    ],
)
def test_swapping(professions, bound, start, end):
    text = verdicts.swapping(row(professions), row(bound))
    assert text.startswith(start)
    assert end in text


def test_the_effect_of_the_swap_needs_a_control():
    assert verdicts.swapping(None, None).startswith("Cannot be told: without training on unswapped text")


def test_rate():
    assert verdicts.rate(row(BELOW), row((-0.4, -0.2))).startswith("As far as can be told, yes")
    assert verdicts.rate(row((-0.9, -0.6)), row((-0.5, -0.2))).startswith(
        "No: professions in the text and others"
    )
    assert verdicts.rate(row(BELOW), row(AROUND)).startswith("Cannot be told")
    assert verdicts.rate(row(BELOW), None).startswith("Cannot be told: all professions")


def test_reminders():
    back = row(BELOW, p_adjusted=0.01, gender="female")
    away = row(ABOVE, p_adjusted=0.01, gender="female")
    unclear = row(AROUND, p_adjusted=0.5, gender="male")
    assert verdicts.reminders([back]) == (
        "Yes: reminders bring back the one word measured, beyond what control sentences do."
    )
    assert verdicts.reminders([back, away, None]).startswith("Partly: reminders bring back 1 of 2 words")
    assert verdicts.reminders([unclear, away]).startswith(
        "Not shown: reminders do not bring back any of 2 words"
    )
    assert verdicts.reminders([None]).startswith("Cannot be told")


def test_more_text():
    assert verdicts.more_text(row(BELOW)).startswith("Yes")
    assert verdicts.more_text(row(AROUND)).startswith("Cannot be told")
    assert verdicts.more_text(row(ABOVE)).startswith("No")
    assert verdicts.more_text(None).startswith("Cannot be told")
