"""Associations of person words with an attribute, which several measures are made of.

    association(target, attribute) = log P(target | sentence with the attribute) - log P(target | attribute masked)

at the masked target (Kurita's p_tgt and p_prior, Bartl's figure 2). Tables of sentences have the columns of
`counterpoise.data.becpro`, and a column of the measure's own choice for the attribute.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.data.becpro import MASK
from counterpoise.data.spec import Variant
from counterpoise.measures.result import keep_scorable, skipped_table
from counterpoise.models.masked import MaskedLM

_OTHER = {"male": "female", "female": "male"}


def check_sentences(sentences: pd.DataFrame, measure: str, needed: Sequence[str]) -> None:
    if missing := [column for column in needed if column not in sentences]:
        raise DataError(f"the data lack the column {missing[0]!r}; {measure} needs {', '.join(needed)}")
    if sentences.empty:
        raise DataError("there are no sentences to measure on")


def score_associations(
    model: MaskedLM, sentences: pd.DataFrame, variant: Variant, attribute: str = "profession"
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The sentences with `log_p_target`, `log_p_prior`, `prior_text` and `association`; and what was skipped.

    The prior hides the attribute under one mask per word piece, or per word if published.
    """
    items, skipped = keep_scorable(sentences, _problems(model, sentences, attribute), "target_masked")
    targets = [[person] for person in items.person]
    items["prior_text"] = _priors(model, items, variant, attribute)
    items["log_p_target"] = model.target_log_probs(items.target_masked.tolist(), targets)[:, 0]
    items["log_p_prior"] = _log_priors(model, items, targets)
    items["association"] = items.log_p_target - items.log_p_prior
    return items, skipped


def with_partner(items: pd.DataFrame, pair: list[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A sentence whose male or female version is missing cannot be compared, and that is said."""
    genders = items.groupby(pair, sort=False).gender.transform("nunique")
    alone = [f"its {other} version is missing" for other in items.gender[genders < 2].map(_OTHER)]
    skipped = skipped_table(items.target_masked[genders < 2].tolist(), alone)
    if (genders < 2).all():
        raise DataError("there is no sentence with both a male and a female version to compare")
    return items[genders == 2].reset_index(drop=True), skipped


def differences(items: pd.DataFrame, pair: list[str]) -> pd.DataFrame:
    """One row per pair of person words in the same sentence: `male`, `female` and their `difference`."""
    association = items.pivot_table(index=pair, columns="gender", values="association", sort=False)
    pairs = association[["male", "female"]].reset_index().rename_axis(columns=None)
    return pairs.assign(difference=pairs.male - pairs.female)


def _problems(model: MaskedLM, sentences: pd.DataFrame, attribute: str) -> list[str | None]:
    known = {person: model.knows(person) for person in sentences.person.unique()}
    problems = model.problems(sentences.target_masked.tolist())
    columns = (sentences[name] for name in ("target_masked", "person", attribute, "attribute_at"))
    return [
        problem or _problem(text, person, word, start, known[person])
        for problem, text, person, word, start in zip(problems, *columns, strict=True)
    ]


def _problem(text: str, person: str, attribute: str, start: int, known: bool) -> str | None:
    if not known:
        return f"{person!r} is not in the vocabulary"
    if text.count(MASK) != 1:
        return f"the sentence has {text.count(MASK)} masks instead of one for the person"
    if text[start : start + len(attribute)] != attribute:
        return f"{attribute!r} does not begin at character {start}"
    return None


def _priors(model: MaskedLM, items: pd.DataFrame, variant: Variant, attribute: str) -> list[str]:
    """The texts of the prior: the target is masked already, and now the attribute too."""
    if variant == "published":
        return items.both_masked.tolist()
    masks = {word: model.masked(word) for word in items[attribute].unique()}
    return [
        f"{text[:start]}{masks[word]}{text[start + len(word) :]}"
        for text, word, start in zip(items.target_masked, items[attribute], items.attribute_at, strict=True)
    ]


def _log_priors(model: MaskedLM, items: pd.DataFrame, targets: list[list[str]]) -> np.ndarray:
    """The target's log-probability at its own mask, which comes first or last among those of the prior text."""
    target_first = items.target_masked.str.find(MASK) < items.attribute_at
    priors = np.empty(len(items))
    for mask, chosen in ((0, target_first), (-1, ~target_first)):
        if chosen.any():
            some = [target for target, wanted in zip(targets, chosen, strict=True) if wanted]
            priors[chosen] = model.target_log_probs(items.prior_text[chosen].tolist(), some, mask=mask)[:, 0]
    return priors
