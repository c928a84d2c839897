"""Which pronoun a model chooses in texts that declare one, and whether it is the right one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from counterpoise.core.mask import MASK
from counterpoise.measures.base.scoring_problems import target_problems
from counterpoise.models.causal import CausalLM
from counterpoise.models.endpoints.endpoint import Endpoint
from counterpoise.models.masked import MaskedLM
from counterpoise.text.pronoun_sets import PronounSet

LanguageModel = MaskedLM | CausalLM | Endpoint

# The singular they has two reflexive forms in use; either is right, and P(form) is the sum of both.
_ALSO = {"themself": "themselves", "themselves": "themself"}


def spellings(form: str) -> tuple[str, ...]:
    """
    >>> spellings("themself"), spellings("xemself")
    (('themself', 'themselves'), ('xemself',))
    """
    return (form, _ALSO[form]) if form in _ALSO else (form,)


def candidates(sets: Sequence[PronounSet], form: str) -> list[str]:
    """The form of each set."""
    return [pronouns.forms[form] for pronouns in sets]


def choice_problems(
    model: LanguageModel, items: pd.DataFrame, sets: Sequence[PronounSet]
) -> list[str | None]:
    """For each text why one of the candidates cannot be scored in it, or None."""
    rows, _, texts, words = _questions(items, sets)
    if not isinstance(model, MaskedLM):
        texts = _filled(texts, words)
    problems: list[str | None] = [None] * len(items)
    for row, problem in zip(rows, target_problems(model, texts, [[word] for word in words]), strict=True):
        problems[row] = problems[row] or problem
    return problems


def score_candidates(model: LanguageModel, items: pd.DataFrame, sets: Sequence[PronounSet]) -> np.ndarray:
    """The score of each set's form in each text, as an array (texts, sets).

    A masked model gives log P(form | rest of the text), by the chain rule where a form has several tokens, any other
    model the log-likelihood of the text with the form, which is the same up to a constant of the text (Bayes' rule).
    """
    rows, columns, texts, words = _questions(items, sets)
    if isinstance(model, MaskedLM):
        scores = model.target_log_probs(texts, [[word] for word in words])[:, 0]
    else:
        scores = model.log_likelihood(_filled(texts, words))
    table = np.full((len(items), len(sets)), -np.inf)
    np.logaddexp.at(table, (rows, columns), scores)
    return table


def _questions(
    items: pd.DataFrame, sets: Sequence[PronounSet]
) -> tuple[list[int], list[int], list[str], list[str]]:
    """A question for each text, candidate and spelling: their row and column, the text and the word."""
    of_form = {
        form: [
            (column, word)
            for column, candidate in enumerate(candidates(sets, form))
            for word in spellings(candidate)
        ]
        for form in items.form.unique()
    }
    asked = [
        (row, column, text, word)
        for row, (text, form) in enumerate(zip(items.text, items.form, strict=True))
        for column, word in of_form[form]
    ]
    rows, columns, texts, words = (list(part) for part in zip(*asked, strict=True))
    return rows, columns, texts, words


def _filled(texts: Sequence[str], words: Sequence[str]) -> list[str]:
    return [text.replace(MASK, word) for text, word in zip(texts, words, strict=True)]


def judged(scores: np.ndarray, words: np.ndarray, tokens: np.ndarray | None) -> pd.DataFrame:
    """What the model chose after each declaration, and whether it was right.

    Parameters
    ----------
    scores
        An array (slots, declared sets, candidates), whose candidates are the same sets in the same order.
    words
        The form of each set, as an array (slots, sets). Sets may share a form: then it is one candidate.
    tokens
        How many tokens each of these words has, if known.

    Returns a row per slot and declared set: `choice`, the likeliest form; `p_right`, the probability of the right form
    if it must be one of the candidates; `right`; `right_calibrated`, after each form's mean over all declarations has
    been taken off its scores; `right_whole`, among the forms that are one token, nan where the right one is not. A
    tie is not right.
    """
    same = words[:, :, None] == words[:, None, :]
    again = np.triu(same.transpose(0, 2, 1), 1).any(1)[:, None, :]  # the form of an earlier set
    logs = np.where(again, -np.inf, scores)
    logs = scores - np.logaddexp.reduce(logs, axis=-1, keepdims=True)
    choice = np.take_along_axis(words, logs.argmax(-1), axis=1)
    own = np.arange(words.shape[1])
    table = pd.DataFrame(
        {
            "choice": choice.ravel(),
            "p_right": np.exp(logs[:, own, own]).ravel(),
            "right": _is_right(logs, same).ravel(),
            "right_calibrated": _is_right(logs - logs.mean(1, keepdims=True), same).ravel(),
            "chance": (1 / (~again).sum(-1)).repeat(len(own), axis=1).ravel(),
        }
    )
    if tokens is not None:
        whole = tokens == 1
        right_whole = _is_right(np.where(whole[:, None, :], logs, -np.inf), same)
        table["tokens"] = tokens.ravel()
        table["right_whole"] = np.where(whole, right_whole, np.nan).ravel()
    return table


def _is_right(scores: np.ndarray, same: np.ndarray) -> np.ndarray:
    """1 where the declared set's form scores higher than every other form, else 0; (slots, declared sets)."""
    own = np.arange(scores.shape[1])
    best_other = np.where(same, -np.inf, scores).max(-1)
    return np.asarray(scores[:, own, own] > best_other, dtype=float)
