import pytest

from counterpoise.text import clean


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm sure that the folks on the Texas/Louisiana", "i m sure that the folks on the texas louisiana"),
        ("\"All the world's a stage", "all the world s a stage"),
        ("watch-abi", "watch abi"),
        ("The Guardian.A", "the guardiana"),
        ("good.<br /><br />Bad <br /> *~`&", "good bad <br  > *~`&"),
        ("[a] (b); c: d! e? f,", "a b c d e f"),
    ],
)
def test_goldens_of_the_authors_notebooks_and_rules(text, expected):
    assert clean(text) == expected


def test_tweets_lose_their_mentions():
    assert clean("@Anna_1: hi, @bob", twitter=True) == " hi "
