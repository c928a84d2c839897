"""Sentences end where a reader would say so."""

from __future__ import annotations

import pytest

from counterpoise.text.sentences import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She left. He stayed.", ["She left.", "He stayed."]),
        ('He said "No!" Then he left.', ['He said "No!"', "Then he left."]),
        ("(She left.) He stayed.", ["(She left.)", "He stayed."]),
        ("We met Mx. Hill there.", ["We met Mx. Hill there."]),
        ("Mr. J.R.R. Tolkien met Dr. B. Smith.", ["Mr. J.R.R. Tolkien met Dr. B. Smith."]),
        (
            "It cost 3.50 in the U.S. in 1950... And then?",
            ["It cost 3.50 in the U.S. in 1950...", "And then?"],
        ),
        ("She and I. You too.", ["She and I.", "You too."]),
        ("Great film!<br /><br />see it.", ["Great film!", "see it."]),
        ("a title\n\na line that\nis broken", ["a title", "a line that\nis broken"]),
        ("no end here", ["no end here"]),
        (" \n ", []),
    ],
)
def test_cuts(text, expected):
    assert sentences(text) == expected


def test_nothing_but_space_is_lost(data_file):
    for text in data_file("gap/gap-validation.tsv").read_text().splitlines():
        assert "".join("".join(sentences(text)).split()) == "".join(text.split())
