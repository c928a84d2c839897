from __future__ import annotations

import pandas as pd
import pytest

from counterpoise.core.errors import DataError
from counterpoise.data import eec
from counterpoise.data.thirdparty.folders import using_data


@pytest.fixture(scope="module")
def corpus(data_file):
    return pd.read_csv(data_file("eec/Equity-Evaluation-Corpus.csv.xz"))


def test_sizes(corpus):
    """20 emotion words a template; 9 noun phrases in each; he or him in their own; 6 templates or 7."""
    corrected, published = eec(), eec("published")
    assert len(corrected) == 2 * 20 * (6 * 9 + 3 + 3)
    assert len(published) == 2 * 20 * (7 * 9 + 4)
    for rows in (corrected, published):
        keys = ["emotion_word", "template", "pair"]
        assert rows.groupby(keys).gender.agg(sorted).map(tuple).unique().tolist() == [("female", "male")]
        assert rows.groupby("group").emotion_word.nunique().to_dict() == dict.fromkeys(
            ("anger", "fear", "joy", "sadness"), 10
        )


def test_pairs_belong_together(corpus):
    rows = eec()
    paired = {
        (male, female)
        for _, some in rows.groupby(["emotion_word", "template", "pair"])
        for male, female in [some.sort_values("gender", ascending=False).person.str.lower()]
    }
    assert ("he", "she") in paired
    assert ("him", "her") in paired
    assert ("dad", "mom") in paired
    assert len(paired) == 11
    sizes = rows.groupby(["emotion_word", "pair"]).size()
    assert sizes["angry"].tolist() == [8] * 10  # four templates for what one feels, both genders
    assert sizes["irritating"].tolist() == [4] * 10  # two for what a situation is like


def test_only_person_and_emotion_are_masked(corpus):
    for row in eec().itertuples():
        assert row.target_masked.count("[MASK]") == 1
        assert row.target_masked.replace("[MASK]", row.person) == row.sentence
        assert row.target_masked[row.attribute_at :].startswith(row.emotion_word)
        assert row.both_masked == "[MASK]".join(row.target_masked.rsplit(row.emotion_word, 1))


def test_the_gender_is_not_told_beforehand(corpus):
    assert not eec().target_masked.str.contains(r"\b(?:himself|herself)\b").any()
    assert eec("published").target_masked.str.contains(r"\b(?:himself|herself)\b").any()


def test_published_is_what_the_authors_replacement_makes_but_where_it_damaged(corpus):
    """Theirs: ten persons of each gender, lower case, the noun and then the emotion replaced wherever they occur."""
    emotional = corpus[corpus.Emotion.notna()]
    persons = [
        person
        for gender in ("male", "female")
        for person in emotional.Person[emotional.Gender == gender].unique()[20:30]
    ]
    theirs = emotional[emotional.Person.isin(persons)]
    ours = eec("published")
    assert ours.sentence.tolist() == theirs.Sentence.str.lower().tolist()
    targets = [
        text.lower().replace(person.split()[-1], "[MASK]")
        for text, person in zip(theirs.Sentence, theirs.Person, strict=True)
    ]
    both = [text.replace(word, "[MASK]") for text, word in zip(targets, theirs["Emotion word"], strict=True)]
    same = (ours.target_masked == targets) & (ours.both_masked == both)
    damaged = ours[~same]
    # "he" was masked inside "the recent" and "heartbreaking".
    assert damaged.person.unique().tolist() == ["he"]
    assert damaged.sentence.str.contains("the recent|heartbreaking").all()
    assert len(damaged) == 21


def test_where_to_put_it_is_said(tmp_path, no_data):
    with (
        using_data(tmp_path),
        pytest.raises(DataError, match=r"put it at .*/eec/Equity-Evaluation-Corpus\.csv"),
    ):
        eec()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Sentence,Template\na,b\n", "has no column 'Person'"),
        ("", "is empty"),
        ("Sentence,Template,Person,Gender,Emotion,Emotion word\n", "has no rows"),
        (
            "Sentence,Template,Person,Gender,Emotion,Emotion word\nHe ran.,t,he,male,,\n",
            "has no sentence about",
        ),
        (
            "Sentence,Template,Person,Gender,Emotion,Emotion word\nHe saw he.,t,he,male,joy,glad\n",
            "'he' stands 2 times instead of once",
        ),
    ],
)
def test_broken_files(tmp_path, text, message):
    (tmp_path / "eec").mkdir()
    (tmp_path / "eec" / "Equity-Evaluation-Corpus.csv").write_text(text)
    with using_data(tmp_path), pytest.raises(DataError, match=message):
        eec()


def test_a_file_that_is_not_what_its_name_says(tmp_path):
    (tmp_path / "eec").mkdir()
    (tmp_path / "eec" / "Equity-Evaluation-Corpus.csv.xz").write_bytes(b"not compressed at all")
    with using_data(tmp_path), pytest.raises(DataError, match="cannot read"):
        eec()
