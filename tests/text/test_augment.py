import pytest

from counterpoise import text as cp_text
from counterpoise.core.errors import InputError
from counterpoise.text import augment
from counterpoise.text.versions import coin

TEXTS = ["He left.", "It rains.", "The queen saw him."]


def test_cda_gives_each_text_and_its_flipped_copy():
    made = augment(TEXTS, method="cda", labels=["a", "b", "c"])
    assert made.texts == [
        "He left.",
        "She left.",
        "It rains.",
        "It rains.",
        "The queen saw him.",
        "The king saw her.",
    ]
    assert made.labels == ["a", "a", "b", "b", "c", "c"]
    assert made.sources == [0, 0, 1, 1, 2, 2]


def test_mix_gives_an_all_male_and_an_all_female_copy():
    texts, labels, sources = augment(TEXTS, method="mix")
    assert texts[4:] == ["The king saw him.", "The queen saw her."]
    assert labels == ["male", "female"] * 3
    assert sources == [0, 0, 1, 1, 2, 2]


def test_remove_gives_one_copy_without_terms():
    assert augment(TEXTS, method="remove").texts == ["left.", "It rains.", "The saw."]


def test_cds_is_seeded_fair_and_one_copy_each():
    texts = ["He left."] * 2000
    one, again, other = (augment(texts, method="cds", terms="pro", seed=seed) for seed in (0, 0, 1))
    assert one.texts == again.texts != other.texts
    assert one.sources == list(range(2000))
    flipped = one.versions.count("flip")
    assert one.texts.count("She left.") == flipped
    assert abs(flipped - 1000) < 4 * 22.4  # four standard deviations of a fair coin


def test_texts_of_a_group_share_the_coin():
    groups = [i // 5 for i in range(500)]
    versions = augment(["He left."] * 500, method="cds", terms="pro", groups=groups).versions
    assert all(len(set(versions[i : i + 5])) == 1 for i in range(0, 500, 5))
    assert len(set(versions)) == 2


def test_the_coin_does_not_depend_on_the_order():
    assert [coin(3, i) for i in (5, 1, 5)] == [coin(3, 5), coin(3, 1), coin(3, 5)]


def test_the_guard_leaves_absurd_texts_alone_and_counts_them():
    texts = ["She gave birth to a boy.", "She left.", "Oh my god, she left."]
    guarded = augment(texts, method="male", guard=True)
    assert guarded.texts == ["She gave birth to a boy.", "He left.", "Oh my god, he left."]
    assert guarded.guarded == 1
    assert augment(texts, method="male").texts[0] == "He gave birth to a boy."
    flipped = augment(texts, method="flip", guard=True)
    assert flipped.texts[2] == "Oh my god, he left."
    assert augment(texts, method="flip").texts[2] == "Oh my goddess, he left."


def test_the_balance_before_and_after():
    made = augment(["He and he told Mary.", "She left."], method="cda", terms="pro", names=True)
    assert made.before == cp_text.Balance(
        texts=2,
        female_terms=1,
        male_terms=2,
        female_pronouns=1,
        male_pronouns=2,
        female_names=1,
        male_names=0,
    )
    after = made.after
    assert (after.female_pronouns, after.male_pronouns) == (3, 3)
    assert (after.female_names, after.male_names) == (1, 1)
    assert after.table().loc["pronouns", "share_male"] == 0.5


def test_wrong_input_is_one_clear_line():
    with pytest.raises(InputError, match=r"there is no method 'cdx' .*did you mean 'cd[as]'"):
        augment(TEXTS, method="cdx")
    with pytest.raises(InputError, match="there are 3 texts but 1 labels"):
        augment(TEXTS, labels=[1])
