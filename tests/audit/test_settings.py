from __future__ import annotations

import pytest

import counterpoise as cp
from counterpoise.audit.settings import check_settings, parse_settings
from counterpoise.core.errors import InputError, RunError
from counterpoise.measures.catalogue import find_measure

PAIRS = "stereotyped,counterpart\nThe nurse lost her keys.,The nurse lost his keys.\n"


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(PAIRS)
    return path


def test_a_measure_takes_the_settings_that_it_has(builtin, pairs, tmp_path):
    both = ["sld", "crows"]
    found = cp.audit(builtin, both, pairs=pairs, settings={"scoring": "word_l2r"}, out=tmp_path / "run")
    assert found.results["sld"].items.scoring[0] == "PLL word_l2r"
    assert found.results["crows"].items.stereotyped[0] == "The nurse lost her keys."
    assert found.run.manifest["options"]["settings"] == {"scoring": "word_l2r"}
    with pytest.raises(RunError, match="holds a run with settings"):
        cp.audit(builtin, both, pairs=pairs, out=tmp_path / "run")


def test_a_setting_that_no_measure_has_is_a_mistake(builtin):
    with pytest.raises(InputError, match=r"has a setting 'scorin'.*scoring.*there are: per_token, scoring"):
        cp.audit(builtin, ["sld"], settings={"scorin": "token"})


@pytest.mark.parametrize(
    ("measure", "settings", "message"),
    [
        ("sld", {"per_token": "maybe"}, "per_token takes true or false, such as false, not maybe"),
        ("sld", {"per_token": 1}, "per_token takes true or false"),
        ("sld", {"scoring": None}, "scoring takes a name, such as token, not nothing"),
        ("sld", {"scoring": 3}, "scoring takes a name, such as token, not 3"),
        (
            "crows",
            {"categories": 3},
            r"categories takes a name or a list of names, such as \[gender\], not 3",
        ),
        ("crows", {"categories": ["age", None]}, r"not \[age, nothing\]"),
        ("stereoset", {"tasks": True}, "tasks takes a name or a list of names"),
        ("ceat", {"contexts": 2.5}, "contexts takes a whole number, such as 100, not 2.5"),
        ("direct_bias", {"c": "x"}, r"c takes a number, such as 1\.0, not x"),
    ],
)
def test_a_value_of_another_kind_is_said_before_work_begins(measure, settings, message):
    with pytest.raises(InputError, match=message):
        check_settings(settings, [find_measure(measure)])


def test_values_of_the_right_kind():
    check_settings({"categories": "all", "per_token": True}, [find_measure("crows")])
    check_settings({"c": 1, "allow_lost": True}, [find_measure("direct_bias")])
    check_settings({"tasks": ["intrasentence"]}, [find_measure("stereoset")])
    check_settings({"equalise": "first"}, [find_measure("weat")])


def test_categories_of_ones_own_pairs_are_not_chosen(builtin, pairs):
    """They would be measured whole, and the user would not know."""
    with pytest.raises(InputError, match=r"data sets of crows; pairs of your own are measured whole"):
        cp.audit(builtin, ["crows"], pairs=pairs, settings={"categories": ["age"]})
    both = [find_measure("crows"), find_measure("stereoset")]
    check_settings({"categories": "all"}, both, own={"crows"})  # those of stereoset are


def test_a_name_that_is_none_of_a_few_is_said(builtin):
    with pytest.raises(InputError, match=r"there is no scoring 'tokens'.*did you mean 'token'"):
        cp.audit(builtin, ["sld"], settings={"scoring": "tokens"})


@pytest.mark.parametrize("seed", [-1, 1.5, "one"])
def test_a_seed_that_is_none(seed, builtin):
    with pytest.raises(InputError, match="the seed must be a whole number, 0 or more"):
        cp.audit(builtin, ["sld"], seed=seed)


@pytest.mark.parametrize("text", ["scoring", "=token", "a b=1", "x=[1"])
def test_what_is_no_setting_is_said(text):
    with pytest.raises(InputError, match="--set"):
        parse_settings([text])
