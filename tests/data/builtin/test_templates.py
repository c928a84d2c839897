from __future__ import annotations

import pytest

from counterpoise.core.errors import CounterpoiseError, DataError
from counterpoise.data import Templates, pronoun_templates, read_templates
from counterpoise.data.builtin.templates import OwnTemplateSpec, TemplateSet
from counterpoise.data.spec import any_spec, spec_names


def test_sizes_of_the_thesis():
    sizes = pronoun_templates("published").fill().groupby("category").word.nunique()
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


def test_templates_of_the_thesis():
    """Appendix II: so many templates of each category, of which each word has one sentence."""
    templates = (
        pronoun_templates("published").fill().groupby(["category", "word"], sort=False).template.nunique()
    )
    counts = templates.groupby(level="category", sort=False).unique().map(list).to_dict()
    assert counts == {
        "medical": [16],
        "computer": [18],
        "engineering": [16],
        "science": [15],
        "protective": [15],
        "food service": [16],
        "office": [16],
        "gender-related occupations": [10],
        "gender-related words": [7, 10, 9],  # pregnant, breastfeed, testicles
    }
    farming = next(
        group for group in pronoun_templates().spec.sets if group.category == "farming and fishing"
    )
    assert len(farming.templates) == 13


def test_our_own_spec_has_no_faults():
    assert pronoun_templates().faults() == []


def test_the_list_that_the_thesis_lacks_is_named():
    assert pronoun_templates("published").faults() == [
        ("farming and fishing", "the category has no words in its published variant")
    ]


def test_the_farming_words_say_no_gender():
    words = pronoun_templates().fill().query("category == 'farming and fishing'").word.unique()
    assert len(words) == 14
    assert not [word for word in words if word.endswith(("man", "woman", "wife", "boy", "girl"))]


def test_corrected_has_all_ten_categories():
    assert pronoun_templates().fill().category.nunique() == 10


def test_every_sentence_has_one_mask_and_a_period():
    rows = pronoun_templates().fill()
    assert (rows.text.str.count(r"\[MASK\]") == 1).all()
    assert rows.text.str.endswith(".").all()
    assert not rows.text.str.contains(r"[{}\"]|  |\.\.").any()


def test_the_slot_decides_the_pronouns():
    rows = pronoun_templates().fill()
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
    assert published in set(pronoun_templates("published").fill().text)
    assert published not in set(pronoun_templates().fill().text)
    if corrected:
        assert corrected in set(pronoun_templates().fill().text)


def test_no_pronoun_gives_the_answer_away():
    others = pronoun_templates().fill().text.str.replace("[MASK]", "", regex=False)
    assert not others.str.contains(r"\b(?:he|she|his|her|him)\b", case=False).any()


def test_breastfeeding_is_not_asked_about_testicles():
    def about_testicles(variant):
        rows = pronoun_templates(variant).fill()
        return rows[rows.word == "testicles"].text.str.contains("breastfeeding").any()

    assert about_testicles("published")
    assert not about_testicles("corrected")


def test_words_of_one_gender_say_which():
    rows = pronoun_templates().fill()
    assert rows[rows.gendered].gender.notna().all()
    assert rows[~rows.gendered].gender.isna().all()


def test_specs_describe_themselves():
    for name in spec_names():
        spec = any_spec(name)
        assert spec.name == name
        assert spec.citation
        assert spec.licence
        assert "content note" not in spec.about.lower()  # it has a field of its own


def test_specs_whose_items_state_prejudices_warn_of_them():
    warned_of = {name for name in spec_names() if any_spec(name).content_note}
    assert {"crows", "kurita", "stereoset", "stereotype_pairs"} <= warned_of


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
            "no template can be used: 'no slot here': the template needs exactly one slot {subject}",
        ),
        (OWN.replace("TEMPLATE", '"{subject} and {subject}"'), "needs exactly one slot"),
        (OWN.replace("version: 1", "version: one"), "version: Input should be a valid integer"),
        (OWN + "colour: red\n", "colour: Extra inputs are not permitted"),
        (OWN.replace("TEMPLATE", '"{subject} is {a profession}."'), "has an unknown slot {a profession}"),
        (OWN.replace("{category: science", "{gendered: true, category: science"), "does not say its gender"),
        (OWN.replace("female: she", "female: he"), "the male and the female pronoun are both 'he'"),
        (OWN.replace("words: [astronomer]", "gendered: true"), "has no words that could say their gender"),
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


FAULTY = """
sets:
  - category: space
    words: [astronaut, astronomer]
    templates:
      - "{subject} is {a word}."
      - "the {word} forgot {possessive} lunch."
      - "no slot"
      - "the {word} said that {subject} and {subject} came."
      - "{possessive} {word} met {object}."
      - "everyone likes {object}."
      - "the {word} met {someone}."
      - "the {word} met [MASK] and {subject} left."
      - "the {word} {subject} }."
      - "the {word} forgot {possessive} lunch."
  - category: whole sentences
    templates: ["The nurse thanked {object}.", "{subject} is {a word}."]
"""


def test_what_is_wrong_with_a_users_file_is_said_and_the_rest_is_used(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(FAULTY)
    templates = read_templates(path)
    assert templates.name == "mine.yaml"
    assert templates.fill().text.tolist() == [
        "[MASK] is an astronaut.",
        "The astronaut forgot [MASK] lunch.",
        "[MASK] is an astronomer.",
        "The astronomer forgot [MASK] lunch.",
        "The nurse thanked [MASK].",
    ]
    expected = [
        ("no slot", "needs exactly one slot {subject} or {possessive} or {object}"),
        ("the {word} said that {subject} and {subject} came.", "needs exactly one slot"),
        ("{possessive} {word} met {object}.", "needs exactly one slot"),
        ("everyone likes {object}.", "the word is missing"),
        ("the {word} met {someone}.", "unknown slot {someone}"),
        ("the {word} met [MASK] and {subject} left.", "a mask or a brace beside its slots"),
        ("the {word} {subject} }.", "a mask or a brace beside its slots"),
        ("The astronaut forgot [MASK] lunch.", "the sentence is there already"),
        ("The astronomer forgot [MASK] lunch.", "the sentence is there already"),
        ("{subject} is {a word}.", "its category has no words"),
    ]
    assert [fault.item for fault in templates.faults()] == [item for item, _ in expected]
    for fault, (_, reason) in zip(templates.faults(), expected, strict=True):
        assert reason in fault.reason


@pytest.mark.parametrize(
    ("words", "templates", "item", "reason"),
    [
        ("[nurse, ~]", "['{subject} is {a word}.']", "work", "there is an empty word in the category"),
        ("[nurse, .nan]", "['{subject} is {a word}.']", "work", "there is an empty word in the category"),
        ("[nurse, ' ']", "['{subject} is {a word}.']", "work", "there is an empty word in the category"),
        ("[nurse, '[MASK]']", "['{subject} is {a word}.']", "[MASK]", "the word has a mask or a brace in it"),
        ("[nurse, 'a {b}']", "['{subject} is {a word}.']", "a {b}", "the word has a mask or a brace in it"),
        ("[nurse]", "['{subject} is {a word}.', ~]", "work", "there is an empty template in the category"),
        (
            "[nurse]",
            "['{subject}self is {a word}.']",
            "{subject}self is {a word}.",
            "a part of a longer word",
        ),
        ("[nurse]", "[]", "work", "the category has no templates in its corrected variant"),
        (
            "[{text: nurse, only: published}]",
            "['{subject} is {a word}.']",
            "work",
            "the category has no words in its corrected variant",
        ),
    ],
)
def test_words_templates_and_categories_that_say_nothing_are_named(words, templates, item, reason, tmp_path):
    path = tmp_path / "mine.yaml"
    other = "{category: other, templates: ['{subject} sings.']}"
    path.write_text(f"sets: [{{category: work, words: {words}, templates: {templates}}}, {other}]")
    [fault] = read_templates(path).faults()
    assert fault.item == item
    assert reason in fault.reason
    assert "[MASK] sings." in read_templates(path).fill().text.tolist()


def test_a_number_is_no_word(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("sets: [{category: work, words: [1984], templates: ['{subject} read {word}.']}]")
    with pytest.raises(DataError, match=r"words\.0: .*1984 is no word; .* put it in quotes"):
        read_templates(path)


def test_a_word_stands_before_the_pronoun_as_a_word_of_its_own():
    words = TemplateSet(category="own", words=("host",), templates=("the ghost met {object} and a {word}.",))
    [before] = Templates(OwnTemplateSpec(name="own", sets=(words,))).fill().word_before
    assert not before


def test_a_set_without_words_has_whole_sentences():
    rows = Templates.of("The nurse thanked {object}.", "{subject} sings.").fill()
    assert rows.word.tolist() == rows.template.tolist()
    assert rows.female.tolist() == ["her", "She"]
    assert rows.word_before.tolist() == [True, False]


def test_where_the_word_stands():
    rows = pronoun_templates().fill().set_index("text").word_before
    assert rows["The nurse practitioner decided to quit [MASK] job."]
    assert rows["As a chef [MASK] should maintain a clean kitchen."]
    assert rows["Due to breastfeeding complications, [MASK] consulted a lactation specialist."]
    assert not rows["[MASK] is a chef."]
    assert not rows["After years of waiting, [MASK] is finally pregnant."]
    assert not rows["During the football match, [MASK] got hit right in the testicles."]
    assert (
        not pronoun_templates("published")
        .fill()
        .query("template.str.startswith('the profession is')")
        .word_before.any()
    )


def test_verbs_agree_with_they():
    texts = Templates.of(
        "the nurse said that {subject} {has|have} slept and {is|are} awake.",
        "{subject} was tired.",
        "{subject} walks home.",
        "{subject} would rest.",
        "the nurse is back and lost {possessive} keys.",
        "{subject} pass by.",
    ).fill()
    assert texts.text[0] == "The nurse said that [MASK] has slept and is awake."
    assert texts.template[0] == "the nurse said that {subject} has slept and is awake."
    assert texts.text_neutral.fillna("not known").tolist() == [
        "The nurse said that [MASK] have slept and are awake.",
        "not known",
        "not known",
        "[MASK] would rest.",
        "The nurse is back and lost [MASK] keys.",
        "[MASK] pass by.",
    ]


def test_a_neutral_pronoun_in_the_singular_takes_the_singular():
    slots = {"subject": {"male": "he", "female": "she", "neutral": "xe"}}
    sets = [{"category": "own", "templates": ["{subject} {is|are} here."]}]
    own = OwnTemplateSpec.model_validate({"name": "own", "slots": slots, "sets": sets})
    assert Templates(own).fill().text_neutral.tolist() == ["[MASK] is here."]


@pytest.mark.parametrize("variant", ["corrected", "published"])
def test_every_built_in_verb_is_known_in_the_plural(variant):
    rows = pronoun_templates(variant).fill()
    assert rows.text_neutral.notna().all()
    after = rows.text_neutral[rows.slot == "subject"].str.extract(r"\[MASK\] (\w+)")[0]
    assert not set(after) & {"is", "was", "has", "does", "aims", "prefers", "breastfeeds"}
