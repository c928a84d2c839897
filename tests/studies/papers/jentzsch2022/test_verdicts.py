"""The leading sentences claim no more than the trainings allow."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from counterpoise.studies.papers.jentzsch2022 import verdicts

ABOVE, BELOW, AROUND, NONE = (
    SimpleNamespace(low=low, high=high)
    for low, high in ((0.1, 0.5), (-0.5, -0.1), (-0.2, 0.3), (np.nan, np.nan))
)


def differences(*adjusted):
    return pd.DataFrame({"p_value": adjusted, "p_adjusted": adjusted}, dtype=float)


@pytest.mark.parametrize(
    ("table", "near", "said"),
    [
        (differences(), 0, "Not measured"),
        (
            differences(0.01, 0.3),
            0,
            "Partly: treated training texts make a significant difference in 1 of 2 comp",
        ),
        (differences(0.2, 0.3), 0, "Not shown"),
        (differences(np.nan, np.nan), 0, "Cannot be told: with one training seed"),
        (differences(0.01), 4, "Cannot be told: no classifier has learned"),
    ],
)
def test_by_training_data(table, near, said):
    assert verdicts.by_training_data(table, near, 4).startswith(said)


def test_classifiers_near_chance_are_mentioned():
    assert verdicts.by_training_data(differences(0.2), 1, 4).endswith("; 1 of 4 classifiers are near chance.")


@pytest.mark.parametrize(
    ("fits", "said"),
    [
        ([], "Cannot be told: no two sizes"),
        ([ABOVE], "The larger of two base models has the larger bias"),
        ([BELOW], "The larger of two base models has the smaller bias"),
        ([AROUND, NONE], "Cannot be told: the intervals"),
        (
            [ABOVE, ABOVE, AROUND],
            "In part: of 3 pairs of base models the larger model has the larger bias in 2,",
        ),
    ],
)
def test_by_base(fits, said):
    assert verdicts.by_base({"small", "large"}, fits).startswith(said)


def test_by_terms():
    assert verdicts.by_terms(0, 0).startswith("Not measured")
    assert verdicts.by_terms(1, 1) == "Yes: with more terms the bias is larger in the one training run."
    assert verdicts.by_terms(0, 8).startswith("No")


@pytest.mark.parametrize(
    ("fits", "said"),
    [
        ([], "Not measured"),
        ([AROUND, AROUND], "No effect of the batch size was found"),
        ([AROUND, BELOW], "Yes: the bias changes in 1 of 2 comparisons"),
        ([NONE], "Cannot be told"),
    ],
)
def test_by_batch_size(fits, said):
    assert verdicts.by_batch_size(fits).startswith(said)
