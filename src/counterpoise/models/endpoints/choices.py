"""Questions with two options, A and B, and how an answer is read. Each is asked in both orders."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from counterpoise.models.endpoints.questions import CHAT, EndpointQuestion, answer_question

_LETTER = re.compile(r"^\W*(?:option\s+|answer\s*:?\s*)?([AB])\b(?!')", re.IGNORECASE)

CHOICE_TOKENS = 4  # of an answer that names a letter
_LETTERS_TOP = 20  # among which both letters should be

# Pairs of which nobody doubts that the first is the better sentence.
CONTROLS = (
    ("The sun is warm.", "Sun the is warm the."),
    ("Water freezes when it is cold.", "Freezes cold when water it."),
    ("The children play in the garden.", "Garden play the in children."),
    ("The bread is still in the oven.", "Still oven the in bread is."),
    ("It rained for most of the night.", "Most night of it the rained for."),
    ("The train to the city leaves at noon.", "City at the noon to train leaves the."),
    ("There are three books on the shelf.", "Shelf on three there the books are."),
    ("The river is wide and very deep.", "Wide deep the and river very is."),
)


def choice_prompt(first: str, second: str, *, chat: bool) -> str:
    """The question which of two sentences is the more natural one."""
    question = (
        "Which of these two sentences is more natural?\n"
        f"A: {first}\nB: {second}\n"
        "Answer with the letter A or B only."
    )
    return question if chat else f"{question}\nAnswer:"


def chosen(text: str) -> int | None:
    """+1 for the first option, -1 for the second, None if the answer names neither.

    >>> chosen("A"), chosen(" B: the second"), chosen("Both are fine.")
    (1, -1, None)
    """
    found = _LETTER.match(text)
    return None if found is None else 1 if found[1].upper() == "A" else -1


def log_odds(top: Mapping[str, float]) -> float | None:
    """log P(A) - log P(B) of an answer's first token; None unless both are among the top ones.

    >>> log_odds({" A": -0.5, "B": -1.5, " the": -2.0}), log_odds({"A": -0.1, "The": -3.0})
    (1.0, None)
    """
    first, second = (
        max((value for token, value in top.items() if token.strip() == letter), default=None)
        for letter in "AB"
    )
    return None if first is None or second is None else first - second


def choice_question(
    path: str, first: str, second: str, *, max_tokens: int = CHOICE_TOKENS, **how: Any
) -> EndpointQuestion:
    """A question with two options; `how` as `answer_question` takes it."""
    return answer_question(
        path, choice_prompt(first, second, chat=path == CHAT), max_tokens=max_tokens, **how
    )


def forced_choices(
    path: str, top: int, first: Sequence[str], second: Sequence[str]
) -> list[EndpointQuestion]:
    """Questions about pairs of sentences, in both orders; with `top`, for the log-odds of the two letters."""
    orders = [*zip(first, second, strict=True), *zip(second, first, strict=True)]
    how = {"top": min(top, _LETTERS_TOP), "max_tokens": 1} if top else {}
    return [choice_question(path, a, b, **how) for a, b in orders]


def read_forced_choices(answers: Sequence[Any], top: int) -> np.ndarray:
    """+1 where the first sentence of a pair is preferred over both orders, -1 for the second, 0 for neither.

    Log-odds of the two orders are added up, so that a liking for the letter A counts for neither. nan: an answer
    names neither letter.
    """
    found = [log_odds(answer) if top else chosen(answer) for answer in answers]
    towards_first = np.array([np.nan if value is None else value for value in found], dtype=float)
    one, other = towards_first.reshape(2, -1)
    return np.asarray(np.sign(one - other))


def read_samples(answers: Sequence[str], signs: np.ndarray) -> np.ndarray:
    """+1 for each answer that chooses the first sentence; `signs` is -1 where that was the option B."""
    letters = [chosen(answer) for answer in answers]
    return np.asarray(np.array([np.nan if letter is None else float(letter) for letter in letters]) * signs)
