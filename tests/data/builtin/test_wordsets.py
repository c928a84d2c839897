"""The stimuli equal the published ones; a user's own and translated sets are checked and nothing is lost in silence."""

from __future__ import annotations

import json

import pytest

import counterpoise as cp
from counterpoise.core.errors import DataError, InputError
from counterpoise.data.builtin.wordsets import (
    WordTest,
    WordTests,
    read_translations,
    read_word_sets,
    translate,
    weat,
)

TESTS = ["weat1", "weat2", "weat3", "weat4", "weat5", "weat6", "weat7", "weat8", "weat9", "weat10"]
OF_MAY = ["weat6b", "weat7b", "weat8b"]


@pytest.mark.parametrize("name", TESTS + OF_MAY)
def test_stimuli_equal_those_of_sent_bias(name, data_file):
    published = json.loads(data_file(f"weat/sent-bias/{name}.jsonl").read_text())
    [test] = weat([name]).tests
    for found, key in zip(test.sets, ("targ1", "targ2", "attr1", "attr2"), strict=True):
        assert list(found.words) == published[key]["examples"]


def test_stimuli_equal_those_of_wefe_but_for_the_differences_named(data_file):
    wefe = json.loads(data_file("weat/WEAT.json").read_text())
    names = {
        "weat1": ["flowers", "insects", "pleasant_5", "unpleasant_5a"],
        "weat2": ["instruments", "weapons", "pleasant_5", "unpleasant_5a"],
        "weat3": ["european_american_names_5", "african_american_names_5", "pleasant_5", "unpleasant_5b"],
        "weat4": ["european_american_names_7", "african_american_names_7", "pleasant_5", "unpleasant_5b"],
        "weat5": ["european_american_names_7", "african_american_names_7", "pleasant_9", "unpleasant_9"],
        "weat6": ["male_names", "female_names", "career", "family"],
        "weat7": ["math", "arts", "male_terms", "female_terms"],
        "weat8": ["science", "arts_2", "male_terms_2", "female_terms_2"],
        "weat9": ["mental_disease", "physical_disease", "temporary", "permanent"],
        "weat10": ["young_people_names", "old_people_names", "pleasant_9", "unpleasant_9"],
    }
    differences = {}
    for test in weat().tests:
        for ours, key in zip(test.sets, names[test.name], strict=True):
            if only := set(ours.words) ^ set(wefe[key]):
                differences[test.name, ours.name] = only
    assert differences == {
        ("weat4", "european american names (test 4)"): {"Jay", "Kristen"},
        ("weat4", "african american names (test 4)"): {"Tremayne", "Latonya"},
        ("weat5", "european american names (test 4)"): {"Jay", "Kristen"},
        ("weat5", "african american names (test 4)"): {"Tremayne", "Latonya"},
        ("weat9", "temporary"): {"short", "short-term"},
        ("weat10", "young people's names"): {"Bill", "Billy"},
    }


def test_the_ten_tests_of_the_paper():
    tests = weat().tests
    assert [test.name for test in tests] == TESTS
    assert [test.name for test in tests if test.gender] == ["weat6", "weat7", "weat8"]
    sizes = [[len(one.words) for one in test.sets] for test in tests]
    assert sizes[0] == [25, 25, 25, 25]
    assert sizes[2] == [32, 32, 25, 25]
    assert sizes[8] == [6, 6, 7, 7]
    assert [test.published for test in tests] == [1.50, 1.53, 1.41, 1.50, 1.28, 1.81, 1.06, 1.24, 1.38, 1.21]
    assert "Caliskan" in weat().citation
    with pytest.raises(InputError, match="there is no association test 'weat11'"):
        weat(["weat11"])


def test_the_words_of_kurita():
    flowers, names, math, science = weat(
        ["kurita_flowers", "kurita_names", "kurita_math", "kurita_science"]
    ).tests
    [first, seventh, eighth] = weat(["weat1", "weat7", "weat8"]).tests
    assert set(flowers.x.words) < set(first.x.words)
    assert (names.a, names.b) == (flowers.a, flowers.b) == (first.a, first.b)
    assert set(math.y.words) ^ set(seventh.y.words) == {"novel", "novels", "sculpture", "sculptures"}
    assert set(science.x.words) ^ set(eighth.x.words) == {"experiment", "experiments"}
    assert [len(test.x.words) for test in (flowers, names, math, science)] == [9, 5, 8, 8]
    assert [len(test.y.words) for test in (flowers, names, math, science)] == [9, 5, 8, 8]


OWN = """
sets:
  science: [physics, chemistry]
  arts: [poetry, dance]
  male: [he, man]
  female: [she, woman]
tests:
  - {name: mine, targets: [science, arts], attributes: [male, female], gender: true}
"""


def test_a_users_own(tmp_path):
    (tmp_path / "own.yaml").write_text(OWN)
    own = read_word_sets(tmp_path / "own.yaml")
    [test] = own.tests
    assert own.name == "own.yaml"
    assert test.title == "mine: science, arts / male, female"
    assert [one.words for one in test.sets] == [
        ("physics", "chemistry"),
        ("poetry", "dance"),
        ("he", "man"),
        ("she", "woman"),
    ]
    assert test.gender


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "[poetry, dance]",
            "[poetry, physics]",
            "own.yaml, line 4: mine: 'physics' of the set 'arts' is there in 'science' too",
        ),
        ("[she, woman]", "[she, physics]", "'physics' of the set 'female' is there in 'science' too"),
        ("[he, man]", "\n    - he\n    - he", "line 7: mine: 'he' of the set 'male' is there twice"),
        (
            "[science, arts]",
            "[science, science]",
            "line 3: mine: 'physics' of the set 'science' is there twice",
        ),
        (
            "tests:\n",
            "tests:\n  - {name: mine, targets: [arts, science], attributes: [male, female]}\n",
            "own.yaml: two tests are called 'mine'",
        ),
        ("[she, woman]", "[]", "the word set 'female' is empty"),
        ("[she, woman]", "[she, '']", "the set 'female' has an empty word"),
        (
            "attributes: [male, female]",
            "attributes: [male, femal]",
            "own.yaml: the file: mine: there is no set",
        ),
        ("[male, female], gender", "[male], gender", r"tests\.0\.attributes"),
        ("[she, woman]", "[she, 7]", r"sets\.female\.1"),
        ("sets:", "set:", "Field required"),
        ("  - {name", "  - {nom: x, name", "Extra inputs"),
    ],
)
def test_mistakes_in_a_users_file_are_one_line(old, new, message, tmp_path):
    (tmp_path / "own.yaml").write_text(OWN.replace(old, new))
    with pytest.raises(DataError, match=message) as error:
        read_word_sets(tmp_path / "own.yaml")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("language", ["de", "es", "hr", "it", "ru", "tr"])
def test_xweat_files(language, data_file):
    path = data_file(f"weat/vocab_en_{language}.csv")
    words = read_translations(path)
    assert len(words) == {"de": 294, "it": 358}.get(language, 395)
    for before, after in zip(weat().tests, translate(weat(), path).tests, strict=True):
        for old, new in zip(before.sets, after.sets, strict=True):
            lost = {word for word, _ in new.lost}
            assert lost <= set(old.words)
            kept = [form for word in old.words if word not in lost for form in words[word]]
            assert set(new.words) <= set(kept)


def test_german_in_full(data_file):
    german = translate(weat(["weat7", "weat8", "weat1"]), data_file("weat/vocab_en_de.csv"))
    math, science, flowers = german.tests
    assert math.a.words == ("männlich", "Mann", "Junge", "Bruder", "er", "ihm", "seine", "Sohn")
    assert science.x.lost == (("Einstein", "has no translation"), ("NASA", "has no translation"))
    assert ("roach", "its translation 'Kakerlake' is there already") in flowers.y.lost
    assert flowers.published is None  # Caliskan's number is about English
    tests = read_word_sets(data_file("weat/vocab_en_de.csv"))
    assert tests.name == "vocab_en_de.csv"
    assert math in tests.tests


def test_bad_translations(tmp_path):
    path = tmp_path / "words.csv"
    for content, message in {
        "": "has no words in it",
        ",,\n,,\n": "has no words in it",
        "he\n": "line 1: not an English word and its translation",
        "he,er\n\nhe,ihn\n": "line 3: 'he' is there already",
    }.items():
        path.write_text(content)
        with pytest.raises(DataError, match=message):
            read_translations(path)
    with pytest.raises(DataError, match="cannot read"):
        read_translations(tmp_path / "nowhere.csv")


def test_written_on_the_spot():
    test = cp.data.WordTest.of("t", ["a"], ["b"], ["c"], ["d"])
    assert WordTests("own", (test,)).tests[0].y.words == ("b",)
    with pytest.raises(DataError, match="'a' of the set 'B' is there in 'X' too"):
        WordTest.of("t", ["a"], ["b"], ["c"], ["a"])
