"""What cannot be computed is refused before the first cell, in one line, and no folder is made."""

from __future__ import annotations

import shutil

import pytest

import tiny
from counterpoise.cli.main import run
from counterpoise.core.errors import DataError, InputError, ModelError
from counterpoise.data import becpro
from counterpoise.data.thirdparty.folders import using_data
from counterpoise.studies.engine.study import read_study
from counterpoise.studies.papers.bartl2020.settings import PERSON_PAIRS, check

STUDY, _ = read_study("bartl2020")


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("passages=abc", "the setting passages must be a whole number or null, not 'abc'"),
        ("passages=0", "the setting passages must be greater than or equal to 1, not 0"),
        ("passages=4455", "the setting passages must be less than or equal to 4454, not 4455"),
        ("epochs=0", "the setting epochs must be greater than or equal to 1, not 0"),
        ("epochs=1.5", "the setting epochs must be a whole number, not 1.5"),
        ("epochs=null", "the setting epochs must be a whole number, not null"),
        ("batch_size=-1", "the setting batch_size must be greater than or equal to 1, not -1"),
        ("pairs=12", "the setting pairs must be less than or equal to 9, not 12"),
        (
            "device=gpu",
            "the setting device must be auto, cpu, cuda or mps, not 'gpu'",
        ),
        (
            "german=/no/such/folder",
            "'/no/such/folder' is neither a folder nor a model that the hub offers",
        ),
        ("german=builtin", "the built-in model reads English"),
        ("pair=3", "there is no setting 'pair'"),
    ],
)
def test_a_setting_that_no_cell_could_use(setting, expected, tmp_path, capsys):
    assert run(["study", "bartl2020", "--set", setting, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err.strip()
    assert expected in error
    assert "\n" not in error
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("factors", "expected"),
    [
        (
            {"variant": ["correct"]},
            "the factor variant must be .*, not 'correct'; did you mean 'corrected'",
        ),
        ({"recipe": ["flip"]}, "the factor recipe must be .*, not 'flip'"),
        ({"language": ["fr"]}, "the factor language must be 'en' or 'de', not 'fr'"),
        ({"seed": [42, -1]}, "the factor seed must be greater than or equal to 0, not -1"),
        ({"seed": ["x"]}, "the factor seed must be a valid integer, not 'x'"),
        ({"model": ["./nowhere"]}, "'./nowhere' is neither a folder nor a model"),
    ],
)
def test_a_factor_that_no_cell_could_use(factors, expected):
    study = STUDY.at("smoke")
    with pytest.raises(InputError, match=expected):
        check(study.model_copy(update={"factors": {**study.factors, **factors}}))


def test_a_german_model_in_a_folder(tmp_path):
    check(STUDY.at("smoke", {"german": str(tiny.save("german-bert", tmp_path / "model"))}))
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match="is not a model: it has no config"):
        check(STUDY.at("smoke", {"german": str(tmp_path / "empty")}))


def test_a_german_model_that_cannot_be_downloaded(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(InputError, match="'foo/bar' is neither a folder nor in the local cache"):
        check(STUDY.at("smoke", {"german": "foo/bar"}))


def test_half_a_file_of_gap(data_file, tmp_path, monkeypatch):
    file = data_file("gap/gap-test.tsv")
    monkeypatch.delenv("COUNTERPOISE_DATA")
    (tmp_path / "gap").mkdir()
    path = tmp_path / "gap" / "gap-test.tsv"
    shutil.copyfile(file, path)
    path.write_bytes(path.read_bytes()[:100_000])
    with using_data(tmp_path), pytest.raises(DataError, match="is not the published file"):
        check(STUDY.at("smoke"))


def test_every_scale_passes_without_third_party_data(no_data):
    for scale in STUDY.scales:
        check(STUDY.at(scale))


def test_as_many_pairs_as_there_are():
    assert becpro("en")["pair"].nunique() == PERSON_PAIRS
