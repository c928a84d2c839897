import pytest

from counterpoise.text import Swapper

SWAPPER = Swapper("pro")


@pytest.mark.parametrize(
    "text",
    [
        "That dog of {his} bites.",
        "Every word of {his} matters and is true.",
        "These plans of {his} failed.",
        "A cousin of {his} lives in Oslo.",
        "Those shoes of {his} squeak.",
        "No friend of {his} would say that.",
        "I met two friends of {his} at home.",
        "My car is blue, and {his} isn't.",
        "And {his} was red.",
    ],
)
def test_his_alone_is_hers_and_theirs(text):
    for to, form in (("female", "hers"), ("they", "theirs")):
        assert SWAPPER.swap(text.format(his="his"), to) == text.format(his=form)


@pytest.mark.parametrize(
    "text",
    [
        "A friend of his wife called.",
        "A page of his books is torn.",
        "A few of his plays failed.",
        "None of his plans failed.",
        "Any other of his works, I think, is better.",
        "This plan of his failed marriage.",
        "That thing of his will be done.",
        'Some wit of his "wit" is old.',
    ],
)
def test_his_before_a_noun_stays_a_determiner(text):
    assert " of her " in SWAPPER.swap(text, "female")
    assert " of their " in SWAPPER.swap(text, "they")
