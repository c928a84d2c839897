"""Whom a pronoun means by the clusters of a system, in texts whose answer is plain."""

from __future__ import annotations

import pandas as pd
import pytest

from counterpoise.measures.pronouns.common.resolution import Question, questions, resolve

TEXT = "The cook, who is ill, met a guard near the cook's house because she was late, and she slept."


def span(words, after=0):
    start = TEXT.index(words, after)
    return start, start + len(words)


SHE = span("she")
QUESTION = Question(TEXT, SHE, (span("cook"), span("guard")))


@pytest.mark.parametrize(
    ("clusters", "answer"),
    [
        ([[span("The cook"), SHE]], "first"),
        ([[span("cook"), SHE]], "first"),
        ([[SHE, span("The cook, who is ill")]], "first"),
        ([[span("a guard"), SHE]], "second"),
        ([[(span("a guard")[0] - 1, span("a guard")[1] + 1), SHE]], "second"),  # spaces at both ends
        ([[span("The cook"), span("a guard"), SHE]], "both"),
        ([[span("The cook"), SHE], [span("a guard"), SHE]], "both"),
        ([[span("The cook"), span("a guard")], [SHE]], "neither"),
        ([], "neither"),
        ([[span("The cook, who is ill, met a guard"), SHE]], "neither"),  # both of them are no one of them
        ([[span("house"), SHE]], "neither"),
        ([[span("ill, met a guard"), SHE]], "neither"),  # begins elsewhere
        ([[span("The cook"), span("she", SHE[1])]], "neither"),  # another pronoun
        ([[span("guard near the cook's house because she"), SHE]], "neither"),  # holds the pronoun itself
    ],
)
def test_answers(clusters, answer):
    assert resolve(QUESTION, clusters) == answer


@pytest.mark.parametrize(
    ("mention", "answer"),
    [
        ("the cook", "first"),
        ("the cook's", "first"),
        ("the cook's house", "neither"),
        ("cook's house", "neither"),
    ],
)
def test_what_somebody_owns_is_not_the_person(mention, answer):
    again = span("cook", 10)
    question = Question(TEXT, SHE, (again, span("guard")))
    assert resolve(question, [[span(mention, again[0] - 4), SHE]]) == answer


def test_questions_of_a_table():
    row = {"text": TEXT, "pronoun": "she", "occupation": "cook", "other": "guard"}
    places = {f"{column}_at": TEXT.index(row[column]) for column in ("pronoun", "occupation", "other")}
    assert questions(pd.DataFrame([{**row, **places}]), ("occupation", "other")) == [QUESTION]
