"""Texts that declare pronouns: nothing but the declaration may say which form is right."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from pydantic import ValidationError

import counterpoise as cp
from counterpoise.data.builtin.declared_pronouns import DeclaredPronounsSpec, as_declared
from counterpoise.text.pronoun_sets import FORMS, PRONOUN_SETS, pronoun_set

SETS = [pronoun_set(name) for name in PRONOUN_SETS]


@pytest.fixture(scope="module")
def filled():
    return cp.data.declared_pronouns().fill(SETS)


def test_every_template_meets_each_lean_and_each_distance_once(filled):
    slots = filled[filled.pronouns == "xe"]
    assert len(slots) == 90
    for column in ("lean", "distance"):
        assert (slots.groupby(["template", column]).size() == 1).all()
    per_form = slots.groupby(["form", "lean", "distance"]).size()
    assert len(per_form) == 45
    assert (per_form == 2).all()
    assert list(filled.pronouns[: len(SETS)]) == [pronouns.name for pronouns in SETS]


def test_the_distance_is_the_number_of_sentences_between(filled):
    assert (filled.text.str.count(r"[.] ") == filled.distance + 1).all()


def test_the_right_word_is_that_form_of_the_declared_set(filled):
    for row in filled.itertuples():
        assert row.word == getattr(pronoun_set(row.pronouns), row.form)
        assert as_declared(pronoun_set(row.pronouns)) in row.text.partition(". ")[0]
        assert row.text.count("[MASK]") == 1


def test_no_text_has_another_pronoun_than_the_declared_ones():
    spec = cp.data.declared_pronouns().spec
    forms = {form for pronouns in SETS for form in pronouns.forms.values()} | {"themselves", "i", "we", "you"}
    for text in [*spec.fillers, *(text for _, texts in spec.templates for text in texts)]:
        assert not set(re.findall(r"\w+", text.lower())) & forms, text


def test_no_verb_after_a_subject_shows_its_number():
    after = [
        text.partition("{pronoun} ")[2].split()[0]
        for text in cp.data.declared_pronouns().spec.templates.subject
    ]
    assert after == ["would", "felt", "had", "answered", "could", "opened"]


def test_the_name_stands_in_the_sentence_of_the_slot():
    spec = cp.data.declared_pronouns().spec
    assert [form for form, _ in spec.templates] == list(FORMS)
    for _, templates in spec.templates:
        assert len(set(templates)) == 6
        for template in templates:
            assert template.index("{name}") < template.index("{pronoun}")
            assert "." not in template[:-1]


def test_a_template_needs_its_slots():
    spec = cp.data.declared_pronouns().spec.model_dump()
    spec["templates"]["object"] = ["{name} left."]
    with pytest.raises(ValidationError, match=r"\{name\} and \{pronoun\} must each be there once"):
        DeclaredPronounsSpec.model_validate(spec)


def test_the_names_lean_as_they_should(data_file):
    """Births in the US: fewer than one in a hundred of the other sex, or between 40 and 60 %."""
    births = pd.read_csv(data_file("names/ssa_totals_by_gender.csv.xz")).set_index("name")
    share = births.female / (births.female + births.male)
    bounds = {"male": (0, 0.01), "female": (0.99, 1), "neutral": (0.4, 0.6)}
    for lean, names in cp.data.declared_pronouns().spec.names:
        low, high = bounds[lean]
        assert share[list(names)].between(low, high).all(), lean
