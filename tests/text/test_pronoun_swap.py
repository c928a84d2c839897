"""The swap to other pronouns: 360 sentences of our own, judged by hand, and Winogender's sentences with they."""

import csv
from collections import Counter
from pathlib import Path

import pytest

import counterpoise as cp
from counterpoise.core.errors import InputError
from counterpoise.text.edits import apply
from counterpoise.text.versions import check_method, versions

SWAPPER = cp.text.Swapper("pro")
SENTENCES = Path(__file__).with_name("they_sentences.csv")


def outcomes(part, to):
    """How many sentences come out as written down beforehand, are left alone, or come out otherwise."""
    counted = Counter()
    with SENTENCES.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["part"] == part:
                edits, unsure = SWAPPER.changes(row["sentence"], to)
                right = apply(row["sentence"], edits) == row[to]
                counted["right" if right else "left" if unsure else "wrong"] += 1
    return counted


@pytest.mark.parametrize(
    ("part", "to", "n", "right", "wrong"),
    [
        ("tuning", "they", 200, 199, 0),
        ("tuning", "xe", 200, 200, 0),
        ("held out", "they", 100, 95, 2),
        ("held out", "xe", 100, 99, 1),
        ("weak spots", "they", 60, 56, 0),
        ("weak spots", "xe", 60, 60, 0),
    ],
)
def test_our_sentences(part, to, n, right, wrong):
    """docs/text.md prints these figures; the rules were not tuned on the part that is held out, but on the others."""
    counted = outcomes(part, to)
    assert counted.total() == n
    assert counted["right"] >= right
    assert counted["wrong"] <= wrong


def test_winogender_becomes_what_its_authors_wrote(data_file):
    with data_file("winogender/all_sentences.tsv").open(encoding="utf-8") as file:
        sentences = {row["sentid"]: row["sentence"] for row in csv.DictReader(file, delimiter="\t")}
    gendered = [name for name in sentences if ".neutral." not in name]
    assert len(gendered) == 480
    for name in gendered:
        neutral = name.replace(".female.", ".neutral.").replace(".male.", ".neutral.")
        assert SWAPPER.swap(sentences[name], "they") == sentences[neutral]
        assert SWAPPER.changes(sentences[name], "they").unsure == []
    of_they = [sentence for name, sentence in sentences.items() if ".neutral." in name]
    assert len(of_they) == 240
    assert all(SWAPPER.changes(sentence, "they") == ([], []) for sentence in of_they)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SHE'S HERE AND SHE ISN'T TIRED.", "THEY'RE HERE AND THEY AREN'T TIRED."),
        ("She’s gone, hasn’t she?", "They’re gone, haven’t they?"),
        ("she doesnt know", "they dont know"),
        ("Where's she going? Where's he been?", "Where are they going? Where have they been?"),
        ('"Come," says she.', '"Come," say they.'),
        ("He double-checks it.", "They double-check it."),
        ("Dr. Hill, she says, is in.", "Dr. Hill, they say, is in."),
        ("S/he is here, and (s)he waits for him/her.", "They are here, and they wait for them."),
        ("He or she hurt himself or herself.", "They hurt themself."),
        ("Is it a she-wolf?", "Is it a she-wolf?"),
        ("It is she. It was he who knows.", "It is they. It was they who know."),
        ("She and I are late.", "They and I are late."),
        ("She sees Mr. Brown and leaves.", "They see Mr. Brown and leave."),
        ("They think it is.", "They think it is."),
        ("He's drunk it. She's called Ann.", "They've drunk it. They're called Ann."),
    ],
)
def test_they(text, expected):
    assert SWAPPER.swap(text, "they") == expected
    assert SWAPPER.changes(text, "they").unsure == []


@pytest.mark.parametrize(
    "text",
    [
        "He and she left.",
        "His and hers are alike.",
        "Is it a he?",
        'The word "she" is short.',
        "He's given the book.",
        "She's portrayed as a saint.",
        "He's drunk.",
        "She's just called.",
        "Shes late.",
        "Ann does what he likes and laughs.",
        "She knows that it works and is cheap.",
        "He likes music and plays.",
    ],
)
def test_what_can_be_read_in_two_ways_is_left_and_named(text):
    assert SWAPPER.changes(text, "they") == ([], [(0, len(text))])
    assert SWAPPER.swap(f"She left. {text}", "they") == f"They left. {text}"


def test_reflexives_are_those_of_the_set(tmp_path):
    path = tmp_path / "they_themselves.yaml"
    forms = cp.text.pronoun_set("they").forms | {"reflexive": "themselves", "plural": "true"}
    path.write_text("\n".join(f"{name}: {form}" for name, form in forms.items()), encoding="utf-8")
    assert SWAPPER.swap("She hurts herself.", "they") == "They hurt themself."
    assert SWAPPER.swap("She hurts herself.", path) == "They hurt themselves."
    [version] = versions(SWAPPER, "She hurts herself.", str(path))
    assert (version.name, version.text) == ("they_themselves", "They hurt themselves.")


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ("ze", "Ze is sure zir hat is zirs."),
        ("ey", "Ey is sure eir hat is eirs."),
        ("fae", "Fae is sure faer hat is faers."),
        ("he", "He is sure his hat is his."),
        ("she", "She is sure her hat is hers."),
    ],
)
def test_other_sets_keep_the_verbs(to, expected):
    assert SWAPPER.swap("She is sure her hat is hers.", to) == expected


def test_edits_are_in_order_and_what_they_say(data_file):
    with data_file("gap/gap-validation.tsv").open(encoding="utf-8") as file:
        texts = [row["Text"] for row in csv.DictReader(file, delimiter="\t")][:100]
    neutral = cp.text.Swapper("all")
    for text in texts:
        done = 0
        for edit in neutral.edits(text, "neutral"):
            assert edit.start >= done
            assert text[edit.start : edit.end] == edit.old != edit.new
            done = edit.end


def test_unknown_targets_and_settings_that_do_not_fit():
    with pytest.raises(InputError, match="did you mean 'they'"):
        SWAPPER.swap("She left.", "thye")
    with pytest.raises(InputError, match="did you mean 'they'"):
        check_method("thye")
    with pytest.raises(InputError, match="first names have no they version"):
        cp.text.Swapper(names=True).swap("She left.", "they")
    with pytest.raises(InputError, match="it has no xe"):
        cp.text.Swapper(variant="published").swap("She left.", "xe")


def test_augment_counts_what_is_left():
    made = cp.text.augment(["She sings.", "He and she left."], method="they")
    assert made.texts == ["They sing.", "He and she left."]
    assert made.versions == ["they", "they"]
    assert made.unsure == 1
