import csv
from pathlib import Path

import pytest

from counterpoise.text import names
from counterpoise.text.names import NameSwapper
from counterpoise.text.swap import Swapper

SWAPPER = Swapper("pro", names=True)


def found(text):
    return [text[start:end] for start, end in names.find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Will you bring Rose petals?", []),
        ("Mark my words.", []),
        ("the Rose and a Jack", []),
        ("Will Smith met Rose Byrne.", ["Will", "Rose"]),
        ("Mary's cat saw John.", ["Mary", "John"]),
        ("Jesse James and Paul Thomas Anderson", ["Jesse", "Paul", "Thomas"]),
        ("Mr. James and Dr. Mary", []),
        ("Mx. James and Mx Mary", []),
        ("John Street", []),
        ("Grace is here. I saw Hope.", ["Grace", "Hope"]),
        ("mary had a lamb", []),
        ("MARY LEFT. WILL YOU?", ["MARY"]),
        ("O'John", []),
    ],
)
def test_what_is_read_as_a_name(text, expected):
    assert found(text) == expected


def test_names_are_swapped_consistently_and_back():
    text = "John told Mary that John's Emily left. MARY stayed."
    flipped = SWAPPER.swap(text, "flip")
    assert flipped != text
    assert SWAPPER.swap(flipped, "flip") == text


def test_two_people_stay_two_people():
    text = "John met Mary. Mary smiled."
    edits = NameSwapper().edits(text, "male")
    assert [e.old for e in edits] == ["Mary", "Mary"]
    assert len({e.new for e in edits}) == 1
    assert edits[0].new != "John"
    assert names.table()[edits[0].new.lower()].gender == "male"


def test_remove_takes_names_out():
    assert SWAPPER.swap("She met Mary today.", "remove") == "met today."


def test_the_pairs_are_one_to_one_and_alike():
    table = names.table()
    assert all(table[name.partner].partner == key for key, name in table.items())
    path = Path(names.__file__).parent / "lists" / "names.csv"
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert len(rows) == 1500
    assert all(float(row["male_share"]) >= 0.75 <= float(row["female_share"]) for row in rows)


def test_no_exchange_of_two_partners_lowers_the_cost():
    """What a minimum-cost assignment promises, checked without solving it again."""
    import numpy as np
    import pandas as pd

    table = pd.read_csv(Path(names.__file__).parent / "lists" / "names.csv")
    points = {
        side: np.column_stack([np.log10(table[f"{side}_births"]), table[f"{side}_share"]])
        for side in ("male", "female")
    }
    everything = np.concatenate(list(points.values()))
    male, female = ((points[side] - everything.mean(0)) / everything.std(0) for side in ("male", "female"))
    cost = np.linalg.norm(male[:, None] - female[None], axis=2)
    own = np.diag(cost)
    gain = own[:, None] + own[None] - cost - cost.T  # what exchanging the partners of i and j would save
    assert gain.max() < 1e-3  # the shares are rounded to four digits
