from __future__ import annotations

import pytest

from counterpoise.core.errors import DataError, InputError
from counterpoise.studies.engine.study import check_study, read_study, study_names

STEP = {"run": "cells:train", "over": ["seed"]}


def study(**changes):
    return check_study(
        {"name": "s", "factors": {"seed": [0, 1]}, "steps": {"train": STEP}, **changes}, "s.yaml"
    )


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"steps": {}}, "steps: "),
        ({"stepz": {}}, "stepz: Extra inputs"),
        ({"factors": {"seed": []}}, "factors.seed: "),
        ({"factors": {"seed": [0, 0]}}, "the factor 'seed' has a value twice"),
        ({"steps": {"train": {**STEP, "run": "train"}}}, "steps.train.run: "),
        (
            {"steps": {"train": {**STEP, "over": ["sed"]}}},
            "goes over 'sed', which is no factor; did you mean 'seed'",
        ),
        (
            {"steps": {"train": {**STEP, "needs": ["trian"]}}},
            "needs 'trian', which is no step; did you mean 'train'",
        ),
        ({"steps": {"train": {**STEP, "needs": ["train"]}}}, "the steps train need each other in a circle"),
        ({"steps": {"train": {**STEP, "uses": ["n"]}}}, "uses 'n', which is no setting"),
        ({"steps": {"train": {**STEP, "where": [{"base": ["a"]}]}}}, "does not go over 'base'"),
        ({"steps": {"train": {**STEP, "cpus": 0}}}, "steps.train.cpus: "),
        ({"parts": {"table1": ["rate"]}}, "part 'table1' names 'rate', which is no step"),
    ],
)
def test_a_mistake_in_a_study_is_one_line_with_its_place(changes, complaint):
    with pytest.raises(DataError) as raised:
        study(**changes)
    assert str(raised.value).startswith("s.yaml: ")
    assert complaint in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_scale_replaces_and_adds():
    scales = {"smoke": {"factors": {"seed": [7]}, "settings": {"n": 1}}}
    small = study(settings={"n": 10, "m": 2}, scales=scales).at("smoke")
    assert small.factors == {"seed": [7]}
    assert small.settings == {"n": 1, "m": 2}


def test_settings_of_ones_own_are_over_those_of_the_scale():
    whole = study(settings={"n": 10, "m": 2}, scales={"smoke": {"settings": {"n": 1}}})
    assert whole.at("smoke", {"n": 5}).settings == {"n": 5, "m": 2}
    assert whole.at(None, {"m": 1}).settings == {"n": 10, "m": 1}
    with pytest.raises(InputError, match="there is no setting 'k'"):
        whole.at("smoke", {"k": 5})


@pytest.mark.parametrize(
    ("own", "wanted"),
    [
        ({"count": "abc"}, "the setting count must be a whole number, not 'abc'"),
        ({"count": 1.5}, "the setting count must be a whole number, not 1.5"),
        ({"count": True}, "the setting count must be a whole number, not true"),
        ({"count": None}, "the setting count must be a whole number, not null"),
        ({"rate": "fast"}, "the setting rate must be a number, not 'fast'"),
        ({"cross": 1}, "the setting cross must be true or false, not 1"),
        ({"sizes": 20}, "the setting sizes must be a list, not 20"),
        (
            {"training": [1]},
            r"the setting training must be a mapping such as {name: value} or null, not \[1\]",
        ),
        ({"passages": "all"}, "the setting passages must be a whole number or null, not 'all'"),
    ],
)
def test_a_setting_of_another_kind_is_refused(own, wanted):
    settings = {"count": 5, "rate": 0.5, "cross": True, "sizes": [20], "training": {}, "passages": None}
    scales = {"smoke": {"settings": {"passages": 100}}, "paper": {"settings": {"training": None}}}
    whole = study(settings=settings, scales=scales)
    for scale in ("smoke", "paper"):
        with pytest.raises(InputError, match=f"^{wanted}$"):
            whole.at(scale, own)


def test_settings_of_a_fitting_kind():
    settings = {"count": 5, "rate": 0.5, "file": None, "model": "bert", "training": {}}
    whole = study(settings=settings, scales={"smoke": {"settings": {"training": None}}})
    for own in (
        {"rate": 1},
        {"file": "a.csv"},
        {"file": 3},
        {"model": None},
        {"training": None},
        {"count": 0},
    ):
        assert whole.at("smoke", own).settings.items() >= own.items()


def test_a_scale_that_is_not_there():
    with pytest.raises(InputError, match=r"there is no scale 'smok'.*did you mean 'smoke'"):
        study(scales={"smoke": {}}).at("smok")


def test_only_brings_what_it_needs():
    steps = {
        "mean": {"run": "c:f", "needs": ["rate"]},
        "rate": {**STEP, "needs": ["train"]},
        "train": STEP,
        "count": STEP,
    }
    whole = study(steps=steps, parts={"table1": ["mean"]})
    assert whole.steps_for([]) == {"train", "rate", "mean", "count"}
    assert whole.steps_for(["rate"]) == {"train", "rate"}
    assert whole.steps_for(["table1", "count"]) == {"train", "rate", "mean", "count"}
    with pytest.raises(InputError, match="there is no step or part 'tabel1'"):
        whole.steps_for(["tabel1"])
    with pytest.raises(InputError, match="there is no step or part 'figure 3'"):
        study(steps=steps, gather="c:g").steps_for(["figure 3"])


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("steps: [", "is not YAML"), ("", "Input should be"), ("name: x", "steps: Field required")],
)
def test_a_file_that_is_no_study(tmp_path, text, complaint):
    path = tmp_path / "study.yaml"
    path.write_text(text)
    with pytest.raises(DataError, match=complaint) as raised:
        read_study(path)
    assert "\n" not in str(raised.value)


def test_studies_that_are_not_there(tmp_path):
    with pytest.raises(DataError, match="cannot read"):
        read_study(tmp_path / "nowhere.yaml")
    with pytest.raises(InputError, match="there is no study 'nothing'"):
        read_study("nothing")


def test_the_studies_that_come_along_can_be_read():
    for name in study_names():
        found, modules = read_study(name)
        assert found.name == name
        assert modules is None
