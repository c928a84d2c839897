"""Third-party tables that are described by a spec and read by the one loader."""

from __future__ import annotations

import lzma

import pytest

from counterpoise.core.errors import DataError, InputError, MissingData
from counterpoise.data.spec import read_spec
from counterpoise.data.thirdparty.folders import using_data
from counterpoise.data.thirdparty.table_specs import TablesSpec

SPEC = """
name: hats
title: Hats
version: 1
cite: kurita2019
licence: CC0
about: a test
source: gap
tables:
  hats:
    file: FILE
    columns:
      text: {header: Sentence, required: true}
      gender: {allowed: [female, male]}
      count: {type: integer}
      share: {header: Share, type: number}
  names: {file: names.txt, header: false, quoted: false, columns: {first: {}, last: {}}}
"""
GOOD = "gender\tSentence\tcount\tShare\tnotes\nmale\tHis hat.\t3\t.25\tx\nfemale\tHer hat.\t10\t1e2\t\n"


@pytest.fixture
def spec(tmp_path):
    def make(text: str = SPEC, file: str = "hats.tsv") -> TablesSpec:
        path = tmp_path / "hats.yaml"
        path.write_text(text.replace("FILE", file))
        return read_spec(path, TablesSpec)

    return make


@pytest.fixture
def folder(tmp_path, no_data):
    (tmp_path / "gap").mkdir()
    with using_data(tmp_path):
        yield tmp_path / "gap"


def test_columns_are_named_ordered_and_typed_as_the_spec_says(spec, folder):
    (folder / "hats.tsv").write_text(GOOD)
    rows = spec().read()
    assert rows.to_dict("list") == {
        "text": ["His hat.", "Her hat."],
        "gender": ["male", "female"],
        "count": [3, 10],
        "share": [0.25, 100.0],
    }
    assert rows.dtypes[["count", "share"]].tolist() == ["int64", "float64"]


def test_a_csv_file_and_a_compressed_one(spec, folder):
    (folder / "hats.csv.xz").write_bytes(lzma.compress(GOOD.replace("\t", ",").encode()))
    assert spec(file="hats.csv").read().text.tolist() == ["His hat.", "Her hat."]


def test_a_table_without_header_and_quotes(spec, folder):
    (folder / "names.txt").write_text('Ada\t"Lovelace\n')
    assert spec().read("names").to_dict("list") == {"first": ["Ada"], "last": ['"Lovelace']}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (GOOD, "", "is empty"),
        (GOOD, GOOD.partition("\n")[0] + "\n", "has no rows"),
        ("Sentence", "Text", "has no column 'Sentence'"),
        ("Her hat.", " ", "text of row 2 is empty"),
        ("female", "girl", "gender of row 2 is 'girl', not one of female, male"),
        ("\t3\t", "\tthree\t", "count of row 1 is no whole number: 'three'"),
        ("1e2", "most", "share of row 2: could not convert string to float: 'most'"),
    ],
)
def test_a_damaged_file_is_one_line(spec, folder, old, new, message):
    (folder / "hats.tsv").write_text(GOOD.replace(old, new))
    with pytest.raises(DataError, match=message) as raised:
        spec().read()
    assert str(folder / "hats.tsv") in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_file_that_is_missing_and_a_table_that_does_not_exist(spec, folder):
    with pytest.raises(MissingData, match=r"counterpoise catalog fetch gap.* put it at .*gap/hats.tsv"):
        spec().read()
    with pytest.raises(InputError, match=r"there is no table of Hats 'hat'.*did you mean 'hats'"):
        spec().read("hat")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("source: gap\n", "", "source: Field required"),
        ("{type: integer}", "{type: integer, required: true}", "are for columns of text"),
        ("{type: integer}", "{kind: integer}", "kind: Extra inputs are not permitted"),
        (
            "source: gap\n",
            "source: gap\nexamples: [{text: His hat.}]\n",
            "example 1 has the columns text, not",
        ),
    ],
)
def test_a_spec_that_makes_no_sense(spec, old, new, message):
    with pytest.raises(DataError, match=message):
        spec(SPEC.replace(old, new))


def test_examples_have_the_shape_of_the_table(spec, folder):
    example = "examples: [{text: His hat., gender: male, count: 3, share: .25}]"
    (folder / "hats.tsv").write_text(GOOD)
    described = spec(SPEC + example)
    assert described.example_rows().to_dict("list") == described.read().iloc[:1].to_dict("list")
