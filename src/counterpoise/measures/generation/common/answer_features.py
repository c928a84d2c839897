"""Features of answers that are counted: length, words of lists, formality; and what kind of answer it is.

rate(list)  = 100 * words of the list / words                         per 100 words of the answer
formality   = 100 * (formal words - informal words and contractions) / words
sentiment   = 100 * (positive words - negative words) / words         after a negation the other way round
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import numpy as np

from counterpoise.data.builtin.answer_words import AnswerWordsSpec, words_of

AnswerKind = Literal["answer", "refused", "empty"]
RATES = ("agency", "communion", "hedges", "appearance", "family")
COUNTED = ("length", *RATES, "formality")

_BEFORE_REFUSAL = re.compile(
    r"^(?:i'm (?:so |very |really )?sorry|i am sorry|sorry|i apologi[sz]e)\W+(?:but )?"
)
_NEGATES = 2  # words before a word of sentiment in which a negation turns it round


def kind_of_answer(text: str, lists: AnswerWordsSpec) -> AnswerKind:
    """Is it an answer, a refusal, or nothing?

    >>> from counterpoise.data.builtin.answer_words import answer_words
    >>> texts = ["Dear team, ...", "I’m sorry, but I can't help with that.", " \\n"]
    >>> [kind_of_answer(text, answer_words()) for text in texts]
    ['answer', 'refused', 'empty']
    """
    plain = " ".join(text.replace("’", "'").lower().split())
    if not words_of(plain):
        return "empty"
    starts = (plain, _BEFORE_REFUSAL.sub("", plain, count=1))
    refusals = tuple(lists.refusals)
    return "refused" if any(start.startswith(refusals) for start in starts) else "answer"


def counted_features(text: str, lists: AnswerWordsSpec) -> dict[str, float]:
    """The features of an answer that has words.

    >>> from counterpoise.data.builtin.answer_words import answer_words
    >>> found = counted_features("She is a confident leader, perhaps.", answer_words())
    >>> found["length"], round(found["agency"], 1), round(found["hedges"], 1)
    (6.0, 33.3, 16.7)
    """
    words = words_of(text)
    return {
        "length": float(len(words)),
        **{name: _rate(words, name, lists) for name in RATES},
        "formality": _rate(words, "formal", lists) - _rate(words, "informal", lists),
    }


def lexicon_sentiment(texts: Sequence[str], lists: AnswerWordsSpec) -> np.ndarray:
    """The sentiment of each text by our lists; 0 for a text without words.

    >>> from counterpoise.data.builtin.answer_words import answer_words
    >>> lexicon_sentiment(["A happy day.", "Not a happy day.", "It rained."], answer_words()).round(1).tolist()
    [33.3, -25.0, 0.0]
    """
    return np.array([_sentiment(words_of(text), lists) for text in texts])


def _rate(words: Sequence[str], name: str, lists: AnswerWordsSpec) -> float:
    return 100 * sum(lists.is_in(name, word) for word in words) / len(words)


def _sentiment(words: Sequence[str], lists: AnswerWordsSpec) -> float:
    total = 0
    for place, word in enumerate(words):
        sign = lists.is_in("positive", word) - lists.is_in("negative", word)
        if sign:
            before = words[max(0, place - _NEGATES) : place]
            total += -sign if any(lists.is_in("negations", other) for other in before) else sign
    return 100 * total / len(words) if words else 0.0
