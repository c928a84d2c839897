"""Clauses that say something about a noun: its verb comes after the pronoun's, and what is joined to it stays."""

import pytest

from counterpoise.text import Swapper

SWAPPER = Swapper("pro")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cat she feeds sleeps and eats.", "The cat they feed sleeps and eats."),
        ("The cat that she feeds sleeps and eats.", "The cat that they feed sleeps and eats."),
        ("The man whom she loves hates dogs and cats.", "The man whom they love hates dogs and cats."),
        ("The boy who she tutors fails and gives up.", "The boy who they tutor fails and gives up."),
        ("The company he runs grows and hires people.", "The company they run grows and hires people."),
        ("The job she has pays well and is fun.", "The job they have pays well and is fun."),
        ("What she does matters and is good.", "What they do matters and is good."),
        ("Anyone she meets likes her and stays.", "Anyone they meet likes them and stays."),
        ("The book he wrote sells and is good.", "The book they wrote sells and is good."),
        (
            "Everything he says is wrong and makes no sense.",
            "Everything they say is wrong and makes no sense.",
        ),
        ("All he does is drink and falls.", "All they do is drink and falls."),
        ("The man she loves and fears is dead.", "The man they love and fear is dead."),
        ("At the station she buys books and leaves.", "At the station they buy books and leave."),
        ("Every day he feeds cats and walks dogs.", "Every day they feed cats and walk dogs."),
        ("I know the bar he owns and runs.", "I know the bar they own and run."),
    ],
)
def test_the_verb_of_the_noun_is_not_the_pronouns(text, expected):
    assert SWAPPER.swap(text, "they") == expected


@pytest.mark.parametrize(
    "text",
    [
        "The house where he lives stands on a hill and has a garden.",
        "The book he wrote sold well and is good.",  # sold and is, or wrote and is?
        "The man she works for laughs and leaves.",
        "The man she gives rings and loves is dead.",
        "He says the cat she feeds sleeps and eats.",
        "The phone he carries beeps and is loud.",  # a word that the lists do not know
    ],
)
def test_where_either_could_go_on_the_sentence_is_left(text):
    assert SWAPPER.changes(text, "they") == ([], [(0, len(text))])
