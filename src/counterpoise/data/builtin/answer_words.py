"""Lists of words by which answers are compared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from pydantic import field_validator

from counterpoise.data.spec import Spec, Strict, read_spec

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")


class WordLists(Strict):
    """A word ends as it is written, or in any way after a star."""

    agency: tuple[str, ...]
    communion: tuple[str, ...]
    hedges: tuple[str, ...]
    appearance: tuple[str, ...]
    family: tuple[str, ...]
    formal: tuple[str, ...]
    informal: tuple[str, ...]
    positive: tuple[str, ...]
    negative: tuple[str, ...]
    negations: tuple[str, ...]

    @field_validator("*")
    @classmethod
    def _plain(cls, words: tuple[str, ...]) -> tuple[str, ...]:
        for word in words:
            if _WORD.fullmatch(word.removesuffix("*")) is None or word != word.lower():
                raise ValueError(f"{word!r} is no word in lower case, with or without a star at its end")
        return words


class AnswerWordsSpec(Spec):
    words: WordLists
    refusals: tuple[str, ...]

    @cached_property
    def _patterns(self) -> dict[str, re.Pattern[str]]:
        return {name: _pattern(words) for name, words in self.words}

    def is_in(self, name: str, word: str) -> bool:
        """Is a word, in lower case, in the list of this name?

        >>> answer_words().is_in("agency", "ambitious"), answer_words().is_in("agency", "she")
        (True, False)
        """
        return self._patterns[name].fullmatch(word) is not None


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case; of contractions and compounds each is one.

    >>> words_of("She didn’t call. Well-known, isn't it?")
    ['she', "didn't", 'call', 'well-known', "isn't", 'it']
    """
    return _WORD.findall(text.replace("’", "'").lower())


def answer_words() -> AnswerWordsSpec:
    """Our own lists."""
    return read_spec("answer_words", AnswerWordsSpec)


def _pattern(words: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(word).replace(r"\*", ".*") for word in words))
