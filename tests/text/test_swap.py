import unicodedata
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from counterpoise.core.errors import InputError
from counterpoise.text import terms
from counterpoise.text.edits import apply
from counterpoise.text.matching import key, lower, pattern
from counterpoise.text.swap import Swapper
from counterpoise.text.term_sets import Choice

ALL = terms.load("all")
SWAPPER = Swapper("all")

# Pairs that are one to one in both directions: no third word leads to either, and grammar has no say.
_FEMALE = list(ALL.to_female.values())
_MALE = list(ALL.to_male.values())
ONE_TO_ONE = [
    (male, female)
    for male, female in ALL.to_female.items()
    if isinstance(female, str)
    and ALL.to_male.get(female) == male
    and _FEMALE.count(female) == 1
    and _MALE.count(male) == 1
    and " " not in male + female
]
fillers = st.sampled_from(
    ["saw", "the", "and", ",", "!", " ", "\n", "<br />", "-in-law", "'s", "’ll", "co-", "_", "émigré", "İ",
     "ß", "日本", "\U0001f469", "e\u0301", "42", '"', "(", ")", "\t", "\u00a0", "\x00"]
)  # fmt: skip
cases = st.sampled_from([str.lower, str.title, str.upper])


def _written(word, case):
    return word if {"'", "’"} & set(word) else case(word)  # str.title would make Ma'Am


def texts_of(words):
    """Text made of these words in any case, glued to or parted by anything."""
    word = st.builds(
        lambda w, case: case(w) if "'" not in w and "’" not in w else w, st.sampled_from(sorted(words)), cases
    )
    return st.lists(
        st.tuples(word | fillers, st.sampled_from([" ", " ", " ", "\n", ". ", "-", "/"])), max_size=25
    ).map(lambda parts: "".join(piece + gap for piece, gap in parts))


@given(texts_of({word for pair in ONE_TO_ONE for word in pair} - {"man", "woman"}))
@settings(max_examples=400)
def test_flipping_twice_gives_the_text_back(text):
    assert SWAPPER.swap(SWAPPER.swap(text, "flip"), "flip") == text


def test_most_pairs_are_one_to_one():
    assert len(ONE_TO_ONE) >= 341


@pytest.mark.slow
@pytest.mark.parametrize(("to", "leftover"), [("male", ALL.to_male), ("female", ALL.to_female)])
@pytest.mark.parametrize("set_name", ["pro", "weat", "all", "german"])
@given(data=st.data())
@settings(max_examples=60)
def test_no_term_of_the_other_gender_is_left(set_name, to, leftover, data):
    words = terms.load(set_name)
    leftover = words.to_male if to == "male" else words.to_female
    text = data.draw(texts_of({*words.to_male, *words.to_female, "s/he", "(s)he"}))
    swapped = Swapper(set_name).swap(text, to)
    assert [m[0] for m in pattern(leftover).finditer(lower(swapped)) if key(m[0]) in leftover] == []


@given(
    texts_of({*ALL.to_male, *ALL.to_female}) | st.text(),
    st.sampled_from(["male", "female", "flip", "remove"]),
)
@settings(max_examples=300)
@example("with her mother's.", "remove")
def test_edits_are_exact_ordered_and_give_the_swap(text, to):
    edits = SWAPPER.edits(text, to)
    assert all(text[e.start : e.end] == e.old != e.new for e in edits)
    assert all(a.end <= b.start for a, b in pairwise(edits))
    assert apply(text, edits) == SWAPPER.swap(text, to)


@given(st.text(), st.sampled_from(["male", "female", "flip", "remove"]))
def test_text_without_terms_comes_back_identical(text, to):
    if not pattern({*ALL.to_male, *ALL.to_female, "s/he", "(s)he"}).search(lower(text)):
        assert SWAPPER.swap(text, to) == text


@pytest.mark.parametrize(
    ("text", "to", "expected"),
    [
        ("He told his mother.", "female", "She told her mother."),
        ("her", "male", "him"),  # first and last word at once
        ("She’ll see; she's HERS, SHE'D say", "male", "He’ll see; he's HIS, HE'D say"),
        ("My mother's mothers' Mother", "male", "My father's fathers' Father"),
        ("mother-in-law, co-actress, Mothers-In-Law", "male", "father-in-law, co-actor, Fathers-In-Law"),
        ("good.<br /><br />She is<br />a QUEEN", "male", "good.<br /><br />He is<br />a KING"),
        ("my best man, the Best\n Men", "female", "my maid of honor, the Maids of honor"),
        ("yes, ma'am. Ma, MA’AM", "male", "yes, sir. Pa, SIR"),
        ("s/he or (s)he or S/he", "male", "he or he or He"),
        ("s/he or (s)he or S/he", "flip", "s/he or (s)he or S/he"),
        ("_she_ and *her* cat", "male", "_he_ and *his* cat"),
        (
            "sheriff, hero's, theme, others, ashes, heroin",
            "flip",
            "sheriff, heroine's, theme, others, ashes, heroin",
        ),
        ("Mrs. Smith, Ms Jones", "male", "Mr. Smith, Mr Jones"),
        ("Mr. Smith", "female", "Ms. Smith"),
        ("The lesbian manageress", "male", "The gay manager"),
        ("The gay manager", "female", "The gay manager"),
        ("Sie ist", "male", "Sie ist"),
    ],
)
def test_examples(text, to, expected):
    assert SWAPPER.swap(text, to) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I saw her mother today.", "I saw today."),
        ("She left with him.", "left with."),
        ("(his) hat, her's", "() hat,"),
        ("My mother-in-law's house, Mr. Bean", "My house, Bean"),
        ("a co-actress", "a co"),
        ("he, she and they", ", and they"),
        ("no terms  here ", "no terms  here "),
        ("one\nHe two", "one\ntwo"),
    ],
)
def test_remove_leaves_tidy_spacing(text, expected):
    assert SWAPPER.swap(text, "remove") == expected


def test_untouched_bytes_stay():
    text = "\ufeff  tabs\t\r\n she \u2028 \x00 e\u0301"
    assert SWAPPER.swap(text, "male") == text.replace("she", "he")


def test_decomposed_accents_stay_decomposed():
    text = unicodedata.normalize("NFD", "Her fiancée.")
    assert SWAPPER.swap(text, "flip") == unicodedata.normalize("NFD", "His fiancé.")


def test_another_chooser_of_pronouns_is_asked():
    asked = []

    def always_object(text, word, spans):
        asked.append((word, [text[s:e] for s, e in spans]))
        return [False] * len(spans)

    assert Swapper("pro", pronouns=always_object).swap("Her cat saw her.", "male") == "Him cat saw him."
    assert asked == [("her", ["Her", "her"])]


def test_a_set_without_the_choice_needs_no_grammar():
    assert isinstance(ALL.to_male["her"], Choice)
    only = terms.TermSet("mine", (terms.Term("him", "her"),))
    assert Swapper(only).swap("her book", "male") == "him book"


def test_german_as_far_as_bec_pro_needs():
    swapper = Swapper("german")
    assert (
        swapper.swap("Mein Bruder arbeitet als Verkäufer.", "female")
        == "Meine Schwester arbeitet als Verkäuferin."
    )
    assert swapper.swap("Diese Frau will Richterin werden.", "male") == "Dieser Mann will Richter werden."


def test_wrong_options_are_one_clear_line():
    with pytest.raises(InputError, match=r"there is no target 'mael' .*did you mean 'male'"):
        SWAPPER.swap("she", to="mael")
    with pytest.raises(InputError, match="there is no variant 'paper'"):
        Swapper(variant="paper")
