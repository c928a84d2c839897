import pytest

from counterpoise.text.swap import Swapper

SWAPPER = Swapper("all")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The waitress is a businesswoman.", "The server is a businessperson."),
        ("A policeman married an heiress.", "A police officer married an heir."),
        ("She is an aunt and HE IS A FIREMAN.", "They are a relative and THEY ARE A FIREFIGHTER."),
        ("Boys and girls, men or women", "Children, people"),
        ("Her mother and father left.", "Their parents left."),
        ("Mr. Hill and Mrs. Hill saw Ms Lee.", "Mx. Hill and Mx. Hill saw Mx Lee."),
        ("Mr./Mrs. Hill, or Mr or Mrs Lee", "Mx. Hill, or Mx Lee"),
        ("Miss Brown met Mister Hill.", "Mx Brown met Mx Hill."),
        ("I miss Brown. I Miss You. Hey, mister!", "I miss Brown. I Miss You. Hey, mister!"),
        ("My brother's wife's sons", "My sibling's spouse's children"),
        ("A Frenchwoman laughs.", "A French person laughs."),
        ("Women sing, and a manager listens.", "People sing, and a manager listens."),
        ("She mothers him.", "They mother them."),
        ("A king and a duchess", "A king and a duchess"),  # titles stay
    ],
)
def test_nouns(text, expected):
    assert SWAPPER.swap(text, "neutral") == expected
    assert SWAPPER.changes(text, "neutral").unsure == []


@pytest.mark.parametrize(
    "text",
    [
        "I told Mom.",
        "Uncle Bob is here.",
        "A man and a woman met.",
        "She saw Lady Gaga.",
        "Mr and Mrs Hill left.",
        "Mr. and Mrs. Hill left.",
    ],
)
def test_names_and_two_people_are_left(text):
    assert SWAPPER.changes(text, "neutral") == ([], [(0, len(text))])


def test_the_guard_keeps_what_is_no_person():
    assert Swapper("all", guard=True).swap("He is a spider-man of old wives' tales.", "neutral") == (
        "They are a spider-man of old wives' tales."
    )


def test_pronoun_sets_leave_the_nouns():
    assert SWAPPER.swap("Her brother says he is ill.", "they") == "Their brother says they are ill."


def test_a_set_without_neutral_words_changes_pronouns():
    assert Swapper("pro").swap("He is my brother.", "neutral") == "They are my brother."
