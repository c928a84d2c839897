"""Settings, factors and files that no cell could use are refused before the first cell."""

from __future__ import annotations

import json

import pytest

from counterpoise.cli.main import run
from counterpoise.core.errors import CounterpoiseError, DataError
from counterpoise.data import tgb
from counterpoise.data.thirdparty.jigsaw import JIGSAW_LABELS
from counterpoise.mitigate.finetune.reminders import reminders
from counterpoise.studies.engine.study import read_study
from counterpoise.studies.papers.barza2023.settings import MOST_PAIRS, MOST_REMINDERS, check
from counterpoise.studies.papers.barza2023.training import REMINDER_WORDS

WRONG = [
    ({"recipe": "foo"}, "the setting recipe must be 'paper' or 'published', not 'foo'"),
    ({"recipe": "publishd"}, "did you mean 'published'?"),
    ({"sentences": "abc"}, "the setting sentences must be a whole number or null, not 'abc'"),
    ({"sentences": True}, "not true"),
    ({"pairs": -1}, "the setting pairs must be greater than or equal to 4, not -1"),
    ({"training": {"epoch": 1}}, "did you mean 'epochs'?"),
    ({"training": {"seed": 1}}, "there is no setting of a training (--set training=...) 'seed'"),
    ({"training": {"epochs": "x"}}, "the setting training: epochs must be a valid integer, not 'x'"),
    ({"training": {"epochs": 0}}, "epochs must be above 0, not 0"),
    ({"training": 3}, "the setting training must be a mapping"),
    ({"sizes": [0]}, "the setting sizes must be greater than or equal to 1, not 0"),
    ({"repeats": 0}, "the setting repeats must be greater"),
    ({"reminders": -5}, "the setting reminders must be greater"),
    ({"pairs": 99999}, "the setting pairs must be less than or equal to 117, not 99999"),
    ({"reminders": 99999}, "the setting reminders must be less than or equal to 411, not 99999"),
    ({"device": "gpu"}, "the setting device must be auto, cpu"),
    ({"corpora": ["jigsaw:toxi"]}, "did you mean 'toxic'?"),
    ({"corpora": ["gap", "gap"]}, "the setting corpora names one twice"),
]


def study_with(own=None):
    return read_study("barza2023")[0].at("smoke", own or {})


@pytest.mark.parametrize(("own", "line"), WRONG)
def test_a_wrong_setting_is_one_line(own, line):
    with pytest.raises(CounterpoiseError) as raised:
        check(study_with(own))
    assert line in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("factors", "line"),
    [
        ({"text": ["gup"]}, "the factor text must be 'mt-gender', 'gap' or 'gap-unswapped', not 'gup'"),
        ({"word": ["beard"]}, "the factor word must be"),
        ({"wording": ["tired"]}, "the factor wording must be"),
        ({"copies": [0]}, "the factor copies must be greater than or equal to 1, not 0"),
        ({"seed": ["a"]}, "the factor seed must be a valid integer, not 'a'"),
        ({"models": [1]}, "the factor models must be a valid string, not 1"),
    ],
)
def test_a_wrong_factor_is_one_line(factors, line):
    study = study_with()
    with pytest.raises(CounterpoiseError) as raised:
        check(study.model_copy(update={"factors": {**study.factors, **factors}}))
    assert line in str(raised.value)


def test_both_scales_are_fine_with_and_without_data(no_data):
    for scale in ("smoke", "paper"):
        check(read_study("barza2023")[0].at(scale))


def test_a_file_with_wrong_columns(tmp_path, monkeypatch):
    (tmp_path / "jigsaw").mkdir()
    (tmp_path / "jigsaw" / "train.csv").write_text("id,text\n1,hello\n")
    monkeypatch.setenv("COUNTERPOISE_DATA", str(tmp_path))
    with pytest.raises(DataError, match="comment_text"):
        check(study_with())
    labels = ",".join(JIGSAW_LABELS)
    zeros = ",".join("1" for _ in JIGSAW_LABELS)
    (tmp_path / "jigsaw" / "train.csv").write_text(f"id,comment_text,{labels}\n1,hello,{zeros}\n")
    check(study_with())


@pytest.mark.parametrize(
    "own", [{"recipe": "foo"}, {"pairs": -1}, {"training": {"epoch": 1}}, {"variant": "x"}]
)
def test_the_command_ends_at_once(own, tmp_path, capsys):
    [(name, value)] = own.items()
    given = value if isinstance(value, str) else json.dumps(value)
    out = tmp_path / "study"
    assert run(["study", "barza2023", "--set", f"{name}={given}", "--out", str(out)]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
    assert not out.exists()


def test_a_corpus_with_other_columns(tmp_path):
    (tmp_path / "bad.csv").write_text("body,label\nSome words.,1\n")
    with pytest.raises(CounterpoiseError, match="the study reads the column 'text'; rename") as refused:
        check(study_with({"corpora": [str(tmp_path / "bad.csv")]}))
    assert "--column" not in str(refused.value)


def test_as_many_pairs_and_reminders_as_there_are():
    assert tgb().table.category.value_counts().max() == MOST_PAIRS
    fewest = min(len(set(reminders(5000, words=[word]))) for word in REMINDER_WORDS.values())
    assert fewest == MOST_REMINDERS
