from __future__ import annotations

import pytest

from counterpoise.core.errors import CounterpoiseError, DataError
from counterpoise.data import Templates, read_templates, tbd
from counterpoise.data.spec import any_spec, spec_names


def test_sizes_of_the_thesis():
    sizes = tbd("published").fill().groupby("category").word.nunique()
    assert sizes.to_dict() == {
        "medical": 21,
        "computer": 10,
        "engineering": 9,
        "science": 5,
        "protective": 5,
        "food service": 8,
        "office": 26,
        "gender-related occupations": 7,
        "gender-related words": 3,
    }


def test_corrected_has_all_ten_categories():
    assert tbd().fill().category.nunique() == 10


def test_every_sentence_has_one_mask_and_a_period():
    rows = tbd().fill()
    assert (rows.text.str.count(r"\[MASK\]") == 1).all()
    assert rows.text.str.endswith(".").all()
    assert not rows.text.str.contains(r"[{}\"]|  |\.\.").any()


def test_the_slot_decides_the_pronouns():
    rows = tbd().fill()
    assert rows[["slot", "male", "female"]].apply(
        lambda row: tuple(row.str.lower()), axis=1
    ).unique().tolist() == [
        ("subject", "he", "she"),
        ("possessive", "his", "her"),
    ]
    at_start = rows.text.str.startswith("[MASK]")
    assert rows.male[at_start].str.istitle().all()
    assert rows.male[~at_start].str.islower().all()


@pytest.mark.parametrize(
    ("published", "corrected"),
    [
        ("[MASK] is a engineer.", "[MASK] is an engineer."),
        ("[MASK] is a jailers.", "[MASK] is a jailer."),
        ("the guards is upset because [MASK] could not finish his work today.", None),
        ('the profession is keeping [MASK] days off until summer."', None),
        ("the chemistis mad because [MASK] is too busy.", "The chemist is mad because [MASK] is too busy."),
        (
            "as cashier [MASK] should thrive under pressure.",
            "As a cashier [MASK] should thrive under pressure.",
        ),
        ("[MASK] is a database architecture.", "[MASK] is a database architect."),
    ],
)
def test_faults_of_the_thesis_are_mended_and_kept_on_request(published, corrected):
    assert published in set(tbd("published").fill().text)
    assert published not in set(tbd().fill().text)
    if corrected:
        assert corrected in set(tbd().fill().text)


def test_no_pronoun_gives_the_answer_away():
    others = tbd().fill().text.str.replace("[MASK]", "", regex=False)
    assert not others.str.contains(r"\b(?:he|she|his|her|him)\b", case=False).any()


def test_breastfeeding_is_not_asked_about_testicles():
    def about_testicles(variant):
        rows = tbd(variant).fill()
        return rows[rows.word == "testicles"].text.str.contains("breastfeeding").any()

    assert about_testicles("published")
    assert not about_testicles("corrected")


def test_words_of_one_gender_say_which():
    rows = tbd().fill()
    assert rows[rows.gendered].gender.notna().all()
    assert rows[~rows.gendered].gender.isna().all()


def test_specs_describe_themselves():
    for name in spec_names():
        spec = any_spec(name)
        assert spec.name == name
        assert spec.citation
        assert spec.licence


OWN = """
name: mine
title: my templates
version: 1
cite: barza2023
licence: mine
about: a test
slots: {subject: {male: he, female: she, neutral: they}}
sets:
  - {category: science, words: [astronomer], templates: [TEMPLATE]}
"""


def test_a_users_own_file(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(OWN.replace("TEMPLATE", '"{subject} is {a word}."'))
    assert read_templates(path).fill().text.tolist() == ["[MASK] is an astronomer."]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            OWN.replace("TEMPLATE", "no slot here"),
            "the template 'no slot here' needs exactly one slot {subject}",
        ),
        (OWN.replace("TEMPLATE", '"{subject} and {subject}"'), "needs exactly one slot"),
        (OWN.replace("version: 1", "version: one"), "version: Input should be a valid integer"),
        (OWN + "colour: red\n", "colour: Extra inputs are not permitted"),
        (OWN.replace("TEMPLATE", '"{subject} is {a profession}."'), "has an unknown slot {a profession}"),
        (OWN.replace("{category: science", "{gendered: true, category: science"), "does not say its gender"),
        ("a: [", "is not YAML"),
        ("", "is empty"),
        ("- 1\n", "mine.yaml: the file"),
    ],
)
def test_bad_files_are_one_line(text, message, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(DataError, match=message) as error:
        read_templates(path).fill()
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(CounterpoiseError, match="cannot read"):
        read_templates(tmp_path / "nothing.yaml")


def test_nothing_in_a_variant():
    text = Templates.of("{subject} is here.")
    assert text.fill().text.tolist() == ["[MASK] is here."]
