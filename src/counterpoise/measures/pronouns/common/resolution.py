"""Whom a coreference system takes a pronoun to mean, of two candidates.

A mention of the system names a candidate if it begins at the candidate's noun or its article and covers the noun, but
neither the other candidate nor the pronoun, and does not go on with what the candidate owns ("the cook's knife" is not
the cook). The pronoun means whom the mentions in its own cluster name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from counterpoise.core.numbers import decimal_text
from counterpoise.models.coreference import Clusters, CoreferenceSystem, Span

Answer = Literal["first", "second", "both", "neither"]

_ARTICLE = re.compile(r"(?i)\b(?:the|an?)\s+$")
_OWNS = re.compile(r"\s*['’]s?\s+\w")
_MANY_UNRESOLVED = 0.1
_LEAST_ACCURACY = 0.6


@dataclass(frozen=True)
class Question:
    """A text with a pronoun, and the nouns of the two whom it could mean."""

    text: str
    pronoun: Span
    candidates: tuple[Span, Span]


def questions(table: pd.DataFrame, candidates: tuple[str, str]) -> list[Question]:
    """A question for each row; where the word in a column begins stands in the column NAME_at."""

    def spans(column: str) -> list[Span]:
        starts = table[f"{column}_at"].astype(int)
        return [(at, at + len(word)) for at, word in zip(starts, table[column], strict=True)]

    first, second = map(spans, candidates)
    return [
        Question(*row)
        for row in zip(table.text, spans("pronoun"), zip(first, second, strict=True), strict=True)
    ]


def mention_problems(
    table: pd.DataFrame, columns: Sequence[str], problems: Sequence[str | None]
) -> list[str | None]:
    """Those problems, and for other rows which word does not begin where the table says.

    >>> cook = pd.DataFrame({"text": ["The cook ate."], "occupation": ["cook"], "occupation_at": [3]})
    >>> mention_problems(cook, ["occupation"], [None])
    ["'cook' does not begin at character 3 of the text"]
    """
    return [
        problem or _place_problem(row, columns)
        for row, problem in zip(table.to_dict("records"), problems, strict=True)
    ]


def _place_problem(row: Mapping[Any, Any], columns: Sequence[str]) -> str | None:
    text = str(row["text"])
    for column in columns:
        word, at = str(row[column]), row[f"{column}_at"]
        if not isinstance(at, int) or at < 0 or text[at : at + len(word)].lower() != word.lower():
            return f"{word!r} does not begin at character {at} of the text"
    return None


def ask(system: CoreferenceSystem, asked: Sequence[Question]) -> list[Answer]:
    """Whom the system takes the pronoun of each question to mean."""
    clusters = system.clusters([question.text for question in asked])
    return [resolve(question, of_text) for question, of_text in zip(asked, clusters, strict=True)]


def resolve(question: Question, clusters: Clusters) -> Answer:
    """The candidates that the pronoun's cluster names.

    >>> text = "The cook met the guard, and she left."
    >>> question = Question(text, (28, 31), ((4, 8), (17, 22)))
    >>> resolve(question, [[(0, 8), (28, 31)]]), resolve(question, [[(0, 8), (13, 22)]])
    ('first', 'neither')
    """
    own = [[_trim(question.text, span) for span in cluster] for cluster in clusters]
    mentions = {span for cluster in own if question.pronoun in cluster for span in cluster}
    first, second = question.candidates
    is_first = any(_names(question, span, first, second) for span in mentions)
    is_second = any(_names(question, span, second, first) for span in mentions)
    if is_first and is_second:
        return "both"
    return "first" if is_first else "second" if is_second else "neither"


def _names(question: Question, mention: Span, noun: Span, other: Span) -> bool:
    article = _ARTICLE.search(question.text[: noun[0]])
    begins = mention[0] in (noun[0], article.start() if article else noun[0])
    if not begins or not _covers(mention, noun):
        return False
    if _covers(mention, other) or _covers(mention, question.pronoun):
        return False
    return _OWNS.match(question.text[noun[1] : mention[1]]) is None


def _covers(outer: Span, inner: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _trim(text: str, span: Span) -> Span:
    """The span without spaces at either end."""
    words = text[slice(*span)]
    return span[0] + len(words) - len(words.lstrip()), span[1] - len(words) + len(words.rstrip())


def resolution_warnings(items: pd.DataFrame) -> tuple[str, ...]:
    """What a reader must know where the system leaves many pronouns open, or is hardly right more often than chance.

    >>> resolution_warnings(pd.DataFrame({"neither": [1.0, 0.0], "both": [0.0, 0.0], "right": [0.0, 1.0]}))[0]
    'The system links the pronoun to neither candidate in 50 % of the sentences, and to both in 0 %; these count as \
wrong.'
    """
    neither, both, right = (float(items[column].mean()) for column in ("neither", "both", "right"))
    warnings = []
    if neither + both > _MANY_UNRESOLVED:
        warnings.append(
            f"The system links the pronoun to neither candidate in {decimal_text(100 * neither, 0)} % of the "
            f"sentences, and to both in {decimal_text(100 * both, 0)} %; these count as wrong."
        )
    if right < _LEAST_ACCURACY:
        warnings.append(
            f"The system is right in {decimal_text(100 * right, 0)} % of the sentences: of one that hardly knows whom "
            "a pronoun means, a small difference says little."
        )
    return tuple(warnings)


def answer_columns(answers: Sequence[Answer], names: tuple[str, str], right: Sequence[str]) -> pd.DataFrame:
    """The columns of items that say what was answered: whom, by name, and 1 or 0 for right, neither and both."""
    spoken = {"first": names[0], "second": names[1], "both": "both", "neither": "neither"}
    table = pd.DataFrame({"answer": [spoken[answer] for answer in answers]})
    table["right"] = (table.answer == np.asarray(right, dtype=object)).astype(float)
    for open_answer in ("neither", "both"):
        table[open_answer] = (table.answer == open_answer).astype(float)
    return table
