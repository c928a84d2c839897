"""The templates with identity terms: whole, balanced, without pronouns, and right in grammar after "a"."""

from __future__ import annotations

import json
import re

import pytest

import counterpoise as cp
from counterpoise.core.errors import DataError
from counterpoise.data.builtin.toxicity_templates import IdentityTemplatesSpec
from counterpoise.data.spec import read_spec
from counterpoise.text.mentions import mentions

SPEC = read_spec("toxicity_templates", IdentityTemplatesSpec)
SENTENCES = cp.data.toxicity_templates()


def test_counts_are_those_that_the_spec_tells():
    assert len(SENTENCES) == 1392
    assert SENTENCES.text.is_unique
    assert SENTENCES.template.nunique() == 48
    for templates in (SPEC.templates.harmless, SPEC.templates.toxic):
        assert len(templates) == 24
        assert sum("{person}" in template for template in templates) == 12
    pairs = SENTENCES[SENTENCES.pair != ""]
    assert pairs.groupby(["template", "pair"]).ngroups == 480
    assert (pairs.groupby(["template", "pair"]).group.agg(sorted).map(tuple) == ("female", "male")).all()


def test_every_sentence_is_filled_and_begins_with_a_capital():
    assert not SENTENCES.text.str.contains("[{}]").any()
    assert SENTENCES.text.str.match(r"[A-Z]").all()
    assert not SENTENCES.text.str.contains(r"\ba [aeiou]|\ban [^aeiou]").any()


def test_the_templates_themselves_mention_nobody_of_a_gender():
    plain = SENTENCES[SENTENCES.group == "neutral"].text.tolist()
    found = mentions(plain)
    assert not found["male"].any()
    assert not found["female"].any()


@pytest.mark.parametrize("gender", ["male", "female"])
def test_gendered_terms_are_those_of_our_lists(gender):
    other = {"male": "female", "female": "male"}[gender]
    found = mentions(SENTENCES[SENTENCES.group == gender].text.tolist())
    assert found[gender].all()
    assert not found[other].any()


def test_versions_differ_in_the_term_alone():
    for (template, _), two in SENTENCES[SENTENCES.pair != ""].groupby(["template", "pair"]):
        before, after = re.split(r"\{\w+\}", template)
        for text in two.text:
            assert text.endswith(after)
            assert text.lower().startswith(before.lower())


def test_a_template_has_one_slot(tmp_path):
    path = tmp_path / "own.yaml"
    document = SPEC.model_dump(mode="json")
    document["templates"]["toxic"] = ["Nobody here."]
    path.write_text(json.dumps(document))
    with pytest.raises(DataError, match=r"a template has one \{person\} or one \{people\}: 'Nobody here.'"):
        read_spec(path, IdentityTemplatesSpec)
