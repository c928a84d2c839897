from __future__ import annotations

from counterpoise.data.thirdparty.masking import mask_differences


def test_words_that_differ_are_masked():
    assert mask_differences("he came.", "she came.", "they came.") == (
        "[MASK] came.",
        [("he", "she", "they")],
    )
    assert mask_differences("It is his.", "It is hers.") == ("It is [MASK].", [("his", "hers")])


def test_no_difference_and_other_lengths():
    assert mask_differences("He sings.", "He sings.") == ("He sings.", [])
    assert mask_differences("He sings.", "He sings well.") is None


def test_what_stands_between_words_counts():
    assert mask_differences("He sings, often.", "He sings often.") == (
        "He sings[MASK]often.",
        [(", ", " ")],
    )
