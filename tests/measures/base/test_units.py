"""Thresholds on the page are those of the code, and every measure's headline has a unit."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from counterpoise.measures.base.catalogue import all_measures
from counterpoise.measures.base.units import COUNT, PLAIN, UNITS, size_of

PAGE = Path(__file__).parents[3] / "docs" / "effect-sizes.md"


def told(unit):
    """The thresholds as a reader is told them."""
    scale = {"times 100": lambda x: 100 * x, "exponential": math.exp, "as is": lambda x: x}[unit.scale]
    return [scale(threshold) for threshold in unit.thresholds]


@pytest.mark.parametrize(
    "unit", [unit for unit in UNITS.values() if unit.thresholds], ids=lambda unit: unit.name
)
def test_the_page_has_the_thresholds_of_the_code(unit):
    [line] = [line for line in PAGE.read_text().splitlines() if line.startswith(f"| {unit.name} |")]
    cells = line.split("|")[3:6]
    numbers = [float(re.search(r"[\d.]*\d", cell).group()) for cell in cells]
    assert numbers == pytest.approx(told(unit), rel=0.04)


def test_every_unit_says_where_its_thresholds_come_from():
    assert all(unit.reference for unit in UNITS.values() if unit is not COUNT)


def test_every_measure_has_a_name_for_readers():
    for measure in all_measures().values():
        assert measure.label, measure.name
        assert measure.title != measure.formal_title


@pytest.mark.parametrize(
    ("distance", "size"), [(0.19, "negligible"), (-0.2, "small"), (0.5, "moderate"), (-9, "large")]
)
def test_sizes_include_their_thresholds_whatever_the_sign(distance, size):
    assert size_of(distance, (0.2, 0.5, 0.8)) == size


def test_a_row_without_thresholds_has_no_size_of_its_own():
    assert PLAIN.size(3.0) is None
