import pytest

from counterpoise.text import Swapper

SWAPPER = Swapper("pro")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He, who lives here, knows.", "They, who live here, know."),
        ("She, who sings and dances, knows and leaves.", "They, who sing and dance, know and leave."),
        ("She, whose house it was, is gone.", "They, whose house it was, are gone."),
        ("Nobody knows better than he, who is ill.", "Nobody knows better than they, who are ill."),
        ("It was she that was late.", "It was they that were late."),
        ("It is he that does it.", "It is they that do it."),
        ("It wasn't he who was asked.", "It wasn't they who were asked."),
        ("It is he that she trusts.", "It is they that they trust."),
        ("He who comes and goes is free.", "They who come and go are free."),
        ("Is he that tall?", "Are they that tall?"),
    ],
)
def test_verbs_after_who(text, expected):
    assert SWAPPER.swap(text, "they") == expected


@pytest.mark.parametrize(
    "text",
    [
        "It is he that does it and pays.",
        "He who knows that it is true wins.",
        "She, who I know is ill, sleeps.",
    ],
)
def test_verbs_that_could_be_those_of_another_clause_are_left(text):
    assert SWAPPER.changes(text, "they") == ([], [(0, len(text))])
