"""Datasets under the names that they had before."""

from __future__ import annotations

import pytest

import counterpoise as cp
from counterpoise.core.errors import InputError
from counterpoise.data.aliases import ALIASES
from counterpoise.data.builtin.templates import TemplateSpec
from counterpoise.data.spec import any_spec, read_spec, spec_names


def test_both_names_are_one_dataset():
    assert cp.data.tbd is cp.data.pronoun_templates
    assert cp.data.tgb is cp.data.stereotype_pairs
    assert cp.data.tgb().name == "stereotype_pairs"
    assert read_spec("tbd", TemplateSpec) == read_spec("pronoun_templates", TemplateSpec)
    assert any_spec("tgb").name == "stereotype_pairs"


def test_names_of_today_are_those_that_are_listed():
    assert set(ALIASES.values()) <= set(spec_names()) & set(cp.data.__all__)
    assert not set(ALIASES) & ({*spec_names()} | {*cp.data.__all__})


def test_unknown_names():
    with pytest.raises(AttributeError, match="has no attribute 'tbdd'"):
        _ = cp.data.tbdd
    with pytest.raises(InputError, match="did you mean 'pronoun_templates'"):
        any_spec("pronoun_template")
