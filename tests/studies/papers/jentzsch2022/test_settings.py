"""Settings, factors and files that no cell could use are refused in one line before the first cell."""

from __future__ import annotations

import subprocess
import sys

import pytest

from counterpoise.core.errors import CounterpoiseError, InputError, RunError
from counterpoise.studies.engine.grid import plan
from counterpoise.studies.engine.runner import resolve_settings
from counterpoise.studies.engine.study import read_study
from counterpoise.studies.papers.jentzsch2022.options import options
from counterpoise.studies.papers.jentzsch2022.settings import check
from counterpoise.studies.papers.jentzsch2022.term_lists import lists_in_use, lists_note, planned_lists


def at(scale="smoke", **own):
    return read_study("jentzsch2022")[0].at(scale, own)


@pytest.mark.parametrize("scale", ["smoke", "builtin", "paper"])
def test_the_study_as_it_is(scale, no_data):
    check(at(scale))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "variant",
            "publishd",
            r"the setting variant must be 'corrected' or 'published', .*did you mean 'published'",
        ),
        ("train_reviews", "abc", "the setting train_reviews must be a whole number or null, not 'abc'"),
        ("test_reviews", 2, "the setting test_reviews must be greater than or equal to 4, not 2"),
        (
            "train_reviews",
            999999,
            "the setting train_reviews must be less than or equal to 25000, not 999999",
        ),
        ("training", {"epoch": 2}, r"there is no setting of a training .*'epoch'.*did you mean 'epochs'"),
        ("training", {"epochs": "2"}, "the setting training: epochs must be a valid integer, not '2'"),
        ("training", {"epochs": 0}, "the setting training: epochs must be above 0, not 0"),
        (
            "training",
            {"validation": 0, "patience": None},
            "the setting training: a classifier needs validation",
        ),
        ("base_training", {"validation": 0.1}, "the setting base_training: a base model is trained without"),
        ("lists", "missing.json", "cannot read missing.json"),
        ("imdb", "missing.csv", "cannot read reviews .* from missing.csv"),
        ("results", "/missing/folder", "there is no folder /missing/folder to take results from"),
        ("device", "gpu", "the setting device must be auto, cpu, cuda"),
        ("dtype", "float33", r"the setting dtype must be .*did you mean 'float32'"),
        ("cross", "yes", "the setting cross must be true or false, not 'yes'"),
    ],
)
def test_a_setting_that_no_cell_could_use(name, value, message):
    with pytest.raises(CounterpoiseError, match=message) as caught:
        check(at(**{name: value}))
    assert "\n" not in str(caught.value)


def test_files_that_are_something_else(tmp_path):
    table = tmp_path / "reviews.csv"
    table.write_text("text,label\ngood,1\n")
    with pytest.raises(CounterpoiseError, match=r"cannot read reviews \(columns split, sentiment, review\)"):
        check(at(imdb=str(table)))
    table.write_text("split,sentiment,review\ntrain,positive,good\n")
    with pytest.raises(CounterpoiseError, match="the column sentiment has 'positive'; it may have pos, neg"):
        check(at(imdb=str(table)))


def test_factors_are_checked():
    study = at()
    changed = study.model_copy(update={"factors": {**study.factors, "condition": ["R-al"]}})
    with pytest.raises(CounterpoiseError, match=r"the factor condition must be .*did you mean 'R-all'"):
        check(changed)


@pytest.mark.slow
def test_the_command_ends_at_once(tmp_path):
    command = [sys.executable, "-m", "counterpoise", "study", "jentzsch2022", "--out", str(tmp_path / "out")]
    result = subprocess.run([*command, "--set", "variant=x"], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "the setting variant must be 'corrected' or 'published', not 'x'" in " ".join(
        result.stderr.split()
    )
    assert not (tmp_path / "out").exists()


@pytest.fixture
def authors_file(no_data, monkeypatch, tmp_path):
    """Where the authors' lists are looked for; there is no such file yet."""
    monkeypatch.setenv("COUNTERPOISE_DATA", str(tmp_path))
    (tmp_path / "jentzsch-turan").mkdir()
    return tmp_path / "jentzsch-turan" / "term_lists.py"


def test_the_authors_lists_are_the_default_of_published(authors_file):
    published = options({"variant": "published"})
    assert lists_in_use(published) is None
    authors_file.write_text("")
    assert lists_in_use(published) == str(authors_file)
    assert lists_in_use(options({})) is None
    assert lists_in_use({**published, "lists": "builtin"}) is None
    assert lists_in_use({**published, "lists": "mine.csv"}) == "mine.csv"


def test_the_default_lists_are_checked_before_the_first_cell(authors_file):
    check(at("paper"))
    authors_file.write_text("pron_dict = {'his': 'hers'")
    with pytest.raises(CounterpoiseError, match=r"term_lists\.py"):
        check(at("paper"))
    check(at("smoke"))


def keys(study, step):
    return {cell.key for cell in plan(resolve_settings(study, None)).values() if cell.step == step}


def test_cells_with_other_terms_are_other_cells(authors_file):
    """Lists that come into the data folder between two runs do not mix with the built-in terms."""
    builtin = {step: keys(at("paper"), step) for step in ("prepare", "train", "rate")}
    for content in ("pron_dict = {'his': 'hers'}", "pron_dict = {'his': 'her'}"):
        authors_file.write_text(content)
        assert keys(at("paper"), "prepare") == builtin["prepare"]
        for step in ("train", "rate"):
            assert not keys(at("paper"), step) & builtin[step]
    first = keys(at("paper"), "train")
    authors_file.write_text("pron_dict = {'his': 'theirs'}")
    assert not keys(at("paper"), "train") & first
    assert keys(at("smoke"), "train") == keys(at("smoke", lists_hash="builtin"), "train")


def test_lists_that_change_while_the_study_runs(authors_file):
    settings = resolve_settings(at("paper"), None).settings
    assert settings["lists_hash"] == "builtin"
    assert planned_lists(settings) is None
    authors_file.write_text("pron_dict = {'his': 'hers'}")
    with pytest.raises(RunError, match=r"the terms have changed since the study began \(term_lists\.py"):
        planned_lists(settings)
    with pytest.raises(
        InputError, match=r"the setting lists_hash must be that of the terms in use, '.*', or"
    ):
        resolve_settings(at("paper", lists_hash="builtin"), None)


def test_what_the_page_says_of_the_lists():
    assert lists_note("corrected", {"builtin"}) is None
    assert lists_note("published", {"builtin"}).startswith(
        "The authors' lists were not used (no jentzsch-turan"
    )
    assert lists_note("published", {"term_lists.py"}).startswith("Terms are those of term_lists.py")
