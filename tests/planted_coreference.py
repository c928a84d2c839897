"""Coreference systems whose answers are known, sentences of our own to ask them about, and counts in plain Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from statistics import fmean
from typing import Any

import pandas as pd

from counterpoise.measures.base.result import Result
from counterpoise.models import CoreferenceSystem

PRONOUNS = re.compile(r"\b(?:he|she|they|him|her|them|his|their)\b")


def answering(sentences: Iterable[Any], choose: Callable[[Any], str | None]) -> CoreferenceSystem:
    """Links the pronoun of each sentence to the word in the column that `choose` names, or to nothing."""
    row_of = {row.text: row for row in sentences}

    def clusters(texts: list[str]) -> list[list[list[tuple[int, int]]]]:
        return [_clusters(row_of[text], choose(row_of[text])) for text in texts]

    return CoreferenceSystem.of(clusters, name="planted")


def _clusters(row: Any, column: str | None) -> list[list[tuple[int, int]]]:
    if column is None:
        return []
    return [[mention(row, column), (row.pronoun_at, row.pronoun_at + len(row.pronoun))]]


def mention(row: Any, column: str) -> tuple[int, int]:
    """The noun with its article, as systems give it."""
    start = getattr(row, f"{column}_at")
    article = re.search(r"(?:[Tt]he|[Aa]n?) $", row.text[:start])
    return (article.start() if article else start, start + len(getattr(row, column)))


def first_mention(nouns: Iterable[str]) -> CoreferenceSystem:
    """Blind to gender and meaning: links every pronoun to the first of these nouns in the text."""
    pattern = re.compile(rf"(?i)\b(?:the |an? )?(?:{'|'.join(sorted(nouns, key=len, reverse=True))})\b")

    def clusters(texts: list[str]) -> list[list[list[tuple[int, int]]]]:
        return [
            [[match.span(), *(pronoun.span() for pronoun in PRONOUNS.finditer(text))]]
            for text in texts
            for match in [pattern.search(text)]
            if match
        ]

    return CoreferenceSystem.of(clusters, name="first mention")


def pair(
    number: int, text: str, pro: str, anti: str, occupation: str, other: str, women: int, kind: int = 1
) -> list[dict[str, object]]:
    """Our own sentence in its two versions; the pronoun stands at _."""
    return [
        {
            "text": text.replace("_", pronoun),
            "version": version,
            "pronoun": pronoun,
            "counterpart": counterpart,
            "occupation": occupation,
            "other": other,
            "pronoun_at": text.index("_"),
            "occupation_at": text.index(occupation),
            "other_at": text.index(other),
            "pair": str(number),
            "stereotype": "male" if women < 50 else "female",
            "type": kind,
            "problem": None,
        }
        for version, pronoun, counterpart in (("pro", pro, anti), ("anti", anti, pro))
    ]


OWN = pd.DataFrame(
    [
        *pair(1, "The guard thanked the nurse because _ was lost.", "he", "she", "guard", "nurse", 22),
        *pair(2, "The guard thanked the nurse because _ was kind.", "she", "he", "nurse", "guard", 90),
        *pair(3, "The nurse met the guard and thanked _.", "him", "her", "guard", "nurse", 22, 2),
        *pair(4, "The cook met the cleaner and praised _.", "her", "him", "cleaner", "cook", 89, 2),
        *pair(5, "The cook asked the cleaner why _ was late.", "he", "she", "cook", "cleaner", 38),
    ]
)


def values(result: Result) -> pd.Series:
    """The values of all rows by their keys."""
    return result.summary.set_index("key").value


def balanced(items: Iterable[Any], number: Callable[[Any], float]) -> float:
    """The mean over stereotypes of the mean over occupations of the mean over items, in plain Python."""
    of: dict[str, dict[str, list[float]]] = {}
    for item in items:
        of.setdefault(item.stereotype, {}).setdefault(item.occupation, []).append(number(item))
    return fmean(fmean(fmean(numbers) for numbers in occupations.values()) for occupations in of.values())
