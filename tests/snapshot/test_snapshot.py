"""The numbers are those of the snapshot, to a tolerance: another CPU adds up in another order.

`python tests/snapshot/snapshot.py check` compares them to the last digit, on the machine on which it was taken, and
`check studies --runs DIR` does the four studies.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

from snapshot import Snapshot, check

pytestmark = pytest.mark.slow

TOLERANCE = 1e-4


@pytest.fixture(scope="module")
def was():
    return Snapshot.read()


@pytest.fixture(autouse=True)
def third_party_data(data_file):
    """What the snapshot was taken on."""
    for name in ("gap", "imdb", "eec", "mt-gender", "vectors"):
        data_file(name)


@pytest.mark.parametrize("case", ["function", "glove_6B_50d/corrected", "sentiment/alone", "ppd/gpt2"])
def test_measures(was, case):
    assert check("measures", was, TOLERANCE, only=case).numbers == []


@pytest.mark.parametrize("case", ["lpbs/builtin", "ppd/builtin", "winogender/builtin", "seat/encoder"])
def test_measures_of_the_built_in_model(was, case):
    assert check("measures", was, TOLERANCE, only=case).numbers == []


@pytest.mark.parametrize("case", ["vectors", "classifiers"])
def test_comparisons(was, case):
    """Rows that could not be compared before sources were known are compared now."""
    found = check("comparisons", was, TOLERANCE, only=case).numbers
    assert found == []


@pytest.mark.parametrize("part", ["corpora", "swaps"])
def test_corpora_and_swaps(was, part):
    assert check(part, was, TOLERANCE).numbers == []
