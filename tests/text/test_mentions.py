"""Which texts mention men and women."""

from __future__ import annotations

import pytest

from counterpoise.text import Term, TermSet
from counterpoise.text.mentions import mentions


@pytest.mark.parametrize(
    ("text", "male", "female"),
    [
        ("HE left.", True, False),
        ("she's here", False, True),
        ("The heroine of the shelf", False, True),  # neither he nor she is a word there
        ("Mankind and the manager", False, False),
        ("Her husband", True, True),
        ("It rains.", False, False),
        ("", False, False),
    ],
)
def test_words_are_found_whole(text, male, female):
    found = mentions([text])
    assert (found["male"][0], found["female"][0]) == (male, female)


def test_a_set_of_ones_own():
    own = TermSet("mine", (Term("king", "queen"), Term("manager", "manageress", direction="to_male")))
    found = mentions(["he is king", "she is a manageress", "a manager"], own)
    assert found["male"].tolist() == [True, False, False]
    assert found["female"].tolist() == [False, True, False]
