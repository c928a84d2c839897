"""Asking a model the questions of BBQ: how likely is each option, how likely its letter, or what does it answer?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from counterpoise.measures.base.kinds import sampling_settings
from counterpoise.measures.base.scoring_problems import target_problems
from counterpoise.measures.generation.common.answer_reading import read_answer
from counterpoise.measures.generation.common.answer_weights import (
    weights_of_roles,
    weights_of_scores,
    with_answers,
)
from counterpoise.measures.generation.common.bbq_bounds import with_bounded_answers
from counterpoise.measures.generation.common.bbq_roles import ROLES
from counterpoise.measures.generation.common.bbq_rows import BY_LETTER, BY_OPTION, IN_WORDS
from counterpoise.models.answer_function import AnswerFunction
from counterpoise.models.answering import Sampling
from counterpoise.models.causal import CausalLM
from counterpoise.models.endpoints.capabilities import Rung
from counterpoise.models.endpoints.endpoint import Endpoint
from counterpoise.models.endpoints.questions import CHAT

Model = CausalLM | AnswerFunction | Endpoint

RUNGS = (Rung.LIKELIHOOD, Rung.NEXT_WORD, Rung.ANSWERS)
OPTION, LETTER, WORDS = "by the option's text", "by the option's letter", "in words"
_LETTERS = [f"letter_{role}" for role in ROLES]
_SAMPLING = Sampling(temperature=0, max_tokens=32)  # of answers in words


def ways_to_answer(model: Model) -> dict[str, str]:
    """The suffix of columns and keys for each way in which the model can be asked, and how readers are told of it."""
    rung = _rung(model)
    if rung is Rung.LIKELIHOOD:
        return {BY_OPTION: OPTION, BY_LETTER: LETTER}
    return {BY_LETTER: LETTER} if rung is Rung.NEXT_WORD else {IN_WORDS: WORDS}


def reading(model: Model) -> tuple[str, ...]:
    """How answers in words were drawn; of other ways to ask, and of functions, all is known."""
    if isinstance(model, Endpoint) and _rung(model) is Rung.ANSWERS:
        return (Rung.ANSWERS.value, _SAMPLING.describe())
    return ()


def sampling_of_words(model: Model) -> dict[str, Any]:
    """The settings of answers in words; empty if the model gives likelihoods."""
    return sampling_settings(model, 1, _SAMPLING, 0) if _rung(model) is Rung.ANSWERS else {}


def unaskable(model: Model, items: pd.DataFrame) -> list[str | None]:
    """For each item why the model cannot be asked, or None."""
    if isinstance(model, AnswerFunction):
        return model.prompt_problems(items.text.tolist())
    if isinstance(model, Endpoint):
        return model.problems(items.text.tolist())
    problems: list[str | None] = [None] * len(items)
    for role in ROLES:
        texts = [f"{text} {option}" for text, option in zip(items.text, items[role], strict=True)]
        found = target_problems(model, texts, items[[role, *_LETTERS]].to_numpy().tolist())
        problems = [first or second for first, second in zip(problems, found, strict=True)]
    return problems


def answered(model: Model, items: pd.DataFrame) -> pd.DataFrame:
    """The items with the model's answers, in each way in which it can be asked."""
    rung = _rung(model)
    if isinstance(model, AnswerFunction) or (isinstance(model, Endpoint) and rung is Rung.ANSWERS):
        return _in_words(model, items)
    before = [f"{text} " for text in items.text]
    if rung is Rung.NEXT_WORD and isinstance(model, Endpoint):
        bounds = model.next_log_prob_bounds(before, items[_LETTERS].to_numpy().tolist())
        return with_bounded_answers(items, bounds, BY_LETTER)
    scores = model.next_log_probs(before, items[[*ROLES, *_LETTERS]].to_numpy().tolist())
    by_option, by_letter = np.hsplit(scores, 2)
    return _with_scores(_with_scores(items, by_option, BY_OPTION), by_letter, BY_LETTER)


def _rung(model: Model) -> Rung | None:
    """The way to ask; a model that is loaded gives likelihoods, a function answers."""
    if isinstance(model, Endpoint):
        return model.rung(RUNGS)
    return Rung.ANSWERS if isinstance(model, AnswerFunction) else Rung.LIKELIHOOD


def _with_scores(items: pd.DataFrame, scores: np.ndarray, suffix: str) -> pd.DataFrame:
    logs = {f"log_p_{role}{suffix}": scores[:, place] for place, role in enumerate(ROLES)}
    return with_answers(items.assign(**logs), weights_of_scores(scores), suffix)


def _in_words(model: Endpoint | AnswerFunction, items: pd.DataFrame) -> pd.DataFrame:
    is_continued = isinstance(model, Endpoint) and model.capabilities.answer_path != CHAT
    prompts = [text if is_continued else _instructed(text) for text in items.text]
    said = [answer.text for [answer] in model.answers(prompts, sampling=_SAMPLING)]
    roles = [
        read_answer(
            answer, {role: row[f"letter_{role}"] for role in ROLES}, {role: row[role] for role in ROLES}
        )
        for answer, row in zip(said, items.to_dict("records"), strict=True)
    ]
    return with_answers(items.assign(said=said), weights_of_roles(roles), IN_WORDS)


def _instructed(text: str) -> str:
    return f"{text.removesuffix('Answer:')}Answer with the letter A, B or C only."
