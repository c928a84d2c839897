from __future__ import annotations

import pytest

import counterpoise as cp
from counterpoise.audit.settings import parse_settings
from counterpoise.core.errors import InputError, RunError

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
    ("settings", "message"),
    [
        ({"per_token": "maybe"}, "the setting per_token of sld cannot be 'maybe': .*boolean"),
        ({"scoring": 3}, "the setting scoring of sld cannot be 3: .*'token' or 'word_l2r'"),
        ({"scoring": None}, "the setting scoring of sld cannot be None"),
        ({"scoring": "tokens"}, "there is no scoring 'tokens'.*did you mean 'token'"),
    ],
)
def test_a_setting_of_another_kind_is_a_mistake(settings, message, builtin):
    with pytest.raises(InputError, match=message):
        cp.audit(builtin, ["sld"], settings=settings)


@pytest.mark.parametrize("seed", [-1, 1.5, "one"])
def test_a_seed_that_is_none(seed, builtin):
    with pytest.raises(InputError, match="the seed must be a whole number, 0 or more"):
        cp.audit(builtin, ["sld"], seed=seed)


@pytest.mark.parametrize("text", ["scoring", "=token", "a b=1", "x=[1"])
def test_what_is_no_setting_is_said(text):
    with pytest.raises(InputError, match="--set"):
        parse_settings([text])
