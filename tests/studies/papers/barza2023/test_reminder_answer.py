"""Which share of an effect the answer says that the control has too."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from counterpoise.studies.papers.barza2023.reminder_answer import _share


def row(value, low, high):
    return SimpleNamespace(value=value, ci_low=low, ci_high=high)


@pytest.mark.parametrize(
    ("effect", "control", "expected"),
    [
        (row(-0.20, -0.40, -0.10), row(-0.15, -0.20, -0.10), ", 75 % of that"),
        (row(-0.25, -0.45, -0.04), row(-0.18, -0.40, 0.03), ""),  # the control may be 0
        (row(-0.25, -0.45, 0.04), row(-0.18, -0.30, -0.03), ""),
        (row(-0.20, -0.40, -0.10), row(0.15, 0.10, 0.20), ""),
    ],
)
def test_a_share_needs_an_effect_and_a_control_that_are_not_zero(effect, control, expected):
    assert _share(effect, control) == expected
