from __future__ import annotations

import pytest

import counterpoise as cp
import tiny
from counterpoise.data import Pairs
from counterpoise.measures.base.scoring_problems import pair_problems, target_problems

GOOD = ("The nurse lost her keys.", "The nurse lost his keys.")
BAD = {
    (
        "The [MASK] lost her keys.",
        "The nurse lost his keys.",
    ): "a sentence of the pair has a mask in it, [MASK]",
    (
        "The ꙮ is here.",
        "The ꙭ is here.",
    ): "the words in which the two sentences differ are not in the vocabulary",
}


def test_the_text_comes_first_then_the_words(builtin):
    texts = ["[MASK] is here.", "", "[MASK] is " + "very " * 600 + "late.", "[MASK] is here."]
    found = target_problems(builtin, texts, [["he", "she"], ["he", "ꙮ"], ["he", "she"], ["ꙮ", "she"]])
    assert found[0] is None
    assert found[1] == "the text is empty"
    assert "the model takes 512" in found[2]
    assert found[3] == "'ꙮ' is not in the vocabulary"


@pytest.mark.parametrize("measure", ["sld", "crows", "aul", "aula"])
def test_pairs_that_cannot_be_scored_are_skipped_and_the_rest_is_measured(builtin, measure):
    result = getattr(cp.measures, measure)(builtin, Pairs.of(*BAD, GOOD))
    assert result.skipped.values.tolist() == [[pair[0], reason] for pair, reason in BAD.items()]
    assert result.items.stereotyped.tolist() == [GOOD[0]]


def test_a_mask_as_the_model_writes_it(tmp_path):
    lm = cp.load(tiny.save("roberta", tmp_path))
    pairs = [("The <mask> left.", "The man left."), GOOD]
    problems = pair_problems(lm, *zip(*pairs, strict=True))
    assert problems == ["a sentence of the pair has the model's mask in it, <mask>", None]


def test_one_word_that_is_not_known_is_a_difference(builtin):
    """Sentences with an unknown word each can be scored: what is the same in both is the rest."""
    assert pair_problems(builtin, ["The ꙮ lost her keys."], ["The ꙮ lost his keys."]) == [None]
