"""What an endpoint answers: tokens with their log-probabilities, in the forms that servers give them.

Nothing is taken on trust: an answer that does not fit its question raises `BadAnswer` and is never a number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from counterpoise.models.answering import Answer

SUM_TOLERANCE = (
    0.01  # by which probabilities of one token may add up to more than 1, as low precision makes them
)
_UNREADABLE = "�"  # stands for part of a character


class BadAnswer(Exception):
    """An answer that does not say what was asked, and why."""


@dataclass(frozen=True)
class PromptToken:
    """A token of a prompt, the characters that it covers, and its log-probability; None of one that begins a text."""

    text: str
    start: int
    end: int
    log_prob: float | None


def prompt_tokens(answer: dict[str, Any], text: str) -> list[PromptToken]:
    """The tokens of a prompt, checked to be those of the text."""
    choice = first_choice(answer)
    if isinstance(choice.get("prompt_logprobs"), list):
        raw = [_vllm_token(entry) for entry in choice["prompt_logprobs"]]
        if raw and raw[0][0] is None:  # the first is not named: it is what the others leave of the text
            rest = "".join(token or "" for token, _ in raw[1:])
            raw[0] = (text[: len(text) - len(rest)] if text.endswith(rest) else "", None)
    else:
        found = choice.get("logprobs")
        if not isinstance(found, dict) or not isinstance(found.get("tokens"), list):
            raise BadAnswer("there are no log-probabilities of the prompt")
        tokens, values = found["tokens"], found.get("token_logprobs")
        if not isinstance(values, list) or len(values) != len(tokens):
            raise BadAnswer("there is not one log-probability for each token")
        if not all(isinstance(token, str | None) for token in tokens):
            raise BadAnswer("the tokens of the prompt cannot be read")
        raw = list(zip(tokens, map(_log_prob_or_none, values), strict=True))
    return _aligned([(token or "", value) for token, value in raw], text)


def _aligned(raw: list[tuple[str, float | None]], text: str) -> list[PromptToken]:
    """Tokens with the characters that they cover; special tokens before the text and generated ones are left out."""
    tokens: list[PromptToken] = []
    position, unreadable = 0, False
    for token, value in raw:
        if position == len(text):
            break
        if _UNREADABLE in token:
            unreadable = True
            tokens.append(PromptToken(token, position, position, value))
            continue
        found = (
            text.find(token, position) if unreadable else position if text.startswith(token, position) else -1
        )
        if found < 0:
            if not tokens:
                continue  # a special token before the text
            raise BadAnswer("the log-probabilities are those of other tokens than the prompt's")
        if token:
            tokens.append(PromptToken(token, found, found + len(token), value))
            position, unreadable = found + len(token), False
    if not tokens:
        raise BadAnswer("the log-probabilities are those of other tokens than the prompt's")
    if position < len(text) and not unreadable:
        raise BadAnswer("the log-probabilities do not cover the whole prompt")
    if any(token.log_prob is None for token in tokens[1:]):
        raise BadAnswer("a token of the prompt has no log-probability")
    _refuse_all_equal([token.log_prob for token in tokens[1:]])
    return tokens


def next_tokens(answer: dict[str, Any]) -> dict[str, float]:
    """The most probable next tokens with their log-probabilities, the likeliest first."""
    found = first_choice(answer).get("logprobs")
    if not isinstance(found, dict):
        raise BadAnswer("there are no log-probabilities of the next token")
    pairs: list[tuple[Any, Any]]
    match found:
        case {"content": [{"top_logprobs": list(entries)}, *_]}:
            if not all(isinstance(entry, dict) for entry in entries):
                raise BadAnswer("the log-probabilities of the next token cannot be read")
            pairs = [(entry.get("token"), entry.get("logprob")) for entry in entries]
        case {"top_logprobs": [dict(entries), *_]}:
            pairs = list(entries.items())
        case _:
            raise BadAnswer("there are no log-probabilities of the next token")
    top: dict[str, float] = {}
    for token, value in pairs:
        log_prob = _log_prob_or_none(value)
        if not isinstance(token, str) or log_prob is None:
            raise BadAnswer("the log-probabilities of the next token cannot be read")
        if log_prob > top.get(token, -math.inf):  # several tokens can read alike
            top[token] = log_prob
    if not top:
        raise BadAnswer("there are no log-probabilities of the next token")
    _refuse_all_equal(list(top.values()))
    if sum(map(math.exp, top.values())) > 1 + SUM_TOLERANCE:
        raise BadAnswer("the probabilities of the next token add up to more than 1")
    return dict(sorted(top.items(), key=lambda entry: -entry[1]))


def answer_text(answer: dict[str, Any]) -> str:
    """What the model wrote."""
    choice = first_choice(answer)
    message = choice.get("message")
    text = message.get("content") if isinstance(message, dict) else choice.get("text")
    if not isinstance(text, str):
        raise BadAnswer("there is no text in the answer")
    return text


def written_answer(answer: dict[str, Any]) -> Answer:
    """What the model wrote and whether it came to an end; what it refuses or leaves empty is an answer too."""
    choice = first_choice(answer)
    message = choice.get("message")
    text = choice.get("text")
    if isinstance(message, dict):
        content = message.get("content")
        text = message.get("refusal") or "" if content is None else content
    if text is None and choice.get("finish_reason") == "content_filter":
        text = ""
    if not isinstance(text, str):
        raise BadAnswer("there is no text in the answer")
    return Answer(text, ended=choice.get("finish_reason") != "length")


def first_choice(answer: dict[str, Any]) -> dict[str, Any]:
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise BadAnswer("there is no choice in the answer")
    return choices[0]


def _refuse_all_equal(values: Sequence[float | None]) -> None:
    if len(values) > 2 and len(set(values)) == 1:
        raise BadAnswer("all log-probabilities are equal")


def _vllm_token(entry: Any) -> tuple[str | None, float | None]:
    """A token of `prompt_logprobs`: a dictionary from its id to what is known of it; None for the first one."""
    if entry is None:
        return None, None
    if not isinstance(entry, dict) or not entry or not isinstance(first := next(iter(entry.values())), dict):
        raise BadAnswer("the log-probabilities of the prompt cannot be read")
    token = first.get("decoded_token")
    if not isinstance(token, str):
        raise BadAnswer("the log-probabilities of the prompt come without its tokens")
    return token, _log_prob_or_none(first.get("logprob"))


def _log_prob_or_none(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1e300 < value < 1e-3:
        raise BadAnswer(f"{str(value)[:30]!r} is no log-probability")
    return float(value)
