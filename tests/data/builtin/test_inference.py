"""Templates for natural language inference: our own, users' files, and the plain pairs that check a model."""

from __future__ import annotations

import re

import pytest

from counterpoise.cli.main import run
from counterpoise.core.errors import DataError
from counterpoise.data import inference_checks, inference_templates, read_inference_templates, workforce
from counterpoise.text.terms import table


def test_our_own_templates():
    templates = inference_templates()
    pairs = templates.fill()
    assert len(pairs) == 60 * 8 * 2
    assert not pairs.duplicated(["premise", "words"]).any()
    assert set(pairs.occupation) == set(workforce().profession)
    assert pairs.women_share.notna().all()
    first = pairs.iloc[0]
    assert (first.premise, first.hypothesis_male) == ("The taper ate an apple.", "The man ate an apple.")
    assert first.hypothesis_female == "The woman ate an apple."


def test_the_plain_pairs_are_balanced_and_name_no_gender_and_no_occupation():
    checks = inference_checks()
    assert checks.label.value_counts().tolist() == [16, 16, 16]
    assert not checks.duplicated(["premise", "hypothesis"]).any()
    terms = table("all").astype(str)
    gendered = {word.lower() for column in ("male", "female") for word in terms[column]} | {
        "he",
        "she",
        "his",
        "her",
    }
    text = " ".join([*checks.premise, *checks.hypothesis]).lower()
    assert not gendered & set(re.findall(r"[\w'-]+", text))
    assert not [name for name in workforce().profession if re.search(rf"\b{name}\b", text)]


def test_what_a_file_leaves_out_is_ours(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("occupations: [nurse, {name: jockey, women: 30}, plumber]\n")
    own = read_inference_templates(path)
    assert (own.name, own.templates) == ("mine.yaml", inference_templates().templates)
    shares = own.fill().drop_duplicates("occupation").set_index("occupation").women_share
    assert shares["jockey"] == 30
    assert shares["plumber"] == workforce().set_index("profession").women_2019["plumber"]
    assert shares.isna()["nurse"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("title: mine", "has neither templates nor gendered nor occupations"),
        ("templates: []", "there are no templates"),
        (
            "templates:\n  - 'The {person} left.'\n  - 'She left.'",
            "line 3: a template needs {person} once: 'She",
        ),
        ("templates: ['{person} and {person}']", "a template needs {person} once"),
        ("occupations: [nurse, nurse]", "line 1: 'nurse' is there twice"),
        ("occupations: [nurse, ' ']", "a word is empty"),
        ("gendered: [[man]]", "gendered.0"),
        ("occupations: [{name: nurse, women: 120}]", "less than or equal to 100"),
        ("jobs: [nurse]", "jobs: Extra inputs are not permitted"),
        ("occupations: [", "is not YAML"),
    ],
)
def test_a_bad_file_is_one_line(tmp_path, capsys, text, message):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(DataError, match=re.escape(message)):
        read_inference_templates(path)
    assert run(["audit", "builtin", "--measures", "nli", "--inference-templates", str(path)]) == 2
    [line] = capsys.readouterr().err.strip().splitlines()
    assert message in line


def test_the_file_is_validated(tmp_path, capsys):
    path = tmp_path / "mine.yaml"
    path.write_text("templates: ['The {person} fixed the radio.']\ngendered: [[boy, girl]]\n")
    assert run(["catalog", "validate", str(path)]) == 0
    assert "60 premises, 60 occupations, e.g. 'The taper fixed the radio.' with" in capsys.readouterr().out
