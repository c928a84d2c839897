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
from counterpoise.core.mask import MASK
from counterpoise.data.spec import Variant
from counterpoise.measures.base.scoring_problems import target_problems
from counterpoise.measures.base.skipped import keep_scorable, skipped_table
from counterpoise.measures.base.source import Contrast
from counterpoise.measures.base.table_checks import check_columns, row_problems
from counterpoise.models.masked import MaskedLM

_OTHER = {"male": "female", "female": "male"}


def needed_columns(attribute: str, *others: str) -> tuple[str, ...]:
    """What a table of sentences must have: the attribute's column among them, and others of a measure's own."""
    before = ("target_masked", "both_masked", "person", "gender")
    return (*before, attribute, *others, "group", "template", "pair", "attribute_at")


def shared_by_pair(attribute: str) -> list[str]:
    """The columns that the male and the female version of a sentence share."""
    return ["group", attribute, "template", "pair"]


def usable_sentences(
    sentences: pd.DataFrame,
    measure: str,
    needed: Sequence[str],
    variant: Variant,
    *,
    attribute: str = "profession",
    version: Sequence[str],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The sentences that say something, whatever the model, and what was skipped.

    `version` names the columns that tell the sentences apart: one that is there twice would count twice.
    """
    table = check_columns(sentences, needed, measure)
    texts = ["target_masked", "person", attribute, *(["both_masked"] if variant == "published" else [])]
    others = [column for column in needed if column != "both_masked"]
    genders = {column: list(_OTHER) for column in ("gender", "form") if column in needed}
    problems = row_problems(table, texts=texts, needed=others, once=version, allowed=genders)
    versions = [column for column in version if column != "gender"]
    table, skipped = keep_scorable(table, problems, "target_masked", together=versions)
    return table.assign(attribute_at=pd.to_numeric(table.attribute_at, errors="coerce").fillna(-1)), skipped


def score_associations(
    model: MaskedLM, sentences: pd.DataFrame, variant: Variant, attribute: str = "profession"
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The sentences with `log_p_target`, `log_p_prior`, `prior_text` and `association`; and what was skipped.

    The prior hides the attribute under one mask per word piece, or per word if published.
    """
    items, skipped = keep_scorable(sentences, _problems(model, sentences, attribute), "target_masked")
    items["attribute_at"] = items.attribute_at.astype(int)
    items["prior_text"] = _priors(model, items, variant, attribute)
    items, unasked = keep_scorable(items, prior_problems(model, items, items.person), "target_masked")
    targets = [[person] for person in items.person]
    items["log_p_target"] = model.target_log_probs(items.target_masked.tolist(), targets)[:, 0]
    items["log_p_prior"] = log_priors(model, items, items.person)
    items["association"] = items.log_p_target - items.log_p_prior
    return items, pd.concat([skipped, unasked], ignore_index=True)


def paired_associations(
    model: MaskedLM, sentences: pd.DataFrame, variant: Variant, attribute: str = "profession"
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The associations of sentences that have both a male and a female version, and what was skipped."""
    items, skipped = score_associations(model, sentences, variant, attribute)
    items, alone = with_partner(items, shared_by_pair(attribute))
    return items, pd.concat([skipped, alone], ignore_index=True)


def prior_problems(model: MaskedLM, items: pd.DataFrame, targets: pd.Series) -> list[str | None]:
    """A prior has other masks than its sentence, so that it can be too long where the sentence is not."""
    problems: list[str | None] = [None] * len(items)
    for mask, chosen in _masks_of_targets(items):
        texts, words = items.prior_text.iloc[chosen].tolist(), [[word] for word in targets.iloc[chosen]]
        for row, problem in zip(chosen, model.target_problems(texts, words, mask=mask), strict=True):
            problems[row] = problem and f"the prior cannot be asked: {problem}"
    return problems


def log_priors(model: MaskedLM, items: pd.DataFrame, targets: pd.Series) -> np.ndarray:
    """The target's log-probability at its own mask, which comes first or last among those of the prior text."""
    priors = np.empty(len(items))
    for mask, chosen in _masks_of_targets(items):
        texts, words = items.prior_text.iloc[chosen].tolist(), [[word] for word in targets.iloc[chosen]]
        priors[chosen] = model.target_log_probs(texts, words, mask=mask)[:, 0]
    return priors


def _masks_of_targets(items: pd.DataFrame) -> list[tuple[int, np.ndarray]]:
    """Which mask of its prior text is the target's, with the rows for which it is that one."""
    first = (items.target_masked.str.find(MASK) < items.attribute_at).to_numpy()
    rows = ((0, np.flatnonzero(first)), (-1, np.flatnonzero(~first)))
    return [(mask, chosen) for mask, chosen in rows if len(chosen)]


def with_partner(items: pd.DataFrame, pair: list[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A sentence whose male or female version is missing cannot be compared, and that is said."""
    genders = items.groupby(pair, sort=False).gender.transform("nunique")
    alone = [f"its {other} version is missing" for other in items.gender[genders < 2].map(_OTHER)]
    skipped = skipped_table(items.target_masked[genders < 2].tolist(), alone)
    if (genders < 2).all():
        raise DataError("there is no sentence with both a male and a female version to compare")
    return items[genders == 2].reset_index(drop=True), skipped


def male_minus_female(within: Sequence[str]) -> Contrast:
    """The male version of a sentence minus the female one; `within` are the columns that both share."""
    return Contrast(("gender",), {("male",): 1.0, ("female",): -1.0}, tuple(within))


def differences(items: pd.DataFrame, pair: list[str]) -> pd.DataFrame:
    """One row per pair of person words in the same sentence: `male`, `female` and their `difference`."""
    association = items.pivot_table(index=pair, columns="gender", values="association", sort=False)
    pairs = association[["male", "female"]].reset_index().rename_axis(columns=None)
    return pairs.assign(difference=pairs.male - pairs.female)


def _problems(model: MaskedLM, sentences: pd.DataFrame, attribute: str) -> list[str | None]:
    known = {word: model.knows(word) for word in sentences[attribute].unique()}
    persons = [[person] for person in sentences.person]
    problems = target_problems(model, sentences.target_masked.tolist(), persons)
    columns = (sentences[name] for name in ("target_masked", attribute, "attribute_at"))
    return [
        problem or attribute_problem(text, word, start, known[word])
        for problem, text, word, start in zip(problems, *columns, strict=True)
    ]


def attribute_problem(text: str, attribute: str, start: float, known: bool) -> str | None:
    """Why a sentence does not have one mask for the person, and the attribute where it should be; or None."""
    if text.count(MASK) != 1:
        return f"the sentence has {text.count(MASK)} masks instead of one for the person"
    if not known:
        return f"{attribute!r} is not in the vocabulary"
    if start % 1 or start < 0 or text[int(start) : int(start) + len(attribute)] != attribute:
        return f"{attribute!r} does not begin at character {start:g}"
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
