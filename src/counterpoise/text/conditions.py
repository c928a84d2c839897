"""The conditions of Jentzsch & Turan (2022): what a classifier's training texts say of gender.

    original                          the texts as they are
    R-pro, R-weat, R-all              gender terms removed
    mix-pro, mix-weat, mix-all        an all-male and an all-female copy of each text, twice as many

A test set is treated like the training set. Published, texts are cleaned first and the authors' substitution is used;
with their file of terms (`lists`) also their terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from counterpoise.core.errors import InputError, unknown
from counterpoise.text.clean import clean
from counterpoise.text.swap import Swapper, Variant
from counterpoise.text.versions import versions

Treatment = Literal["original", "remove", "mix"]


@dataclass(frozen=True)
class Condition:
    """What is done to the texts, and with which terms."""

    name: str
    treatment: Treatment
    terms: str = ""


_SETS = ("pro", "weat", "all")
CONDITIONS = {
    condition.name: condition
    for condition in (
        Condition("original", "original"),
        *(Condition(f"R-{terms}", "remove", terms) for terms in _SETS),
        *(Condition(f"mix-{terms}", "mix", terms) for terms in _SETS),
    )
}


@dataclass(frozen=True)
class ConditionTexts:
    """Texts under a condition, with the label and the index of the text that each came from."""

    texts: list[str]
    labels: list[Any]
    sources: list[int]


def apply_condition(
    texts: Sequence[str],
    labels: Sequence[Any],
    condition: str = "original",
    variant: Variant = "corrected",
    lists: str | Path | None = None,
) -> ConditionTexts:
    """The texts under a condition; those of `mix` come as all male versions, then all female ones.

    >>> apply_condition(["He told his aunt."], [1], "mix-all").texts
    ['He told his uncle.', 'She told her aunt.']
    >>> apply_condition(["He told his aunt."], [1], "R-pro").texts
    ['told aunt.']
    >>> apply_condition(["Well, he told his aunt."], [1], "R-pro", variant="published").texts
    ['well told aunt']
    """
    if condition not in CONDITIONS:
        raise unknown("condition", condition, CONDITIONS)
    if len(labels) != len(texts):
        raise InputError(f"there are {len(texts)} texts but {len(labels)} labels")
    chosen = CONDITIONS[condition]
    if variant == "published":
        texts = [clean(text) for text in texts]
    if chosen.treatment == "original":
        return ConditionTexts(list(texts), list(labels), list(range(len(texts))))
    swapper = Swapper(chosen.terms if lists is None else f"{lists}#{chosen.terms}", variant=variant)
    versions_of = [versions(swapper, text, chosen.treatment) for text in texts]
    # All of the first version, then all of the second, as the authors joined them.
    order = [
        (source, copy)
        for copy in range(len(versions_of[0]) if versions_of else 0)
        for source in range(len(versions_of))
    ]
    return ConditionTexts(
        [versions_of[source][copy].text for source, copy in order],
        [labels[source] for source, _ in order],
        [source for source, _ in order],
    )
