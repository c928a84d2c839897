from __future__ import annotations

import pandas as pd
import pytest

from counterpoise.core.errors import InputError
from counterpoise.data import becpro

COLUMNS = {
    "Sentence": "sentence",
    "Sent_TM": "target_masked",
    "Sent_AM": "attribute_masked",
    "Sent_TAM": "both_masked",
    "Person": "person",
    "Gender": "gender",
    "Profession": "profession",
    "Prof_Gender": "group",
}


def test_sizes_of_the_paper():
    rows = becpro("en")
    assert len(rows) == 5400
    assert rows.groupby("group").profession.nunique().to_dict() == {"male": 20, "female": 20, "balanced": 20}
    assert rows.person.nunique() == 18
    assert rows.template.nunique() == 5


def test_published_rows_are_the_authors_own_but_for_those_they_damaged(data_file):
    theirs = pd.read_csv(data_file("bec-pro/BEC-Pro_EN.tsv.xz"), sep="\t", index_col=0)
    ours = becpro("en", "published")
    same = (theirs[list(COLUMNS)].to_numpy() == ours[list(COLUMNS.values())].to_numpy()).all(axis=1)
    damaged = theirs[~same]
    # "man" was masked inside "manager" too, and "of" of the template with "director of religious activities".
    manager = damaged.Profession.eq("lodging manager") & damaged.Person.eq("man")
    director = damaged.Profession.eq("director of religious activities") & damaged.Sentence.str.contains(
        "position of"
    )
    assert (manager.sum(), director.sum(), len(damaged)) == (5, 18, 23)


def test_only_person_and_profession_are_masked():
    for row in becpro("en").itertuples():
        assert row.target_masked.count("[MASK]") == 1
        assert row.target_masked[row.attribute_at :].startswith(row.profession)
        words = len(row.profession.split())
        assert row.attribute_masked.count("[MASK]") == words
        assert row.both_masked.count("[MASK]") == words + 1
        restored = row.target_masked.replace("[MASK]", row.person)
        assert restored == row.sentence


def test_the_article_fits_only_when_corrected():
    def has(variant, text):
        return becpro("en", variant).sentence.str.contains(text, regex=False).any()

    assert has("corrected", "is an electrician")
    assert not has("corrected", "is a electrician")
    assert has("published", "is a electrician")


def test_a_language_that_is_not_there():
    with pytest.raises(InputError, match="there is no language of BEC-Pro 'fr'"):
        becpro("fr")
    with pytest.raises(InputError, match="did you mean 'published'"):
        becpro("en", "publish")
