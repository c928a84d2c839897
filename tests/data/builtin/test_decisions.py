"""Templates of yes-or-no cases: what is refused, in one line."""

from __future__ import annotations

import pytest

from counterpoise.cli.main import run
from counterpoise.core.errors import DataError
from counterpoise.data.builtin.decisions import DecisionTemplate, DecisionTemplates, read_decision_templates

FINE = "{Person} asks. Is {they} in?"


@pytest.mark.parametrize("text", ["Is {person:d} in?", "Is {Person!z} in?", "Is {person!r} {age:>4}?"])
def test_slots_have_no_format(text):
    with pytest.raises(DataError, match=r"domains.a.0.text: write .* alone, without ! or : after the name"):
        DecisionTemplates.of({"a": [(text, "yes")]})


@pytest.mark.parametrize("text", ["Is {} {person} in?", "Is {person.x} in?", "Is {person[0]} in?"])
def test_slots_have_names(text):
    with pytest.raises(DataError, match="is no slot"):
        DecisionTemplates.of({"a": [(text, "yes")]})


@pytest.mark.parametrize("templates", [["text"], ["ab"], [("text",)], [FINE, "yes"], [(FINE, "yes", 1)], [3]])
def test_templates_in_python_are_texts_with_answers(templates):
    with pytest.raises(DataError, match="own: a: give a text and yes or no for each template, not"):
        DecisionTemplates.of({"a": templates})


def test_a_template_is_given_once(tmp_path):
    twice = "own: domains: template 2 of b is template 1 of a once more: '{Person} asks"
    with pytest.raises(DataError, match=twice):
        DecisionTemplates.of({"a": [(FINE, "yes")], "b": [("Is {person} out?", "no"), (FINE, "no")]})
    case = DecisionTemplate(text=FINE, favourable="yes")
    with pytest.raises(DataError, match="mine: template 2 of a is template 1 of a once more"):
        DecisionTemplates("mine", {"a": [case, case]})
    file = tmp_path / "mine.yaml"
    line = f"    - {{text: '{FINE}', favourable: yes}}\n"
    file.write_text(f"domains:\n  work:\n{line}{line}")
    with pytest.raises(
        DataError, match=r"mine\.yaml: domains: template 2 of work is template 1 of work once more"
    ):
        read_decision_templates(file)


def test_catalog_validate_says_what_is_wrong_in_one_line(tmp_path, capsys):
    file = tmp_path / "mine.yaml"
    file.write_text("domains:\n  work:\n    - {text: 'Is {person:d} in?', favourable: yes}\n")
    assert run(["catalog", "validate", str(file)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "mine.yaml: domains.work.0.text: write {person} alone" in said


def test_templates_know_their_place():
    places = DecisionTemplates.of({"a": [(FINE, "yes"), ("Is {person} out?", "no")]}).table().place
    assert places.tolist() == ["template 1 of a", "template 2 of a"]
