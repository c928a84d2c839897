"""Reminders: balanced, deterministic, with the word's own pronouns, and not the sentences that are measured with."""

from __future__ import annotations

import re
from collections import Counter

import pytest

import counterpoise as cp
from counterpoise.core.errors import CounterpoiseError, DataError, InputError
from counterpoise.data.spec import read_spec
from counterpoise.mitigate.finetune.reminders import (
    ReminderSpec,
    control_reminders,
    controlled_words,
    load_reminders,
    read_reminders,
    reminders,
)

GENDERS = {entry.word: entry.gender for entry in read_spec("reminders", ReminderSpec).words}
PRONOUNS = {"male": {"he", "his", "him", "himself"}, "female": {"she", "her", "hers", "herself"}}


def words_of(text):
    return re.findall(r"\[mask\]|[\w-]+", text.lower())


def test_words_and_genders_are_in_balance():
    assert Counter(GENDERS.values()) == {"female": 8, "male": 8}
    some = reminders(160)
    assert len(set(some)) == 160
    by_gender = Counter(
        gender for text in some for gender, pronouns in PRONOUNS.items() if pronouns & set(words_of(text))
    )
    assert by_gender == {"female": 80, "male": 80}


@pytest.mark.parametrize(("word", "gender"), GENDERS.items())
def test_every_sentence_has_pronouns_of_its_gender_and_none_of_the_other(word, gender):
    other = {"male": "female", "female": "male"}[gender]
    for text in reminders(100, words=[word]):
        found = set(words_of(text))
        assert found & PRONOUNS[gender], text
        assert not found & PRONOUNS[other], text
        assert text[0].isupper()
        assert text.endswith(".")
        assert "{" not in text


def test_the_same_seed_gives_the_same_and_more_begin_with_fewer():
    assert reminders(50, seed=4) == reminders(150, seed=4)[:50]
    assert reminders(50, seed=4) != reminders(50, seed=5)
    assert reminders(0) == []


def test_no_sentence_twice_before_all_are_used():
    assert len(set(reminders(3200))) == 3200
    many = reminders(3000, words=["vasectomy"])
    once = len(set(many))
    assert len(set(many[:once])) == once < 3000


def test_no_reminder_shares_a_frame_with_what_is_measured():
    """No run of four words of a measuring sentence, pronouns all alike, stands in any reminder."""
    pronouns = {"[mask]", "they", "their", "them", *PRONOUNS["male"], *PRONOUNS["female"]}

    def runs(text, length=4):
        words = ["*" if word in pronouns else word for word in words_of(text)]
        return {tuple(words[i : i + length]) for i in range(len(words) - length + 1)}

    measured = cp.data.pronoun_templates().fill()
    frames = set().union(*map(runs, measured.text))
    ours = set().union(*map(runs, reminders(3200)))
    # "* is pregnant." and "* is an actress." are shorter; reminders do not say that either.
    short = {tuple(["*" if w in pronouns else w for w in words_of(text)]) for text in measured.text}
    assert frames & ours == set()
    assert {run for run in short if len(run) == 3} & set().union(
        *(runs(text, 3) for text in reminders(3200))
    ) == set()


@pytest.mark.parametrize("word", controlled_words())
def test_a_control_has_the_same_sentences_without_the_word(word):
    stem = {"pregnant": "pregnan", "testicle": "testicle", "breastfeed": "breastf"}[word]
    pairs = zip(reminders(80, seed=3, words=[word]), control_reminders(80, seed=3, word=word), strict=True)
    for reminder, control in pairs:
        first, second = words_of(reminder), words_of(control)
        assert len(first) == len(second)
        changed = [a for a, b in zip(first, second, strict=True) if a != b]
        assert changed
        assert all(stem in other for other in changed)
        assert stem not in control


def test_a_control_needs_a_neutral_word():
    with pytest.raises(InputError, match=r"no neutral word in place of 'beard' .there is for: pregnant"):
        control_reminders(3, word="beard")


def test_a_users_own_file(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("# two of them\n\nShe is expecting twins.\n  He has a beard. \n")
    assert read_reminders(path) == ["She is expecting twins.", "He has a beard."]
    path.write_text("# none\n")
    with pytest.raises(DataError, match="one sentence a line"):
        read_reminders(path)
    with pytest.raises(DataError, match="cannot read "):
        read_reminders(tmp_path / "missing.txt")
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="cannot read "):
        read_reminders(path)


def test_mistakes_are_named():
    with pytest.raises(InputError, match="cannot be -1"):
        reminders(-1)
    with pytest.raises(CounterpoiseError, match="did you mean 'pregnant'"):
        reminders(3, words=["pregnent"])


def test_a_file_a_number_or_nothing(tmp_path):
    (tmp_path / "mine.txt").write_text("She was pregnant.\nHis beard grew.\n")
    assert load_reminders(tmp_path / "mine.txt", copies=2) == ["She was pregnant.", "His beard grew."] * 2
    assert len(load_reminders("12")) == len(load_reminders(12)) == 12
    assert load_reminders(None) == []
    with pytest.raises(InputError, match="once at least"):
        load_reminders(12, copies=0)
