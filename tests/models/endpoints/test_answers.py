"""Answers of every wrong shape: each is refused as a bad answer, and none is taken for a number."""

from __future__ import annotations

import copy
import itertools

import pytest

from counterpoise.core.cache import ScoreCache
from counterpoise.models.endpoints.answers import BadAnswer, answer_text, next_tokens, prompt_tokens
from counterpoise.models.endpoints.asking import Asker
from counterpoise.models.endpoints.questions import next_token_question
from counterpoise.models.endpoints.transport import Transport

TOP = {" c": -1.5, "d": -0.5}
ECHO = {
    "logprobs": {
        "tokens": ["a", " b", " c", "d"],
        "token_logprobs": [None, -1.0, -2.0, -0.5],
        "top_logprobs": [TOP, TOP, TOP, TOP],
    }
}
PROMPT = {
    "prompt_logprobs": [
        None,
        {"5": {"logprob": -1.0, "decoded_token": " b"}},
        {"6": {"logprob": -2.0, "decoded_token": " c"}},
    ]
}
ENTRIES = [{"token": token, "logprob": value} for token, value in TOP.items()]
CHAT = {"message": {"content": "A"}, "logprobs": {"content": [{"top_logprobs": ENTRIES}]}}
WRONG = [
    *(None, True, 0, -1, 3.5, 10**400, -(10**400), float("nan"), float("-inf")),
    *("", "x", "\ud800", [], {}, [None], {"a": None}, [[]], [1, 2], {"": {}}),
]


def places(document, path=()):
    """The path of everything in a document."""
    yield path
    children = (
        document.items()
        if isinstance(document, dict)
        else enumerate(document)
        if isinstance(document, list)
        else ()
    )
    for key, child in children:
        yield from places(child, (*path, key))


def with_wrong(document, path, wrong):
    changed = copy.deepcopy(document)
    *before, last = path
    parent = changed
    for key in before:
        parent = parent[key]
    parent[last] = wrong
    return changed


def readings(answer):
    for read in (lambda answer: prompt_tokens(answer, "a b c"), next_tokens, answer_text):
        try:
            yield read(answer)
        except BadAnswer:
            yield None


@pytest.mark.parametrize("choice", [ECHO, PROMPT, CHAT], ids=["echo", "prompt_logprobs", "chat"])
def test_what_cannot_be_read_is_a_bad_answer(choice):
    right = {"choices": [choice]}
    assert any(reading is not None for reading in readings(right))
    for path, wrong in itertools.product(list(places(right))[1:], WRONG):
        for reading in readings(with_wrong(right, path, wrong)):
            values = (
                reading.values()
                if isinstance(reading, dict)
                else [token.log_prob for token in reading if token.log_prob is not None]
                if isinstance(reading, list)
                else ()
            )
            assert all(isinstance(value, float) and -1e300 < value <= 1e-3 for value in values)


def test_half_a_character_can_be_kept(tmp_path):
    """A token may be a part of a character, which some servers write as a lone surrogate."""
    asker = Asker(Transport("http://127.0.0.1:9/v1", None), "m", 1)
    asker.cache = ScoreCache(tmp_path / "scores.sqlite")
    half = {"choices": [{"logprobs": {"top_logprobs": [{"\ud83d": -1.0, "a": -2.0}]}}]}
    asker.transport.post = lambda path, body, read, **how: read(half)
    question = next_token_question("Text", 2)
    assert asker.ask([question]) == [{"\ud83d": -1.0, "a": -2.0}]
    assert asker.kept([question]) == {question: {"\ud83d": -1.0, "a": -2.0}}
