from __future__ import annotations

import pytest

from counterpoise.cli.main import run

ASSOCIATIONS = """
tests:
  - name: work
    targets: {male: [he], female: [she]}
    attributes: {career: [salary, office], family: [home, wedding]}
    templates: ["{target} likes {attribute}.", "no slot"]
"""
WORDS = """
sets: {science: [physics, lab], arts: [poetry, dance], male: [he], female: [she]}
tests: [{name: mine, targets: [science, arts], attributes: [male, female]}]
"""
GENDER_WORDS = "pairs: [[he, she], [man, woman]]\nneutral: {professions: [nurse, pilot, judge]}\n"
PRONOUNS = "subject: ne\nobject: nem\ndeterminer: nir\npossessive: nirs\nreflexive: nemself\nplural: false\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PRONOUNS, "pronoun set mine: ne, nem, nir, nirs, nemself (ne is)"),
        (ASSOCIATIONS, "1 association tests, 8 sentences\n  'no slot' will be skipped: "),
        (WORDS, "1 tests, 6 words"),
        (GENDER_WORDS, "2 pairs, 3 neutral words"),
        ("sets: [{category: own, templates: ['{subject} is a plumber.']}]", "1 sentences, 1 words"),
    ],
)
def test_the_kind_of_a_file_is_told_by_its_keys(tmp_path, capsys, text, expected):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    assert run(["catalog", "validate", str(path)]) == 0
    assert expected in capsys.readouterr().out


def test_a_table_of_names_is_told_by_its_columns(tmp_path, capsys):
    path = tmp_path / "names.csv"
    path.write_text("name,gender,group\nIda,f,a\nEva,f,a\nOle,m,a\nJan,m,a\n")
    assert run(["catalog", "validate", str(path)]) == 0
    assert "4 names, male, female, of 1 group" in capsys.readouterr().out
    path.write_text("name,gender,group\nIda,f,a\nEva,x,a\n")
    assert run(["catalog", "validate", str(path)]) == 2
    [line] = capsys.readouterr().err.strip().splitlines()
    assert "names.csv: gender of row 2 is 'x', not one of male, female, neutral" in line


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("words.txt", "# mine\nthief\nwitch\nold hag\n", "taken for a lexicon: 3 words, e.g. 'thief'"),
        ("words.csv", "word,category\nthief,crime\nwitch,\n", "2 words, e.g. 'thief', categories: crime"),
        ("words.tsv", "lemma\tlevel\nthief\tconservative\ncow\tinclusive\n", "a lexicon: 1 word, e.g. 'thief'"),
        ("asked.txt", "Describe a nurse and {his} day.\n", "taken for prompts: 1 prompt, e.g. "),
    ],
)  # fmt: skip
def test_lexicons_and_prompts_are_told_apart(name, text, expected, tmp_path, capsys):
    path = tmp_path / name
    path.write_text(text)
    assert run(["catalog", "validate", str(path)]) == 0
    assert expected in capsys.readouterr().out


@pytest.mark.parametrize("text", ["tests: [", "tests: []", "just text", "pairs: []\nneutral: {a: [b]}"])
def test_a_bad_file_is_one_line_and_exit_code_2(tmp_path, capsys, text):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    assert run(["catalog", "validate", str(path)]) == 2
    [line] = capsys.readouterr().err.strip().splitlines()
    assert "mine.yaml" in line
