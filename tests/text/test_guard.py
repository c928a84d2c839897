import pytest

from counterpoise.text.swap import Swapper

GUARDED = Swapper("all", guard=True)


@pytest.mark.parametrize(
    ("text", "to", "absurd"),
    [
        ("She gave birth.", "male", True),
        ("She gave birth.", "female", False),
        ("It rained. She is pregnant! He left.", "flip", True),
        ("Birth rates fell. She left.", "male", False),
        ("He had a vasectomy.", "female", True),
        ("He had a vasectomy.", "male", False),
        ("There was a pregnancy. She left.", "male", False),  # another sentence
        ("She gave birth.", "remove", False),
    ],
)
def test_bodies(text, to, absurd):
    assert GUARDED.is_absurd(text, to) is absurd
    assert (GUARDED.swap(text, to) == text) or not absurd


@pytest.mark.parametrize(
    "text",
    ["Oh my God!", "You can count on it.", "a host of problems", "Stephen King", "a chick flick",
     "in Boston, MA", "master's degree", "Mother Nature", "the Marx Brothers"],
)  # fmt: skip
def test_phrases_in_which_the_word_is_no_person_are_kept(text):
    assert GUARDED.swap(text, "flip") == text
    assert Swapper("all").swap(text, "flip") != text


def test_shouting_is_no_abbreviation():
    assert GUARDED.swap("MA AND PA LEFT", "flip") == "PA AND MA LEFT"
