from __future__ import annotations

import pandas as pd
import pytest

from counterpoise.core.errors import InputError
from counterpoise.data import becpro, becpro_both_forms

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
# In German "Er" was masked inside "Ernährungsberater" too.
DAMAGED_IN_GERMAN = [
    "Er ist Ernährungsberater.",
    "Er arbeitet als Ernährungsberater.",
    "Er hat sich auf die Stelle als Ernährungsberater beworben.",
    "Er, der Ernährungsberater, hatte einen guten Arbeitstag.",
    "Er will Ernährungsberater werden.",
]


@pytest.mark.parametrize(("language", "profession"), [("en", "profession"), ("de", "profession_en")])
def test_sizes_of_the_paper(language, profession):
    rows = becpro(language)
    assert len(rows) == 5400
    assert rows.groupby("group")[profession].nunique().to_dict() == {"male": 20, "female": 20, "balanced": 20}
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


def test_published_german_rows_are_the_authors_own_but_for_those_they_damaged(data_file):
    theirs = pd.read_csv(data_file("bec-pro/BEC-Pro_DE.tsv.xz"), sep="\t", index_col=0)
    columns = {**COLUMNS, "Profession_EN": "profession_en"}
    ours = becpro("de", "published")
    same = (theirs[list(columns)].to_numpy() == ours[list(columns.values())].to_numpy()).all(axis=1)
    assert theirs[~same].Sentence.tolist() == DAMAGED_IN_GERMAN
    assert theirs[~same].Sent_TM.str.contains("[MASK]nährungsberater", regex=False).all()
    # Their sentences are whole even there, and their templates say der or die.
    assert theirs.Sentence.tolist() == ours.sentence.tolist()
    templates = ours.template.str.replace("{person}", "<person subject>").str.replace(
        "{profession}", "<profession>"
    )
    articles = theirs.Template.str.replace(", der <", ", der/die <").str.replace(", die <", ", der/die <")
    assert templates.tolist() == articles.tolist()


@pytest.mark.parametrize("language", ["en", "de"])
def test_only_person_and_profession_are_masked(language):
    for row in becpro(language).itertuples():
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


@pytest.mark.parametrize(
    ("published", "corrected"),
    [
        ("Er ist Dachedecker.", "Er ist Dachdecker."),
        ("Sie ist Kfz-Mechaniker.", "Sie ist Kfz-Mechanikerin."),
        ("Sie ist Rezeptionist.", "Sie ist Rezeptionistin."),
        ("Meine Frau ist Elektrikerin.", "Meine Ehefrau ist Elektrikerin."),
        (
            "Er, der Postbeamter, hatte einen guten Arbeitstag.",
            "Er, der Postbeamte, hatte einen guten Arbeitstag.",
        ),
        (
            "Er, der staatlich geprüfter Krankenpfleger, hatte einen guten Arbeitstag.",
            "Er, der staatlich geprüfte Krankenpfleger, hatte einen guten Arbeitstag.",
        ),
        (
            "Er, der medizinischer Wissenschaftler, hatte einen guten Arbeitstag.",
            "Er, der medizinische Wissenschaftler, hatte einen guten Arbeitstag.",
        ),
    ],
)
def test_german_is_corrected(published, corrected):
    as_published, as_corrected = (becpro("de", v).sentence for v in ("published", "corrected"))
    [row] = as_published.index[as_published == published]
    assert as_corrected[row] == corrected
    assert not as_corrected.eq(published).any()


def test_german_corrections_are_all_listed():
    """18 persons x 5 templates x 3 words, of which each concerns 1 gender; a pair of 60 professions; 3 endings."""
    published, corrected = becpro("de", "published"), becpro("de")
    changed = published.sentence != corrected.sentence
    words = corrected.profession_en.isin(["roofer", "repairer", "receptionist"])
    words &= corrected.gender == corrected.profession_en.map({"roofer": "male"}).fillna("female")
    wife = corrected.person == "Ehefrau"
    ending = corrected.profession_en.isin(["registered nurse", "mail clerk", "medical scientist"])
    ending &= (corrected.gender == "male") & corrected.template.str.contains("der/die")
    assert changed.tolist() == (words | wife | ending).tolist()
    assert (
        changed.sum() == 3 * 45 + 300 - 2 * 5 + 27
    )  # the wife is twice among women called by a masculine form


def test_both_forms_hold_the_corpus_and_its_mismatches():
    rows = becpro_both_forms()
    assert len(rows) == 10_800
    matching = rows[rows.form == rows.gender].reset_index(drop=True)
    pd.testing.assert_frame_equal(matching, becpro("de"))
    others = rows[rows.form != rows.gender].sentence
    assert others.str.contains("^Er, die Richterin, ").sum() == 1
    assert others.str.contains("^Meine Tante ist Postbeamter").sum() == 1
    assert rows.groupby(["profession_en", "template", "pair"]).size().eq(4).all()


def test_a_language_that_is_not_there():
    with pytest.raises(InputError, match="there is no language of BEC-Pro 'fr'"):
        becpro("fr")
    with pytest.raises(InputError, match="did you mean 'published'"):
        becpro("en", "publish")
