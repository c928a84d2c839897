"""What settings of measures may be: their annotations say it, and mistakes are named before work begins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pytest
from pydantic import Field

import counterpoise as cp
from counterpoise.core.errors import InputError
from counterpoise.data import Pairs
from counterpoise.measures.base.catalogue import all_measures, find_measure
from counterpoise.measures.base.settings import as_typed, check_settings, parameters_of

PAIRS = Pairs.of(("The nurse lost her keys.", "The nurse lost his keys."))


def toy(
    model,
    data=None,
    *,
    variant="corrected",
    seed=0,
    scoring: Literal["token", "word_l2r"] = "token",
    names: bool = False,
    k: Annotated[int, Field(ge=1)] = 100,
    few: Annotated[int, Field(ge=0, le=1)] = 1,
    c: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1.0,
    n: Annotated[int, Field(ge=1)] | None = None,
    equalise: Literal["random", "end"] | None = None,
    categories: Sequence[str] | str = ("gender",),
    terms: str | Path = "all",
    anything=None,
):
    """The kinds of settings that measures have."""


def check(**settings):
    return check_settings(toy, settings)


def test_settings_are_what_an_audit_does_not_set():
    names = [*parameters_of(toy)]
    assert names[:3] == ["scoring", "names", "k"]
    assert not {"model", "data", "variant", "seed"} & {*names}
    assert find_measure("sld").settings == ("scoring", "per_token")
    assert {name: one.default for name, one in parameters_of(cp.measures.sld).items()} == {
        "scoring": "token",
        "per_token": False,
    }


@pytest.mark.parametrize(
    "settings",
    [
        {"scoring": "word_l2r"},
        {"names": True},
        {"k": 1},
        {"few": 0},
        {"few": 1},
        {"c": 0.5},
        {"n": None},
        {"n": 3},
        {"equalise": None},
        {"equalise": "end"},
        {"categories": "all"},
        {"categories": ["gender", "age"]},
        {"categories": ("gender",)},
        {"terms": "pro"},
        {"terms": Path("terms.json")},
        {"anything": object},
    ],
)
def test_values_of_the_right_kind_stay_as_they_are(settings):
    assert check(**settings) == settings


def test_values_are_converted_where_that_is_safe():
    [c] = check(c=1).values()
    assert (c, type(c)) == (1.0, float)


@pytest.mark.parametrize(
    ("given", "kind"), [(np.int64(3), int), (np.int32(3), int), (np.uint8(3), int), (3, int)]
)
def test_whole_numbers_of_numpy_are_whole_numbers(given, kind):
    found = check(k=given, n=given)
    assert found == {"k": 3, "n": 3}
    assert {type(value) for value in found.values()} == {kind}


def test_other_values_of_numpy():
    found = check(names=np.bool_(True), c=np.float32(0.5), scoring=np.str_("token"))
    assert found == {"names": True, "c": 0.5, "scoring": "token"}
    assert [type(value) for value in found.values()] == [bool, float, str]
    with pytest.raises(InputError, match=r"^k takes a whole number, such as 100, not 2\.5$"):
        check(k=np.float64(2.5))
    with pytest.raises(InputError, match=r"^k should be greater than or equal to 1, not 0$"):
        check(k=np.int64(0))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"names": "maybe"}, "names takes true or false, such as false, not maybe"),
        ({"names": 1}, "names takes true or false, such as false, not 1"),
        ({"names": None}, "names takes true or false, such as false, not nothing"),
        ({"k": 2.5}, "k takes a whole number, such as 100, not 2.5"),
        ({"k": "many"}, "k takes a whole number, such as 100, not many"),
        ({"k": "3"}, "k takes a whole number, such as 100, not 3"),
        ({"k": True}, "k takes a whole number, such as 100, not true"),
        ({"k": None}, "k takes a whole number, such as 100, not nothing"),
        ({"c": "x"}, "c takes a number, such as 1.0, not x"),
        ({"c": False}, "c takes a number, such as 1.0, not false"),
        ({"n": "all"}, "n takes a whole number, not all"),
        ({"terms": 3}, "terms takes a name or a file, such as all, not 3"),
        ({"categories": 3}, "categories takes a list of names or a name, such as [gender], not 3"),
        (
            {"categories": ["age", None]},
            "categories takes a list of names or a name, such as [gender], not [age, nothing]",
        ),
        ({"categories": True}, "categories takes a list of names or a name, such as [gender], not true"),
    ],
)
def test_a_value_of_another_kind_is_said(settings, message):
    with pytest.raises(InputError) as found:
        check(**settings)
    assert str(found.value) == message


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 0}, "k should be greater than or equal to 1, not 0"),
        ({"k": -5}, "k should be greater than or equal to 1, not -5"),
        ({"few": 2}, "few should be less than or equal to 1, not 2"),
        ({"n": 0}, "n should be greater than or equal to 1, not 0"),
        ({"c": -1.0}, "c should be greater than or equal to 0, not -1.0"),
        ({"c": float("nan")}, "c should be a finite number, not nan"),
        ({"c": float("inf")}, "c should be a finite number, not inf"),
    ],
)
def test_bounds_are_said(settings, message):
    with pytest.raises(InputError) as found:
        check(**settings)
    assert str(found.value) == message


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"scoring": "tokens"}, "scoring takes token or word_l2r, not tokens; did you mean 'token'?"),
        ({"scoring": 3}, "scoring takes token or word_l2r, not 3"),
        ({"scoring": None}, "scoring takes token or word_l2r, not nothing"),
        ({"equalise": "ends"}, "equalise takes random or end, not ends; did you mean 'end'?"),
        ({"equalise": "first"}, "equalise takes random or end, not first"),
        ({"equalise": False}, "equalise takes random or end, not false"),
    ],
)
def test_a_name_that_is_none_of_a_few_is_said(settings, message):
    with pytest.raises(InputError) as found:
        check(**settings)
    assert str(found.value) == message


@pytest.mark.parametrize(
    ("measure", "settings", "message"),
    [
        ("sld", {"per_token": "maybe"}, "per_token takes true or false, such as false, not maybe"),
        ("sld", {"per_token": 1}, "per_token takes true or false"),
        ("sld", {"scoring": None}, "scoring takes token or word_l2r, not nothing"),
        ("sld", {"scoring": 3}, "scoring takes token or word_l2r, not 3"),
        ("crows", {"categories": 3}, r"categories takes .*a name.*, such as \[gender\], not 3"),
        ("crows", {"categories": ["age", None]}, r"not \[age, nothing\]"),
        ("stereoset", {"tasks": True}, "tasks takes .*a list of names"),
        ("ceat", {"contexts": 2.5}, "contexts takes a whole number, such as 100, not 2.5"),
        ("direct_bias", {"c": "x"}, r"c takes a number, such as 1\.0, not x"),
        ("neighbours", {"k": 0}, "k should be greater than or equal to 1, not 0"),
        ("weat", {"equalise": "first"}, "equalise takes random or end, not first"),
        ("weat", {"metric": "cosin"}, "metric takes cosine or .*, not cosin; did you mean 'cosine'"),
    ],
)
def test_measures_check_their_settings(measure, settings, message):
    with pytest.raises(InputError, match=message):
        find_measure(measure).check_settings(settings)


@pytest.mark.parametrize(
    ("measure", "settings"),
    [
        ("crows", {"categories": "all", "per_token": True}),
        ("crows", {"categories": ["gender", "age"]}),
        ("direct_bias", {"c": 1, "allow_lost": True}),
        ("stereoset", {"tasks": ["intrasentence"]}),
        ("stereoset", {"tasks": "intrasentence"}),
        ("weat", {"equalise": "end"}),
        ("weat", {"vocabulary": {"he", "she"}}),
    ],
)
def test_measures_take_what_they_say(measure, settings):
    assert find_measure(measure).check_settings(settings) == settings


def test_every_measure_takes_its_own_defaults():
    for name, found in all_measures().items():
        defaults = {setting: one.default for setting, one in parameters_of(found.function).items()}
        assert found.check_settings(defaults) == defaults, name


def test_settings_of_other_measures_are_left_to_them():
    assert find_measure("sld").check_settings({"scoring": "token", "k": 0}) == {"scoring": "token"}


def test_a_measure_that_is_called_names_a_setting_that_it_has_not(builtin):
    with pytest.raises(InputError, match=r"^sld has no setting 'scorin'; did you mean 'scoring'"):
        cp.measures.sld(builtin, PAIRS, scorin="token")
    with pytest.raises(InputError, match=r"^lpbs has no setting 'scoring'"):
        cp.measures.lpbs(builtin, scoring="token")


def test_a_measure_that_is_called_checks_before_it_works(builtin):
    with pytest.raises(
        InputError, match=r"^scoring takes token or word_l2r, not tokens; did you mean 'token'"
    ):
        cp.measures.sld(builtin, object(), scoring="tokens")
    with pytest.raises(InputError, match="there is no variant 'best'"):
        cp.measures.sld(builtin, object(), variant="best", scoring="tokens")


def test_values_as_they_are_typed():
    shown = [as_typed(value) for value in (True, None, 3, 0.5, "token", ["age", None], (), ("a", False))]
    assert shown == ["true", "nothing", "3", "0.5", "token", "[age, nothing]", "[]", "[a, false]"]
