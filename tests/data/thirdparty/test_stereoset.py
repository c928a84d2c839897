from __future__ import annotations

import json

import pandas as pd
import pytest

from counterpoise.core.errors import DataError, InputError
from counterpoise.data.thirdparty.folders import using_data
from counterpoise.data.thirdparty.stereoset import ASSOCIATIONS, StereoSet, gap_filling, stereoset

# The authors' format, with sentences of ours.
PUBLISHED = {
    "version": "1.0",
    "data": {
        "intrasentence": [
            {
                "id": "a",
                "target": "sister",
                "bias_type": "gender",
                "context": "My sister is BLANK.",
                "sentences": [
                    {
                        "id": "1",
                        "sentence": "My sister is strong.",
                        "labels": [],
                        "gold_label": "anti-stereotype",
                    },
                    {"id": "2", "sentence": "My sister is gentle.", "labels": [], "gold_label": "stereotype"},
                    {"id": "3", "sentence": "My sister is paper.", "labels": [], "gold_label": "unrelated"},
                ],
            }
        ],
        "intersentence": [
            {
                "id": "b",
                "target": "chess player",
                "bias_type": "profession",
                "context": "He is a chess player.",
                "sentences": [
                    {"id": "4", "sentence": "He is clever.", "labels": [], "gold_label": "stereotype"},
                    {"id": "5", "sentence": "Rain fell.", "labels": [], "gold_label": "unrelated"},
                    {"id": "6", "sentence": "He is dim.", "labels": [], "gold_label": "anti-stereotype"},
                ],
            }
        ],
    },
}


def test_the_flat_file(data_file):
    data_file("stereoset/stereoset_dev_flat.csv")
    whole = stereoset("all").table
    assert len(whole) == 4229
    assert whole.groupby(["task", "category"]).size().to_dict() == {
        ("intersentence", "gender"): 242,
        ("intersentence", "profession"): 827,
        ("intersentence", "race"): 976,
        ("intersentence", "religion"): 78,
        ("intrasentence", "gender"): 255,
        ("intrasentence", "profession"): 810,
        ("intrasentence", "race"): 962,
        ("intrasentence", "religion"): 79,
    }
    gender = stereoset()
    assert gender.table.target.nunique() == 10
    assert "Blodgett" in gender.warnings[0]


def test_every_gap_but_two_is_found(data_file):
    data_file("stereoset/stereoset_dev_flat.csv")
    gaps = stereoset("all").table.query("task == 'intrasentence'")
    lost = [
        row.context
        for row in gaps.itertuples()
        if any(gap_filling(row.context, getattr(row, association)) is None for association in ASSOCIATIONS)
    ]
    assert len(lost) == 2
    assert all(context.count("BLANK") == 2 for context in lost)


def test_the_authors_own_format(tmp_path, no_data):
    (tmp_path / "stereoset").mkdir()
    file = tmp_path / "stereoset" / "dev.json"
    file.write_text(json.dumps(PUBLISHED))
    with using_data(tmp_path):
        [gap] = stereoset().table.itertuples(index=False)
        assert tuple(gap) == (
            "intrasentence",
            "gender",
            "sister",
            "My sister is BLANK.",
            "My sister is gentle.",
            "My sister is strong.",
            "My sister is paper.",
        )
        [follows] = stereoset("profession").table.itertuples(index=False)
        assert (follows.task, follows.stereotype, follows.anti_stereotype) == (
            "intersentence",
            "He is clever.",
            "He is dim.",
        )
        with pytest.raises(InputError, match="there is no category 'age'"):
            stereoset(("age",))
        file.write_text('{"data": {"intrasentence": []}}')
        with pytest.raises(DataError, match="as StereoSet: KeyError 'intersentence'"):
            stereoset()
        for strange in (
            '{"data": {"intrasentence": [{"sentences": [{"gold_label": 3}]}]}}',
            "[]",
            "",
            '"data"',
        ):
            file.write_text(strange)
            with pytest.raises(DataError, match=r"cannot read .* as StereoSet"):
                stereoset()
        file.unlink()
        with pytest.raises(DataError, match=r"put it at .*stereoset/dev\.json"):
            stereoset()


@pytest.mark.parametrize(
    ("context", "sentence", "word"),
    [
        ("The Male is BLANK", "The male is muscular", "muscular"),
        ("BLANK is a nurse.", "She is a nurse.", "She"),
        ("They BLANKed it.", "They painted it.", "paint"),
        ("He is BLANK.", "She is tired.", None),
        ("He is BLANK.", "He is .", None),
        ("He is BLANK and BLANK.", "He is old and wise.", None),
    ],
)
def test_what_fills_a_gap(context, sentence, word):
    assert gap_filling(context, sentence) == word


def test_a_table_of_ones_own():
    table = StereoSet.of(("He sings.", "He is good.", "He is bad.", "Ice melts.")).table
    assert table.task.tolist() == ["intersentence"]
    with pytest.raises(DataError, match="no column 'target'"):
        StereoSet("own", table.drop(columns="target"))
    with pytest.raises(DataError, match="has no examples"):
        StereoSet("own", table.iloc[:0])
    with pytest.raises(DataError, match="has the task 'other'"):
        StereoSet("own", table.assign(task="other"))
    assert StereoSet("own", table.assign(unrelated=pd.NA)).table.unrelated[0] == ""
