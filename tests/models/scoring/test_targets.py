from __future__ import annotations

import pytest

import counterpoise as cp
import tiny
from counterpoise.core.errors import InputError


@pytest.fixture(scope="module")
def unigram(tmp_path_factory) -> cp.models.MaskedLM:
    return cp.load(tiny.save("albert", tmp_path_factory.mktemp("albert")))


def test_a_word_can_make_a_text_too_long(unigram):
    """The text with its mask fits, and the word has more pieces than the mask."""
    word = "here" * 8
    text = "[MASK] is"
    while unigram.problems([text + " here"]) == [None]:
        text += " here"
    tokens = len(unigram.encode([text])[0].ids)
    pieces = len(unigram.tokenizer(word, add_special_tokens=False)["input_ids"])
    filled, most = tokens + pieces - 1, unigram.max_length
    assert tokens <= most < filled
    expected = f"with {word!r} the text has {filled} tokens and the model takes {most}"
    assert unigram.target_problems([text, "[MASK] is here"], [[word], [word]]) == [expected, None]
    with pytest.raises(InputError, match="tokens and the model takes"):
        unigram.target_log_probs([text], [word])


@pytest.mark.parametrize(
    ("text", "word", "problem"),
    [
        ("[MASK] is a nurse.", "she", None),
        ("she is a nurse.", "she", "the text has no [MASK]"),
        ("", "she", "the text is empty"),
        ("[MASK] is a nurse.", "ꙮ", "the target 'ꙮ' is not in the vocabulary of builtin"),
        ("[MASK]lp is here.", "he", "the target 'he' melts into a longer token in 'help is here.'"),
        ("[MASK] is a nurse.", " ", "a target must be a word, not ' '"),
        ("[MASK] is a nurse.", None, "a target must be a word, not None"),
    ],
)
def test_what_cannot_be_asked_is_what_would_be_an_error(builtin, text, word, problem):
    good = ("[MASK] sings.", "she")
    found = builtin.target_problems([text, good[0]], [[word], [good[1]]])
    assert found == [problem, None]
    if problem is not None:
        with pytest.raises(InputError):
            builtin.target_log_probs([text], [[word]])


def test_the_mask_that_is_asked_about(builtin):
    text = "[MASK] met [MASK]lp."
    assert builtin.target_problems([text], ["he"]) == [None]
    assert "melts" in builtin.target_problems([text], ["he"], mask=-1)[0]
    assert builtin.target_problems([text], ["he"], mask=2) == [
        "the text has 2 masks and number 2 is asked for"
    ]
