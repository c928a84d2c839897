"""What --only chooses: cells by step, part and factor value, with all that they need, and nothing else."""

from __future__ import annotations

import itertools

import pandas as pd
import pytest

from counterpoise.core.errors import InputError
from counterpoise.studies.engine.grid import plan
from counterpoise.studies.engine.selection import Selection


def chosen(study, *only):
    """The chosen cells in words."""
    return [str(cell) for cell in Selection.of(study, only).cells(plan(study)).values()]


def test_a_value_chooses_cells_of_the_steps_that_go_over_it(toy):
    assert chosen(toy(), "seed=1") == ["draw seed=1", "scale seed=1 factor=10", "scale seed=1 factor=100"]


def test_what_chosen_cells_need_comes_with_them_whatever_its_factors(toy):
    assert chosen(toy(), "factor=10") == [
        *(f"draw seed={seed}" for seed in (0, 1, 2)),
        *(f"scale seed={seed} factor=10" for seed in (0, 1, 2)),
    ]
    assert chosen(toy(), "total") == ["draw seed=0", "draw seed=1", "draw seed=2", "total"]


@pytest.mark.parametrize(
    "only", [("seed=0", "seed=2", "factor=10"), ("seed=0|2", "factor=10"), ("factor=10", "seed=0 | 2")]
)
def test_several_values_of_a_factor(toy, only):
    assert chosen(toy(), *only) == [
        "draw seed=0",
        "draw seed=2",
        "scale seed=0 factor=10",
        "scale seed=2 factor=10",
    ]


def test_steps_and_parts_with_values(toy):
    assert chosen(toy(), "draw", "seed=1") == ["draw seed=1"]
    expected = ["draw seed=1", "scale seed=1 factor=100"]
    assert chosen(toy(), "table1", "seed=1", "factor=100") == expected
    assert chosen(toy(), "scale", "factor=100", "seed=1") == expected


def test_every_choice_is_what_a_plain_loop_over_the_grid_finds(toy):
    study = toy()
    for seeds, factors in itertools.product(([0], [1, 2]), ([10], [10, 100])):
        only = [*(f"seed={seed}" for seed in seeds), *(f"factor={factor}" for factor in factors)]
        by_hand = [f"draw seed={seed}" for seed in seeds]
        by_hand += [f"scale seed={seed} factor={factor}" for seed in seeds for factor in factors]
        assert chosen(study, *only) == by_hand


def test_numbers_may_be_typed_otherwise(toy):
    study = toy(factors={"factor": [5e-5, 10]})
    assert chosen(study, "factor=5e-5", "seed=0") == ["draw seed=0", "scale seed=0 factor=5e-05"]


def test_values_that_are_no_words(toy):
    study = toy({"seed": [None, True, 0.5, "a b"]})
    for text in ("null", "true", "0.5", "a b"):
        assert len(chosen(study, f"seed={text}", "draw")) == 1


@pytest.mark.parametrize(
    ("only", "complaint"),
    [
        (["sed=1"], r"there is no factor 'sed' \(there are: factor, seed\); did you mean 'seed'\?"),
        (["seed=7"], r"there is no value of seed '7' \(there are: 0, 1, 2\)"),
        (["factor=1000"], r"there is no value of factor '1000'.*did you mean '100'\?"),
        (["seed"], "--only seed: this is a factor; name a value too, e.g. seed=0"),
        (["tabel1"], "there is no step or part 'tabel1'.*did you mean 'table1'"),
        (["draw", "factor=10"], r"draw does not go over 'factor' \(it goes over: seed\)"),
        (["total", "seed=0"], r"total does not go over 'seed' \(it goes over: no factor\)"),
    ],
)
def test_mistakes(toy, only, complaint):
    with pytest.raises(InputError, match=complaint) as raised:
        chosen(toy(), *only)
    assert "\n" not in str(raised.value)


def test_a_choice_without_a_cell(toy):
    study = toy()
    steps = {**study.steps, "scale": study.steps["scale"].model_copy(update={"where": ({"seed": [0]},)})}
    with pytest.raises(InputError, match="no cell of the study agrees with --only scale,seed=1"):
        chosen(study.model_copy(update={"steps": steps}), "scale", "seed=1")


@pytest.mark.parametrize(
    ("only", "shown"),
    [
        ((), ()),
        (("seed=1",), ()),
        (("table1", "seed=1"), ("table1",)),
        (("scale",), ("scale", "table1")),
        (("draw",), ("draw", "table1")),  # table1 rests on scale, which needs draw
        (("total",), ("total",)),
    ],
)
def test_a_step_shows_the_parts_that_rest_on_it(toy, only, shown):
    study = toy()
    assert Selection.of(study, only).shown(study) == shown


@pytest.mark.slow
def test_the_study_is_completed_later_and_ends_as_if_it_had_been_run_at_once(toy, run, tmp_path):
    part = run(toy(), tmp_path / "s", only=["seed=1", "factor=10"])
    assert part.computed == 2
    assert part.finished.missing == []
    assert set(part.finished.table.seed) == {1}
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("s/cells/*/*/cell.json")}
    other = run(toy(), tmp_path / "s", only=["seed=0"])
    assert other.computed == 3
    assert set(other.finished.table.seed) == {0, 1}  # what was done before is in the table too
    rest = run(toy(), tmp_path / "s")
    assert rest.computed == 10 - 2 - 3
    after = {path: path.stat().st_mtime_ns for path in tmp_path.glob("s/cells/*/*/cell.json")}
    assert before.items() <= after.items()
    whole = run(toy(), tmp_path / "whole")
    pd.testing.assert_frame_equal(rest.finished.table, whole.finished.table)
