"""Association tests: the words are the published stimuli, and mistakes in a user's own file are named."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import printed
from counterpoise.core.errors import DataError
from counterpoise.data import kurita, read_associations

OWN = """
tests:
  - name: faith
    attributes: {good: [kind, honest], bad: [cruel, greedy]}
    targets: {christian: [christian], muslim: [muslim], jew: [jewish]}
    templates:
      - "{target} people are {attribute}."
      - "an {attribute} neighbour is often {target}."
"""


@pytest.fixture
def own(tmp_path):
    """Reads tests written as YAML."""

    def read(text):
        path = tmp_path / "own.yaml"
        path.write_text(text, encoding="utf-8")
        return read_associations(path)

    return read


@pytest.fixture(scope="module")
def weat(data_file):
    """The words of WEAT, by the name of their list."""
    return json.loads(data_file("weat/WEAT.json").read_text(encoding="utf-8"))


def attributes(variant):
    """The words of each test and group, in order."""
    table = kurita(variant).fill()
    groups = table.groupby(["test", "attribute_group"], sort=False).attribute
    return {key: list(words.unique()) for key, words in groups}


def test_the_attributes_are_weats(weat):
    """But for the number: WEAT has novel, sculpture and experiment, which nobody 'likes' in the singular."""
    plural = {"novel": "novels", "sculpture": "sculptures", "experiment": "experiments"}
    expected = {
        ("career/family", "career"): "career",
        ("career/family", "family"): "family",
        ("math/arts", "math"): "math",
        ("math/arts", "arts"): "arts",
        ("science/arts", "science"): "science",
        ("science/arts", "arts"): "arts_2",
        ("black/white", "pleasant"): "pleasant_5",
        ("black/white", "unpleasant"): "unpleasant_5b",
        ("flowers/insects", "pleasant"): "pleasant_5",
        ("flowers/insects", "unpleasant"): "unpleasant_5a",
    }
    found = attributes("corrected")
    assert found.keys() == expected.keys()
    for key, name in expected.items():
        assert found[key] == [plural.get(word, word) for word in weat[name]], key


def test_the_published_attributes_are_those_of_the_printed_rows():
    groups = printed.kurita_rows().groupby(["test", "attribute_group"], sort=False).attribute
    assert attributes("published") == {key: list(words.unique()) for key, words in groups}


def test_the_published_templates_are_those_of_the_printed_rows():
    ours, theirs = (
        table.groupby("test").template.unique().map(sorted).to_dict()
        for table in (kurita("published").fill(), printed.kurita_rows())
    )
    assert ours == theirs


def test_targets_fit_the_grammar_and_once_did_not():
    corrected, published = (kurita(variant).fill() for variant in ("corrected", "published"))
    for table, expected in (
        (corrected, ["The flower is love.", "The insect is love.", "Flowers are love.", "Insects are love."]),
        (published, ["the flowers is love.", "the bugs is love.", "flower are love.", "bug are love."]),
    ):
        chosen = table[(table.test == "flowers/insects") & (table.attribute == "love")]
        assert chosen.sentence.tolist() == expected


def test_capitals():
    """Cased models know names and the beginning of a sentence by them; the authors write lower case throughout."""
    corrected, published = (kurita(variant).fill() for variant in ("corrected", "published"))
    assert corrected.sentence.str[0].str.isupper().all()
    assert not published.sentence.str.contains("[A-Z]").any()
    assert "She likes Einstein." in set(corrected.sentence)
    assert "she likes einstein." in set(published.sentence)


@pytest.mark.parametrize("variant", ["corrected", "published"])
def test_the_columns_agree(variant):
    for row in kurita(variant).fill().itertuples():
        assert row.target_masked.count("[MASK]") == 1
        assert row.target_masked.replace("[MASK]", row.target) == row.sentence
        start = row.attribute_at
        assert row.target_masked[start : start + len(row.attribute)] == row.attribute
        expected = row.template.replace("{target}", row.target).replace("{attribute}", row.attribute)
        assert row.sentence.lower() == expected.lower()


def test_a_users_own_file(own):
    tests = own(OWN)
    table = tests.fill()
    assert tests.name == "own"
    assert len(table) == 2 * 4 * 3
    assert table.sentence[0] == "Christian people are kind."
    assert table.target_group.unique().tolist() == ["christian", "muslim", "jew"]
    assert "An honest neighbour is often muslim." in set(table.sentence)
    assert tests.problems() == []


def test_the_examples_of_the_docs(own):
    page = (Path(__file__).parents[3] / "docs" / "associations.md").read_text(encoding="utf-8")
    flowers, religion = (own(block) for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))
    assert flowers.problems() == religion.problems() == []
    assert "The rose is poisonous." in set(flowers.fill().sentence)
    assert "The Jewish family next door is kind." in set(religion.fill().sentence)


def test_some_tests_only():
    assert set(kurita().only("math/arts").fill().test) == {"math/arts"}
    with pytest.raises(DataError, match=r"kurita has no test 'maths' \(there are: career/family"):
        kurita().only("maths")


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("people are {attribute}.", "the template has no slot {target}"),
        ("{target} people are.", "the template has no slot {attribute}"),
        ("{target} and {target} are {attribute}.", "the template has the slot {target} 2 times"),
        ("{target} are {attribute}, {attribute}.", "the template has the slot {attribute} 2 times"),
        ("{target} of {place} are {attribute}.", "the template has an unknown slot {place}"),
        ("{target} [MASK] are {attribute}.", "the template has a [MASK] of its own"),
        ("{target}s are {attribute}.", "the slot {target} is a part of a longer word"),
    ],
)
def test_a_template_that_cannot_be_filled_is_named(own, template, reason):
    tests = own(OWN.replace("{target} people are {attribute}.", template))
    assert tests.problems() == [(template, reason)]
    assert len(tests.fill()) == 4 * 3


@pytest.mark.parametrize("nothing", [".nan", "null", "''", "' '"])
def test_an_empty_word_is_named(own, nothing):
    tests = own(OWN.replace("kind, honest", f"kind, {nothing}"))
    assert tests.problems() == [("good", "there is an empty attribute in the group 'good' of faith")]
    assert len(tests.fill()) == 2 * 3 * 3


def test_a_mask_is_no_word(own):
    """It would be asked about as if it were one, or hide the target's own mask."""
    tests = own(OWN.replace("kind, honest", "kind, '[MASK]'").replace("[jewish]", "[jewish, '{attribute}']"))
    assert tests.problems() == [
        ("[MASK]", "the attribute has a mask or a slot in it"),
        ("{attribute}", "the target has a mask or a slot in it"),
    ]
    assert len(tests.fill()) == 2 * 3 * 3


def test_an_empty_template_is_named(own):
    tests = own(OWN + "      - ~\n")
    assert tests.problems() == [("", "the template has no slot {target}")]


def test_nothing_to_fill_is_an_error(own):
    text = OWN.replace("{target}", "someone")
    with pytest.raises(DataError, match=r"no sentence in its corrected variant: .*no slot \{target\}"):
        own(text).fill()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("tests:", "tests: []\nothers:", "tests: Tuple should have at least 1 item"),
        ("bad: [cruel, greedy]", "", "faith needs two groups of attributes and has 1"),
        ("cruel, greedy", "cruel, kind", "the attribute 'kind' is there 2 times"),
        ("jew: [jewish]", "jew: [muslim]", "the target 'muslim' is there 2 times"),
        ("bad: [cruel, greedy]", "bad: []", "the attribute group 'bad' is empty"),
        ("muslim: [muslim], jew: [jewish]", "", "faith needs two groups of targets or more and has 1"),
        ("kind, honest", "no, honest", "False is no word; if it is meant as one, put it in quotes"),
        ("[kind, honest]", "kind", "attributes.good: Input should be a valid tuple"),
        ("name: faith", "nome: faith", "name: Field required"),
        ("tests:", "tests", "is not YAML"),
        (OWN, "", "is empty"),
        ("an {attribute} neighbour is often {target}.", "{target} people are {attribute}.", "2 times"),
    ],
)
def test_a_broken_file_is_one_line(own, old, new, message):
    assert old in OWN
    with pytest.raises(DataError) as error:
        own(OWN.replace(old, new))
    assert message in str(error.value)
    assert "own.yaml" in str(error.value)
    assert "\n" not in str(error.value)


def test_templates_must_have_the_same_groups(own):
    text = OWN + '      - {text: "my {target} is {attribute}.", targets: {christian: [a], muslim: [b]}}\n'
    with pytest.raises(DataError, match="different groups of targets: christian, muslim, jew and christian"):
        own(text)


def test_no_such_file(tmp_path):
    with pytest.raises(DataError, match="cannot read"):
        read_associations(tmp_path / "none.yaml")
