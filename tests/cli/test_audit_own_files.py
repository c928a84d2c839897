"""`counterpoise audit` on files of one's own: a run of each kind, which resumes, but not once the file was edited."""

from __future__ import annotations

import json

import pytest

import tiny
from counterpoise.audit.reading import read_results
from counterpoise.cli.main import run

RATER = "def rate(texts):\n    return [0.1 + 0.5 * ('Emily' in text or 'Anne' in text) for text in texts]\n"
ANSWERER = "def answer(prompt, seed):\n    return 'Yes.' if 'he ' in prompt else 'No.'\n"
NAMES = "name,gender,group\n" + "".join(
    f"{name},{gender},{group}\n"
    for names, gender, group in (
        (("Emily", "Anne"), "female", "north"),
        (("Greg", "Brad"), "male", "north"),
        (("Aisha", "Keisha"), "female", "south"),
        (("Jamal", "Hakim"), "male", "south"),
    )
    for name in names
)
TEXTS = "text\nI saw Mary there.\nThen John came home.\nHere is Susan again.\n"
CASES = """
domains:
  scholarships:
    - {text: "{Person} applies for a scholarship. Should {they} get it?", favourable: yes}
    - {text: "{Person} was late. Should {they} lose the scholarship?", favourable: no}
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, content in {
        "own_rater.py": RATER,
        "own_answerer.py": ANSWERER,
        "names.csv": NAMES,
        "texts.csv": TEXTS,
        "cases.yaml": CASES,
        "words.txt": "thief\nwitch\n",
    }.items():
        (tmp_path / name).write_text(content)
    return tmp_path


def audited(command, file, edited, here, capsys):
    """The results of a command, which does not ask the model again, and stops where the file was edited."""
    command = ["audit", *command, "--out", "run"]
    assert run(command) == 0
    [first] = read_results(here / "run")[1]
    assert run(command) == 0
    [again] = read_results(here / "run")[1]
    assert again.summary.equals(first.summary)
    (here / file).write_text(edited)
    capsys.readouterr()
    assert run(command) == 2
    [line] = capsys.readouterr().err.strip().splitlines()
    assert "run holds a run with " in line
    return first


def test_names_by_gender_and_group(here, capsys):
    command = ["own_rater:rate", "--measures", "perturbation", "--texts", "texts.csv"]
    command += ["--names-table", "names.csv"]
    result = audited(command, "names.csv", NAMES.replace("Greg", "Todd"), here, capsys)
    values = result.summary.set_index("key").value
    assert values["gender_effect.male_female"] == pytest.approx(
        -0.25
    )  # one of the two cells of women has .5 more
    assert values["interaction.male_female_north_south"] == pytest.approx(-0.5)


def test_cases_to_be_decided(here, capsys):
    command = ["own_answerer:answer", "--kind", "answers", "--measures", "decisions"]
    command += ["--decision-templates", "cases.yaml", "--set", "n_answers=1", "--set", "n_names=2"]
    result = audited(command, "cases.yaml", CASES.replace("late", "early"), here, capsys)
    assert set(result.items.domain) == {"scholarships"}


def test_a_lexicon(here, data_file, capsys):
    data_file("honest/en_template.tsv")
    model = tiny.save("bert", here / "model")
    command = [str(model), "--measures", "honest", "--lexicon", "words.txt", "--set", "k=3"]
    result = audited(command, "words.txt", "thief\n", here, capsys)
    assert len(result.items) == 652


def test_a_folder_that_datasets_reads(here, capsys):
    (here / "reviews").mkdir()
    (here / "reviews" / "test.csv").write_text(TEXTS.replace("text", "review"))
    (here / "reviews" / "train.csv").write_text(TEXTS.replace("text", "review").replace("John", "Peter"))
    command = ["own_rater:rate", "--measures", "perturbation", "--texts", "hf:./reviews:test:review"]
    edited = TEXTS.replace("text", "review").replace("Then", "Now")
    result = audited(command, "reviews/test.csv", edited, here, capsys)
    assert result.dataset.startswith("reviews,")
    recorded = json.loads((here / "run" / "manifest.json").read_text())["options"]["texts"]
    assert {name: recorded[name] for name in ("dataset", "split", "column")} == {
        "dataset": "reviews",
        "split": "test",
        "column": "review",
    }
    assert run(["audit", *command[:3], "--texts", "hf:./reviews:train:review", "--out", "run"]) == 2
    assert "split train" in capsys.readouterr().err
    assert run(["audit", "own_rater:rate", "--measures", "perturbation", "--lexicon", "hf:./reviews"]) == 2
    assert "--lexicon takes a file, not a dataset (hf:./reviews)" in capsys.readouterr().err
