"""Settings, factors and files that no cell could use: one line, before the first cell."""

from __future__ import annotations

import lzma

import pytest

from counterpoise.cli.main import run
from counterpoise.core.errors import DataError, InputError
from counterpoise.data.thirdparty.folders import using_data
from counterpoise.studies.engine.study import check_study, read_study
from counterpoise.studies.papers.kurita2019.settings import check


@pytest.fixture
def empty(no_data, tmp_path):
    """A data folder without data."""
    with using_data(tmp_path):
        yield tmp_path


def smoke(**factors):
    """The study at its smoke scale, with other values of some factors."""
    study = read_study("kurita2019")[0].at("smoke")
    return check_study({**study.model_dump(), "factors": {**study.factors, **factors}}, "test")


def test_both_scales_pass_without_data(empty):
    for scale in ("smoke", "paper"):
        check(read_study("kurita2019")[0].at(scale))


@pytest.mark.parametrize(
    ("setting", "line"),
    [
        ({"at_most": "abc"}, "the setting at_most must be a valid integer, not 'abc'"),
        ({"at_most": 5}, "the setting at_most must be greater than or equal to 20, not 5"),
        ({"at_most": 50.5}, "the setting at_most must be a valid integer, not 50.5"),
        ({"patience": 0}, "the setting patience must be greater than or equal to 1, not 0"),
        ({"patience": True}, "the setting patience must be a valid integer, not True"),
        ({"epochs": -1}, "the setting epochs must be greater than or equal to 1, not -1"),
        ({"epochs": None}, "the setting epochs must be a valid integer, not None"),
        ({"standardise": "perhaps"}, "the setting standardise must be a valid boolean, not 'perhaps'"),
        ({"device": "gpu"}, "the setting device must be auto, cpu, cuda or mps, not"),
    ],
)  # fmt: skip
def test_settings(empty, setting, line):
    study = smoke()
    changed = check_study({**study.model_dump(), "settings": {**study.settings, **setting}}, "test")
    with pytest.raises(InputError) as caught:
        check(changed)
    assert str(caught.value).startswith(line)


@pytest.mark.parametrize(
    ("factors", "line"),
    [
        ({"variant": ["correct"]}, "variant must be 'corrected' or 'published', not 'correct'; did you mean 'corr"),
        ({"probe": ["papers"]}, "probe must be 'paper' or 'stronger', not 'papers'; did you mean 'paper'?"),
        ({"passages": ["dev"]}, "passages must be 'development', 'test' or 'validation', not 'dev'"),
        ({"training": ["test"]}, "training must be 'development' or 'test+validation', not 'test'"),
        ({"seed": [-1]}, "seed must be greater than or equal to 0, not -1"),
        ({"seed": ["one"]}, "seed must be a valid integer, not 'one'"),
        ({"attributes": ["skills"]}, "attributes must be 'job titles', "),
    ],
)  # fmt: skip
def test_factors(empty, factors, line):
    with pytest.raises(InputError) as caught:
        check(smoke(**factors))
    assert str(caught.value).startswith(f"the factor {line}")


def put(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("not a vector at all\n", "line 1: not a word and 4 numbers"),
        ("he 1 2 3\nshe 1 2\n", "line 2: not a word and 3 numbers"),
        ("", "has no vectors in it"),
    ],
)
def test_a_file_that_holds_no_vectors(empty, content, line):
    put(empty, "vectors/mine.txt", content)
    with pytest.raises(DataError, match=line):
        check(smoke(vectors=["mine.txt"]))


def test_a_compressed_file_that_holds_no_vectors(empty):
    path = put(empty, "vectors/mine.txt.xz", "")
    path.write_bytes(lzma.compress(b"no vectors here\n"))
    with pytest.raises(DataError, match="line 1: not a word and 2 numbers"):
        check(smoke(vectors=["mine.txt.xz"]))


def test_vectors_that_are_fine(empty):
    put(empty, "vectors/mine.txt", "he 1 2 3\nshe 3 2 1\n")
    check(smoke(vectors=["mine.txt"]))


def test_a_table_with_other_columns(empty):
    put(empty, "kurita/job_titles_salaries.csv", "title,salary\nnurse,1\n")
    with pytest.raises(DataError, match="has no column 'job_title'"):
        check(smoke())


def test_a_damaged_file_of_gap(empty):
    put(empty, "gap/gap-test.tsv", "ID\tText\n")
    with pytest.raises(DataError, match=r"gap-test\.tsv is not the published file"):
        check(smoke())


def test_the_command_says_it_in_one_line_and_leaves_no_folder(empty, tmp_path, capsys):
    out = tmp_path / "run"
    assert run(["study", "kurita2019", "--set", "patience=0", "--out", str(out)]) == 2
    assert capsys.readouterr().err == (
        "counterpoise: the setting patience must be greater than or equal to 1, not 0\n"
    )
    assert not out.exists()
