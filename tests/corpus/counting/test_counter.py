"""Counts against a plain loop over words."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from counterpoise.corpus.counting.counter import CorpusCounter
from counterpoise.corpus.counting.counts import CorpusCounts
from counterpoise.corpus.counting.tokens import hash_words, tokenize
from counterpoise.corpus.counting.words import CorpusWords
from counterpoise.io.blocks import text_blocks

WORDS = CorpusWords.of("all")
ABBREVIATED = re.compile(r"\b(dr|mr)[.!?]+")
ENDS = re.compile(r"[.!?](?![a-z0-9])")


def count(texts, words=WORDS, **options) -> CorpusCounts:
    counting = CorpusCounter(words, **options)
    for block in text_blocks(texts):
        counting.add(block)
    return counting.finish("texts")


def near(counts: CorpusCounts, word: str) -> list[int]:
    [row] = counts.near[counts.words == word]
    return row.sum(axis=1).tolist()


def random_texts(n: int, seed: int) -> list[str]:
    dice = np.random.default_rng(seed)
    words = [
        "he",
        "she",
        "him",
        "her",
        "the",
        "nurse",
        "nurses",
        "doctor",
        "registered",
        "ran",
        "far",
        "Dr.",
        "Mr.",
        "3.5",
        "it's",
        "bus",
        "driver",
        "woman",
        "men",
        "é",
        "tea",
    ]
    ends = [". ", "! ", '." ', " ", ", "]
    return [
        "".join(
            f"{dice.choice(words)}{dice.choice(ends, p=[0.2, 0.1, 0.05, 0.5, 0.15])}"
            for _ in range(dice.integers(1, 40))
        )
        for _ in range(n)
    ]


def by_hand(texts: list[str], window: str | int) -> dict[str, dict[str, float]]:
    """Words near men, near women, near both, and the pairs of GenBit, one word after another."""
    found: dict[str, dict[str, float]] = {
        "male": Counter(),
        "female": Counter(),
        "both": Counter(),
        "pm": Counter(),
        "pf": Counter(),
    }
    for text in texts:
        sentences = [
            re.findall(r"[^\W_]+", part) for part in ENDS.split(ABBREVIATED.sub(r"\1", text.lower()))
        ]
        if window != "sentence":
            sentences = [[word for sentence in sentences for word in sentence]]
        for sentence in sentences:
            for at, word in enumerate(sentence):
                if word in WORDS.male or word in WORDS.female:
                    continue
                reach = (
                    range(len(sentence))
                    if window == "sentence"
                    else range(max(0, at - window), min(len(sentence), at + window + 1))
                )
                sides = {"m": 0.0, "f": 0.0}
                for other in reach:
                    weight = 1.0 if window == "sentence" else 0.95 ** abs(other - at)
                    sides["m"] += weight * (sentence[other] in WORDS.male)
                    sides["f"] += weight * (sentence[other] in WORDS.female)
                word = WORDS.professions.get(word, word)
                found["pm"][word] += sides["m"]
                found["pf"][word] += sides["f"]
                if sides["m"] or sides["f"]:
                    found["both" if sides["m"] and sides["f"] else "male" if sides["m"] else "female"][
                        word
                    ] += 1
    return found


@pytest.mark.parametrize("window", ["sentence", 1, 4])
def test_counts_are_those_of_a_plain_loop(window):
    texts = [
        text.replace("registered nurse", "registered, nurse").replace("bus driver", "bus, driver")
        for text in random_texts(400, 7)
    ]
    counts, wanted = count(texts, window=window), by_hand(texts, window)
    assert len(wanted["male"]) > 10
    for side, label in enumerate(("male", "female")):
        found = dict(zip(counts.words.tolist(), counts.near[:, side].sum(axis=1).tolist(), strict=True))
        assert {word: n for word, n in found.items() if n} == dict(wanted[label])
        assert counts.block_totals[f"words near {label}"] == sum(wanted[label].values())
        pairs = dict(zip(counts.words.tolist(), counts.pairs[:, side].tolist(), strict=True))
        for word, n in wanted["pmpf"[2 * side : 2 * side + 2]].items():
            assert pairs.get(word, 0.0) == pytest.approx(n)
    assert counts.block_totals["words near both"] == sum(wanted["both"].values())
    assert counts.block_totals["words"] == sum(len(re.findall(r"[^\W_]+", text)) for text in texts)
    assert counts.block_totals["documents"] == len(texts)


def test_phrases_are_one_word_and_plurals_their_singular():
    counts = count(
        [
            "She is a registered nurse.",
            "Registered nurses like her.",
            "He is registered. Nurse!",
            "He and a nurse.",
        ]
    )
    assert near(counts, "registered nurse") == [0, 2]
    assert near(counts, "nurse") == [1, 0]
    assert near(counts, "registered") == [1, 0]


def test_a_sentence_with_both_genders_says_nothing():
    counts = count(["He told her about the nurse."])
    assert near(counts, "nurse") == [0, 0]
    assert counts.block_totals["words near both"] == 4
    assert counts.pairs[counts.words == "nurse"].tolist() == [[1.0, 1.0]]


def test_titles_and_initials_end_no_sentence():
    assert near(count(["He met Dr. J. Smith the nurse. A judge left."]), "nurse") == [1, 0]
    assert near(count(["So did I. He is a nurse."]), "nurse") == [1, 0]
    assert near(count(["He left. A judge came."]), "judge") == [0, 0]
    assert near(count(["He didn't. A judge came."]), "judge") == [0, 0]


def test_first_names():
    def names(text):
        counts = count([text])
        return counts.block_totals["male names"], counts.block_totals["female names"]

    assert names("John met Mary.") == (1, 1)
    assert names("john met mary.") == (0, 0)
    assert names("Paul Thomas left with Mr. James and Mrs. Mary.") == (1, 0)
    assert names("Paul Thomas left with Mx. James and Mx. Mary.") == (1, 0)
    assert names("Will you bring Rose petals?") == (0, 0)


def test_shares_by_kind():
    counts = count(["He saw his mother.", "She left."])
    totals = counts.block_totals
    assert (totals["male terms"], totals["female terms"]) == (2, 2)
    assert (totals["male pronouns"], totals["female pronouns"]) == (2, 1)
    assert totals["gendered documents"] == 2


def test_the_order_of_blocks_of_text_does_not_matter_and_the_seed_does():
    texts = random_texts(300, 1)
    whole = count(texts, seed=3)
    counting = CorpusCounter(WORDS, seed=3)
    for text in texts:
        for block in text_blocks([text]):
            counting.add(block)
    parts = counting.finish("texts")
    order, other = np.argsort(whole.words), np.argsort(parts.words)
    assert (whole.near[order] == parts.near[other]).all()
    assert (whole.by_block == parts.by_block).all()
    assert (whole.by_block != count(texts, seed=4).by_block).any()


def test_a_share_of_the_documents():
    texts = ["The nurse saw him."] * 4000
    totals = count(texts, share=0.25).block_totals
    assert totals["documents"] == pytest.approx(1000, abs=4 * np.sqrt(4000 * 0.25 * 0.75))
    assert totals["words"] == 4 * totals["documents"]


def test_the_vocabulary_is_bounded_and_frequent_words_stay_exact():
    dice = np.random.default_rng(0)
    texts = [f"He saw the x{dice.integers(100_000)} and the nurse near the lake." for _ in range(30_000)]
    counting = CorpusCounter(WORDS, limit=10_000)
    for block in (part for at in range(0, 30_000, 1000) for part in text_blocks(texts[at : at + 1000])):
        counting.add(block)
    counts = counting.finish("texts")
    assert len(counts.words) <= 10_000
    assert near(counts, "nurse") == near(counts, "lake") == [30_000, 0]
    assert 1 <= counts.lost_at_most < 100
    assert counts.block_totals["words near male"] == 30_000 * 9


def test_hashes_of_different_words_differ():
    words = [
        f"{start}{n}{end}" for n in range(20_000) for start, end in (("", ""), ("averylongword", "withanend"))
    ]
    hashes = {hash_ for [(hash_, _)] in hash_words(words)}
    assert len(hashes) == len(words)


def test_words_of_a_block():
    found = tokenize("She’s “here”".encode())  # what is not folded still gives words and no error
    assert found.spelled(0).startswith("she")
    assert len(tokenize(b"... \n\n")) == 0


def test_counts_are_kept_whole(tmp_path):
    counts = count(random_texts(100, 2))
    counts.save(tmp_path / "counts.npz")
    back = CorpusCounts.load(tmp_path / "counts.npz")
    assert (back.near == counts.near).all()
    assert back.words.tolist() == counts.words.tolist()
    assert (back.name, back.seed, back.share, back.window) == ("texts", 0, 1.0, "sentence")


def test_a_long_word_makes_no_large_table():
    """An array of words has room for the longest in every row."""
    counts = count(["She is a nurse.", f"He is {'x' * 1_000_000}.", f"He is {'é' * 1_000_000}."])
    assert counts.words.nbytes < 1e7
    assert near(counts, "x" * 100) == near(counts, "é" * 50) == [1, 0]
