from __future__ import annotations

import itertools

import pytest

from counterpoise.core.errors import DataError
from counterpoise.studies.engine.grid import plan
from counterpoise.studies.engine.study import Study

FACTORS = {"base": ["a", "b"], "condition": ["x", "y", "z"], "seed": [0, 1]}
STEPS = {
    "train": {"run": "c:train", "over": ["base", "condition", "seed"], "uses": ["epochs"]},
    "rate": {"run": "c:rate", "over": ["base", "condition", "seed"], "needs": ["train"], "uses": []},
    "mean": {"run": "c:mean", "over": ["base"], "needs": ["rate"], "uses": []},
}


def cells(factors=FACTORS, steps=STEPS, version="1", **settings):
    return plan(Study(name="s", factors=factors, steps=steps, settings={"epochs": 2, **settings}), version)


def changed_steps(before, after):
    return {cell.step for key, cell in before.items() if key not in after}


def test_a_step_is_the_product_of_its_factors():
    found = [tuple(cell.factors.values()) for cell in cells().values() if cell.step == "train"]
    assert found == list(itertools.product("ab", "xyz", [0, 1]))


def test_needs_are_the_cells_whose_factors_agree():
    found = cells()
    for cell in found.values():
        for step, keys in cell.needs.items():
            expected = [
                other
                for other in found.values()
                if other.step == step
                and all(cell.factors.get(name, value) == value for name, value in other.factors.items())
            ]
            assert [found[key] for key in keys] == expected
            assert len(keys) == {"rate": 1, "mean": 6}[cell.step]


def test_the_key_changes_with_all_that_decides_the_result():
    before = cells()
    assert changed_steps(before, cells()) == set()
    assert changed_steps(before, cells(other=1)) == set()  # a setting that no step uses
    assert changed_steps(before, cells(epochs=3)) == {"train", "rate", "mean"}  # and those that need it
    assert changed_steps(before, cells(version="2")) == {"train", "rate", "mean"}
    newer = {**STEPS, "rate": {**STEPS["rate"], "version": 2}}
    assert changed_steps(before, cells(steps=newer)) == {"rate", "mean"}
    assert changed_steps(before, cells(factors={**FACTORS, "seed": [0, 1, 2]})) == {"mean"}
    more_cores = {**STEPS, "train": {**STEPS["train"], "cpus": 4}}
    assert changed_steps(before, cells(steps=more_cores)) == set()


def test_where_keeps_the_cells_that_agree_with_one_entry():
    where = [{"base": ["a"]}, {"base": ["b"], "condition": ["x"]}]
    steps = {"train": {**STEPS["train"], "where": where}}
    found = {(cell.factors["base"], cell.factors["condition"]) for cell in cells(steps=steps).values()}
    assert found == {("a", "x"), ("a", "y"), ("a", "z"), ("b", "x")}


def test_a_cell_without_what_it_needs_is_a_mistake_in_the_study():
    steps = {**STEPS, "train": {**STEPS["train"], "where": [{"base": ["a"]}]}}
    with pytest.raises(
        DataError, match="rate base=b condition=x seed=0 needs 'train', and no cell of that agrees"
    ):
        cells(steps=steps)


def test_folder_names_differ_where_the_values_differ_only_in_odd_characters():
    names = {cell.name for cell in cells(factors={**FACTORS, "base": ["a/b", "a:b", "a" * 300]}).values()}
    assert len(names) == len(cells(factors={**FACTORS, "base": ["a/b", "a:b", "a" * 300]}))
    assert all("/" not in name and len(name) < 150 for name in names)
