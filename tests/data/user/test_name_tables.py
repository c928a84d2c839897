"""Tables of names: what is read, and one line for each mistake."""

from __future__ import annotations

import pandas as pd
import pytest

import counterpoise as cp
from counterpoise.core.errors import DataError

HEADER = "name,gender,group"
GOOD = ["Emily,F,a", "Anne,female,a", "Greg,m,a", "Brad,man,a"]


def read(tmp_path, *rows, header=HEADER, name="names.csv"):
    path = tmp_path / name
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return cp.data.read_names_table(path)


def test_a_table_is_read(tmp_path):
    names = read(tmp_path, *GOOD, " Zoë Ann , woman, b ", "Ida,w,b", "Olu,m,b", "D'Andre,he,b")
    assert names.names[4:] == ("Zoë Ann", "Ida", "Olu", "D'Andre")
    assert names.table.gender.tolist() == ["female", "female", "male", "male"] * 2
    assert (names.genders, names.groups) == (("male", "female"), ("a", "b"))
    assert names.cells[-1] == "male, b"


def test_tabs_and_other_columns_are_fine(tmp_path):
    rows = [row.replace(",", "\t") + "\t12" for row in GOOD]
    assert read(tmp_path, *rows, header="name\tgender\tgroup\tbirths", name="names.tsv").groups == ("a",)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([*GOOD, ",f,a"], "name of row 5 is empty"),
        (["Emily,F,a", "Anne,x,a"], "gender of row 2 is 'x', not one of male, female, neutral"),
        ([*GOOD, "Jill,,a"], "gender of row 5 is empty"),
        ([*GOOD, "Jill,f,"], "group of row 5 is empty"),
        ([*GOOD, "emily,f,a"], "name of row 5 is 'emily', which row 1 has already"),
        ([*GOOD, "123,f,a"], "name of row 5 is '123', which is no name"),
        (GOOD[:2], "all names are female and of the group 'a'; two genders or two groups are compared"),
        (
            [*GOOD, "Ida,f,b", "Eva,f,b"],
            "the column group has no male names of 'b'; each gender needs 2 or more",
        ),
        (
            [*GOOD, "Sam,n,a"],
            "the column group has 1 neutral name of 'a'; each gender needs 2 or more in each group",
        ),
        ([], "has no names"),
    ],
)
def test_mistakes_name_row_and_column(tmp_path, rows, message):
    with pytest.raises(DataError) as error:
        read(tmp_path, *rows)
    assert message in str(error.value)
    assert "names.csv" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_column(tmp_path):
    message = r"names\.csv has no column 'group' \(there are: name, gender, groups\); did you mean 'groups'\?"
    with pytest.raises(DataError, match=message):
        read(tmp_path, "Emily,f,a", header="name,gender,groups")


def test_cells_that_are_no_text():
    table = pd.DataFrame({"name": ["Ida", 5], "gender": ["f", "f"], "group": [1, 2]})
    with pytest.raises(DataError, match="name of row 2 is 5, which is no text"):
        cp.data.NamesTable("mine", table)
    with pytest.raises(DataError, match="gender of row 1 is empty"):
        cp.data.NamesTable("mine", table.assign(gender=[None, "f"]))
