from __future__ import annotations

import pytest

from counterpoise.core.errors import DataError
from counterpoise.data import winogender, winogender_mentions
from counterpoise.data.thirdparty.folders import using_data

SENTENCES = """sentid\tsentence
baker.customer.1.male.txt\tThe baker told the customer that he was early.
baker.customer.1.female.txt\tThe baker told the customer that she was early.
baker.customer.1.neutral.txt\tThe baker told the customer that they were early.
clerk.someone.0.male.txt\tThe clerk asked someone to wait for him.
clerk.someone.0.female.txt\tThe clerk asked someone to wait for her.
clerk.someone.0.neutral.txt\tThe clerk asked someone to wait for them.
"""
STATISTICS = "occupation\tbergsma_pct_female\tbls_pct_female\tbls_year\nbaker\t10.5\t60\t2015\n"


@pytest.fixture
def folder(tmp_path, no_data):
    (tmp_path / "winogender").mkdir()
    (tmp_path / "winogender" / "all_sentences.tsv").write_text(SENTENCES)
    (tmp_path / "winogender" / "occupations-stats.tsv").write_text(STATISTICS)
    with using_data(tmp_path):
        yield tmp_path / "winogender"


def test_a_row_per_sentence(folder):
    baker, clerk = winogender().itertuples()
    assert baker.text == "The baker told the customer that [MASK] was early."
    assert (baker.male, baker.female, baker.neutral) == ("he", "she", "they")
    assert (baker.occupation, baker.participant, baker.referent) == ("baker", "customer", "participant")
    assert (baker.women_bls, baker.women_bergsma) == (60.0, 10.5)
    assert not baker.neutral_fits  # they was
    assert (clerk.male, clerk.female, clerk.neutral) == ("him", "her", "them")
    assert clerk.neutral_fits
    assert clerk.referent == "occupation"
    assert clerk.women_bls != clerk.women_bls  # not in the statistics


def test_the_data_set(data_file):
    """240 sentences in three versions, 60 occupations (Rudinger et al. 2018, section 3)."""
    data_file("winogender/all_sentences.tsv")
    rows = winogender()
    assert len(rows) == 240
    assert rows.occupation.nunique() == 60
    assert rows.groupby("occupation").size().eq(4).all()
    assert rows.template.nunique() == 120
    assert rows.groupby(["male", "female", "neutral"]).size().to_dict() == {
        ("he", "she", "they"): 178,
        ("his", "her", "their"): 54,
        ("him", "her", "them"): 8,
    }
    assert rows.neutral_fits.sum() == 206
    assert (rows.text.str.count(r"\[MASK\]") == 1).all()
    assert rows.groupby("referent").size().to_dict() == {"occupation": 120, "participant": 120}
    nurse = rows[rows.occupation == "nurse"].iloc[0]
    assert (nurse.women_bls, nurse.women_bergsma) == (89.58, 88.31)
    assert rows.women_bls.notna().all()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("sentid\t", "id\t", "has no column 'sentid'"),
        ("baker.customer.1.male.txt", "baker", "is not of the form technician.customer.1.male.txt"),
        ("she was early", "she was late", "differ in more than one pronoun"),
        ("clerk.someone.0.neutral", "clerk.someone.1.neutral", "lacks its male, female or neutral version"),
    ],
)
def test_damaged_files(folder, old, new, message):
    (folder / "all_sentences.tsv").write_text(SENTENCES.replace(old, new))
    with pytest.raises(DataError, match=message):
        winogender()


def test_damaged_statistics(folder):
    (folder / "occupations-stats.tsv").write_text(STATISTICS.replace("60", "sixty"))
    with pytest.raises(DataError, match="could not convert"):
        winogender()


def test_not_at_hand(tmp_path, no_data):
    with using_data(tmp_path), pytest.raises(DataError, match=r"put it at .*/winogender/all_sentences.tsv"):
        winogender()


def test_mentions(folder):
    rows = winogender_mentions()
    male, female, neutral = rows[rows.occupation == "baker"].itertuples()
    assert (male.text, neutral.text) == (
        "The baker told the customer that he was early.",
        "The baker told the customer that they were early.",
    )
    assert (male.pronoun, female.pronoun, neutral.pronoun) == ("he", "she", "they")
    for row in (male, female, neutral):
        assert (row.occupation_at, row.participant_at, row.pronoun_at) == (4, 19, 33)
        assert (row.referent, row.women_bls) == ("participant", 60.0)
        assert row.masked == "The baker told the customer that [MASK] was early."
    assert rows[rows.occupation == "clerk"].participant_at.tolist() == [16] * 3  # someone


def test_an_occupation_that_is_not_in_its_sentence(folder):
    (folder / "all_sentences.tsv").write_text(SENTENCES.replace("The clerk", "The waiter"))
    with pytest.raises(DataError, match="'clerk' is not in 'The waiter asked someone"):
        winogender_mentions()
