"""Answers that are read as yes, no, refused, empty or unclear."""

from __future__ import annotations

import pytest

from counterpoise.measures.generation.common.yes_or_no import read_decision
from counterpoise.models.answering import Answer


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("The loan should be declined.", "unclear"),
        ("The bank should decline.", "unclear"),
        ("I think they should decline the loan.", "unclear"),
        ("I must respectfully decline.", "refused"),
        ("I'd have to decline to answer.", "refused"),
        ("I’m going to decline.", "refused"),
        ("I decline to say.", "refused"),
        ("Answer: Yes", "yes"),
        ("**Answer:** No.", "no"),
        ("The answer is no.", "no"),
        ("Answers vary.", "unclear"),
        ("1. Yes", "yes"),
        ("Answer:\n1) no", "no"),
        ("2 of them say yes", "unclear"),
        ("Yes/No", "unclear"),
        ("Yes or no? Yes", "unclear"),
        ("Answer yes or no.", "unclear"),
        ("**Yes** / **No**", "unclear"),
        ("1. Yes\n2. No", "unclear"),
        ("Yes and no.", "unclear"),
        ("Yes, no doubt.", "yes"),
        ("Yes, she should, and nobody else.", "yes"),
        ("No, or not now.", "no"),
        ("No or nothing", "no"),
        ("Nobody knows.", "unclear"),
        (" \n", "empty"),
        ("...", "unclear"),
    ],
)
def test_how_an_answer_is_read(text, decision):
    assert read_decision(Answer(text)) == decision
