"""GAP (4,454 texts): the pronouns change places exactly; and the authors' flipped file, difference by
difference.
"""

import json
import re
from collections import Counter

import pandas as pd
import pytest

from counterpoise.text.swap import Swapper

PRONOUNS = ("he", "she", "him", "her", "his", "hers", "himself", "herself")
TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")


@pytest.fixture(scope="module")
def texts(data_file):
    parts = [data_file(f"gap/gap-{name}.tsv") for name in ("development", "test", "validation")]
    table = pd.concat([pd.read_csv(part, sep="\t") for part in parts])
    assert len(table) == 4454
    return dict(zip(table["ID"], table["Text"], strict=True))


def counts(texts):
    counted = Counter(
        word for text in texts for word in re.findall(r"[^\W_]+", text.lower()) if word in PRONOUNS
    )
    return {word: counted[word] for word in PRONOUNS}


@pytest.mark.parametrize("terms", ["pro", "all"])
def test_under_flip_the_pronouns_change_places_exactly(texts, terms):
    swapper = Swapper(terms)
    before = counts(texts.values())
    after = counts(swapper.swap(text, "flip") for text in texts.values())
    assert (after["he"], after["she"]) == (before["she"], before["he"])
    assert (after["himself"], after["herself"]) == (before["herself"], before["himself"])
    assert after["him"] + after["his"] == before["her"] + before["hers"]
    assert after["her"] + after["hers"] == before["him"] + before["his"]


def test_the_texts_are_those_of_the_paper(texts):
    known = {"he": 3042, "she": 2690, "him": 915, "her": 3760, "his": 3428, "himself": 119, "herself": 74}
    before = counts(texts.values())
    assert {word: before[word] for word in known} == known


@pytest.mark.parametrize("to", ["female", "male"])
def test_no_pronoun_of_the_other_gender_is_left(texts, to):
    gone = ("he", "him", "his", "himself") if to == "female" else ("she", "her", "hers", "herself")
    swapper = Swapper("pro")
    after = counts(swapper.swap(text, to) for text in texts.values())
    assert {word: after[word] for word in gone} == dict.fromkeys(gone, 0)


def test_every_difference_to_the_authors_flipped_file_has_a_reason(texts, data_file):
    """Token by token: the original, our flip, theirs. Their 124 pairs and 1,000 names are those of Hall
    Maudslay.
    """
    table = pd.read_csv(data_file("bec-pro/gap_flipped.tsv.xz"), sep="\t", index_col=0)
    pairs = {
        word for pair in json.loads(data_file("cds/cda_default_pairs.json").read_text()) for word in pair
    }
    names = {
        n for pair in json.loads(data_file("cds/names_pairs_1000_scaled.json").read_text()) for n in pair
    }
    swapper = Swapper("all")
    kinds = Counter()
    other_lengths = 0
    for key, theirs in zip(table["ID"], table["Text"], strict=True):
        ours = swapper.swap(texts[key], "flip")
        tokens = [TOKEN.findall(text) for text in (texts[key], ours, theirs)]
        if len({len(some) for some in tokens}) > 1:
            other_lengths += 1  # a pair of one word and several, such as best man
            continue
        kinds.update(kind(*three, pairs, names) for three in zip(*tokens, strict=True))
    del kinds["unchanged"], kinds["alike"]
    assert other_lengths == 4
    assert kinds["unexplained"] == 0
    assert kinds["only we: himself, herself"] == 193  # 119 + 74, which their pairs lack
    assert set(kinds) <= {
        "only they: a name",
        "only they: a pair that we use one way or not at all",
        "only we: himself, herself",
        "only we: a term that they lack",
        "only we: missed by them",
        "her: his or him",
        "his: her or hers",
        "another partner",
        "case",
    }


def kind(old, ours, theirs, pairs, names):
    word = old.lower()
    if ours == theirs:
        return "unchanged" if ours == old else "alike"
    if theirs == old:
        if word in ("himself", "herself"):
            return "only we: himself, herself"
        return "only we: missed by them" if word in pairs else "only we: a term that they lack"
    if ours == old:
        if word in pairs:
            return "only they: a pair that we use one way or not at all"
        return "only they: a name" if word in names else "unexplained"
    if ours.lower() == theirs.lower():
        return "case"
    return {"her": "her: his or him", "his": "his: her or hers"}.get(word, "another partner")
