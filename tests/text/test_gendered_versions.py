"""The two versions of a text and where they differ."""

from __future__ import annotations

from counterpoise.text import Swapper
from counterpoise.text.gendered_versions import gendered_versions

TEXT = "The manageress told her uncle that s/he and the king had met HIM."


def test_the_versions_are_those_of_the_swapper():
    for swapper in (
        Swapper("all"),
        Swapper("pro"),
        Swapper("all", variant="published"),
        Swapper("all", names=True),
    ):
        for text in (TEXT, TEXT.lower(), "It rains.", "Anna met Paul; he saw her."):
            both = gendered_versions(swapper, text)
            assert both.male == swapper.swap(text, "male")
            assert both.female == swapper.swap(text, "female")


def test_places_give_both_versions():
    for text in (TEXT, "He told her son.", "S/he left his or her hat."):
        both = gendered_versions(Swapper("all"), text)
        assert both.only_at(lambda place: True) == (both.male, both.female)


def test_shown_and_alone():
    both = gendered_versions(Swapper("all"), "He told his aunt.")
    assert both.marked == "{He|She} told {his|her} {uncle|aunt}."
    assert [place.pair for place in both.places] == ["he/she", "his/her", "uncle/aunt"]
    assert both.only_at(lambda place: place.pair == "uncle/aunt") == (
        "He told his uncle.",
        "He told his aunt.",
    )
