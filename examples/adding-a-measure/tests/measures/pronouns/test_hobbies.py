"""Pronoun preferences by hobby, worked out a second time with plain forward passes."""

from __future__ import annotations

import pandas as pd
import pytest

import brute
import counterpoise as cp
import tiny
from counterpoise.core.errors import DataError
from counterpoise.data.thirdparty.folders import using_data

# Our own sentences in the shape of the dataset.
OWN = pd.DataFrame(
    [
        ("In winter _ likes to ski.", "skiing", "he", "she"),
        ("The trainer praised _ skiing.", "skiing", "his", "her"),
        ("At night _ reads novels.", "reading", "he", "she"),
        ("A friend gave _ a novel.", "reading", "him", "her"),
        ("On the train _ reads the paper.", "reading", "he", "she"),
    ],
    columns=["sentence", "hobby", "male", "female"],
)


@pytest.fixture(scope="module")
def lm(tmp_path_factory):
    return cp.load(tiny.save("bert", tmp_path_factory.mktemp("bert")))


def test_equals_forward_passes_by_hand(lm):
    for item in cp.measures.hobbies(lm, OWN).items.itertuples():
        text = item.sentence.replace("_", "[MASK]")
        male = brute.word_log_probability(lm, text, item.male)
        female = brute.word_log_probability(lm, text, item.female)
        assert item.preference == pytest.approx(male - female, abs=1e-4)


def test_hobbies_count_alike(lm):
    result = cp.measures.hobbies(lm, OWN)
    p = result.items.preference
    by_hand = {"skiing": (p[0] + p[1]) / 2, "reading": (p[2] + p[3] + p[4]) / 3}
    values = result.summary.set_index("key").value
    assert values["preference"] == pytest.approx((by_hand["skiing"] + by_hand["reading"]) / 2)
    assert values["mean_absolute"] == pytest.approx((abs(by_hand["skiing"]) + abs(by_hand["reading"])) / 2)
    assert values["preference.word.reading"] == pytest.approx(by_hand["reading"])


def test_what_cannot_be_measured_is_skipped_and_said(lm):
    odd = OWN.copy()
    odd.loc[0, "sentence"] = None
    odd.loc[1, "sentence"] = "There is no gap."
    skipped = cp.measures.hobbies(lm, odd).skipped
    assert skipped.item.tolist() == ["row 1", "There is no gap."]
    assert skipped.reason[0] == "sentence is missing"


def test_the_published_table(tmp_path, no_data):
    (tmp_path / "hobbies").mkdir()
    file = tmp_path / "hobbies" / "hobbies.tsv"
    file.write_text("Hobby\tSentence\tMale\tFemale\nchess\tIn the park _ plays chess.\the\tshe\n")
    with using_data(tmp_path):
        rows = cp.data.third_party_table("hobbies")
        file.write_text(file.read_text().replace("\tshe", "\tthey"))
        with pytest.raises(DataError, match="female of row 1 is 'they', not one of she, her"):
            cp.data.third_party_table("hobbies")
    assert rows.to_dict("records") == [
        {"sentence": "In the park _ plays chess.", "hobby": "chess", "male": "he", "female": "she"}
    ]
