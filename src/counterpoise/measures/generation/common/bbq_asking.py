"""Asking a model the questions of BBQ: how likely is each option, how likely its letter, or what does it answer?"""

from __future__ import annotations

import numpy as np
import pandas as pd

from counterpoise.measures.base.scoring_problems import target_problems
from counterpoise.measures.generation.common.answer_reading import read_answer
from counterpoise.measures.generation.common.answer_weights import (
    weights_of_roles,
    weights_of_scores,
    with_answers,
)
from counterpoise.measures.generation.common.bbq_roles import ROLES
from counterpoise.measures.generation.common.bbq_rows import BY_LETTER, BY_OPTION
from counterpoise.models.causal import CausalLM
from counterpoise.models.endpoints.capabilities import Rung
from counterpoise.models.endpoints.endpoint import Endpoint
from counterpoise.models.endpoints.questions import CHAT, answer_question

RUNGS = (Rung.LIKELIHOOD, Rung.NEXT_WORD, Rung.FORCED_CHOICE)
OPTION, LETTER, WORDS = "by the option's text", "by the option's letter", "in words"
# Where a server chooses between two sentences, it is asked to answer questions with three options.
RUNG_NAMES = {Rung.FORCED_CHOICE: "answers in words"}
_LONGEST = 32  # tokens of an answer in words
_LETTERS = [f"letter_{role}" for role in ROLES]


def ways_to_answer(model: CausalLM | Endpoint) -> dict[str, str]:
    """The suffix of columns and keys for each way in which the model can be asked, and how readers are told of it."""
    rung = model.rung(RUNGS) if isinstance(model, Endpoint) else Rung.LIKELIHOOD
    if rung is Rung.LIKELIHOOD:
        return {BY_OPTION: OPTION, BY_LETTER: LETTER}
    return {BY_LETTER: LETTER} if rung is Rung.NEXT_WORD else {BY_OPTION: WORDS}


def unaskable(model: CausalLM | Endpoint, items: pd.DataFrame) -> list[str | None]:
    """For each item why the model cannot be asked, or None."""
    if isinstance(model, Endpoint):
        return model.problems(items.text.tolist())
    problems: list[str | None] = [None] * len(items)
    for role in ROLES:
        texts = [f"{text} {option}" for text, option in zip(items.text, items[role], strict=True)]
        found = target_problems(model, texts, items[[role, *_LETTERS]].to_numpy().tolist())
        problems = [first or second for first, second in zip(problems, found, strict=True)]
    return problems


def answered(model: CausalLM | Endpoint, items: pd.DataFrame) -> pd.DataFrame:
    """The items with the model's answers, in each way in which it can be asked."""
    rung = model.rung(RUNGS) if isinstance(model, Endpoint) else Rung.LIKELIHOOD
    if isinstance(model, Endpoint) and rung is Rung.FORCED_CHOICE:
        return _in_words(model, items)
    before = [f"{text} " for text in items.text]
    if rung is Rung.NEXT_WORD and isinstance(model, Endpoint):
        bounds = model.next_log_prob_bounds(before, items[_LETTERS].to_numpy().tolist())
        return _with_scores(items, np.where(bounds.exact, bounds.high, -np.inf), BY_LETTER)
    scores = model.next_log_probs(before, items[[*ROLES, *_LETTERS]].to_numpy().tolist())
    by_option, by_letter = np.hsplit(scores, 2)
    return _with_scores(_with_scores(items, by_option, BY_OPTION), by_letter, BY_LETTER)


def _with_scores(items: pd.DataFrame, scores: np.ndarray, suffix: str) -> pd.DataFrame:
    logs = {f"log_p_{role}{suffix}": scores[:, place] for place, role in enumerate(ROLES)}
    return with_answers(items.assign(**logs), weights_of_scores(scores), suffix)


def _in_words(model: Endpoint, items: pd.DataFrame) -> pd.DataFrame:
    path = model.capabilities.answer_path
    said = model.asker.ask(
        [
            answer_question(path, _instructed(text) if path == CHAT else text, max_tokens=_LONGEST)
            for text in items.text
        ]
    )
    roles = [
        read_answer(
            answer, {role: row[f"letter_{role}"] for role in ROLES}, {role: row[role] for role in ROLES}
        )
        for answer, row in zip(said, items.to_dict("records"), strict=True)
    ]
    return with_answers(items.assign(said=said), weights_of_roles(roles))


def _instructed(text: str) -> str:
    return f"{text.removesuffix('Answer:')}Answer with the letter A, B or C only."
