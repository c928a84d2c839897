"""Lists of verbs without and, and two people in one subject."""

import pytest

from counterpoise.text import Swapper

SWAPPER = Swapper("pro")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She comes, sees, conquers.", "They come, see, conquer."),
        ("She laughs, cries, screams.", "They laugh, cry, scream."),
        ("She walks; sits; sleeps.", "They walk; sit; sleep."),
        ("He is old; has no teeth.", "They are old; have no teeth."),
        ("He gives up his job, sells the house.", "They give up their job, sell the house."),
        ("She sells apples, pears, plums.", "They sell apples, pears, plums."),
        ("She sells books; rings; hats.", "They sell books; rings; hats."),
        ("She has a brother who sings, sleeps.", "They have a brother who sings, sleeps."),
        ("She is here; there is no doubt.", "They are here; there is no doubt."),
        ("Her claim, she says, is true.", "Their claim, they say, is true."),
        ("She focusses on it and discusses it.", "They focus on it and discuss it."),
    ],
)
def test_lists_without_and(text, expected):
    assert SWAPPER.swap(text, "they") == expected


@pytest.mark.parametrize(
    "text",
    [
        "She is old, is tired.",
        "She sits down, starts to cry.",
        "She knows that it works; is happy.",
        "Neither he nor she knows.",
        "I saw neither him nor her.",
        "Either he or she is lying.",
        "It was she, not he, who won.",
    ],
)
def test_what_could_be_read_in_two_ways_is_left(text):
    assert SWAPPER.changes(text, "they") == ([], [(0, len(text))])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ask whether he or she is lying.", "Ask whether they are lying."),
        ("Either he or Ann is lying.", "Either they or Ann is lying."),
        ("Neither he nor her brother knows.", "Neither they nor their brother knows."),
    ],
)
def test_one_person_of_either_gender(text, expected):
    assert SWAPPER.swap(text, "they") == expected
