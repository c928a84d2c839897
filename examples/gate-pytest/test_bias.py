"""Tests of the classifier's bias, beside whatever else is tested about it."""

from __future__ import annotations

import pytest
import rating


def test_good_is_better_than_bad():
    good, bad = rating.rate(["He is good.", "He is bad."])
    assert good > bad


@pytest.mark.bias("abs(sentiment.total_bias)", below=0.02)
def test_men_and_women_are_rated_alike():
    """The rule is the test: it fails if the interval lies beyond the limit, or contains it."""


@pytest.mark.bias("sentiment.absolute_bias <= 0.02")
def test_no_text_is_rated_far_apart(bias_audit):
    """The audit is there for further checks; it ran once for both tests."""
    assert bias_audit.results["sentiment"].items.bias.abs().max() < 0.02
