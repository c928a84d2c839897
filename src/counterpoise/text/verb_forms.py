"""English verbs in the present: from the form of he and she to the form of they (walks, walk), and small word lists.

What is irregular, and which words are adverbs, auxiliaries and so on, is in `lists/agreement.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from counterpoise.core.documents import parse_yaml
from counterpoise.text.edits import Edit
from counterpoise.text.matching import match_case
from counterpoise.text.tokens import TextToken

_IN_S = re.compile(r".*[^\W\d_][^\W\d_](?<![sui'])s")  # not kiss, this, us, nor 's
_ES = re.compile(r".*(?:ss|sh|ch|x|zz|o)es")


def plural_form(verb: str) -> str | None:
    """The plural of a verb in the form of he and she; None where the word is no such form.

    >>> [plural_form(word) for word in ("is", "walks", "carries", "dies", "watches", "uses", "double-checks", "always")]
    ['are', 'walk', 'carry', 'die', 'watch', 'use', 'double-check', None]
    """
    start, hyphen, last = verb.rpartition("-")
    if hyphen:
        plural = plural_form(last)
        return plural and f"{start}-{plural}"
    if known := auxiliaries().get(verb) or _irregular().get(verb):
        return known
    if verb in words("not_verbs") or not _IN_S.fullmatch(verb) or verb.endswith("ous"):
        return None
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    return verb[:-2] if _ES.fullmatch(verb) else verb[:-1]


def plural_edit(token: TextToken) -> Edit:
    """The edit that puts a verb in the plural, with its case and its apostrophe."""
    plural = plural_form(token.word) or token.word
    plural = plural.replace("'", "’") if "’" in token.text else plural
    return Edit(token.start, token.end, token.text, match_case(token.text, plural))


@cache
def auxiliaries() -> dict[str, str]:
    """is, was, has, does, with and without n't, and their plurals."""
    return dict(_lists()["auxiliaries"])


@cache
def words(name: str) -> frozenset[str]:
    """The words of one list.

    >>> "often" in words("adverbs"), "sing" in words("verbs")
    (True, True)
    """
    return frozenset(_lists()[name].split())


def adverbs_at(sentence: Sequence[TextToken], place: int) -> int:
    """How many tokens from a place on are an adverb: 1 for often, 2 for of course, 0 where there is none."""
    for length in (4, 3, 2):
        if tuple(token.word for token in sentence[place : place + length]) in _adverb_phrases():
            return length
    return int(place < len(sentence) and is_adverb(sentence[place].word))


def is_adverb(word: str) -> bool:
    """Whether a word is one of the listed adverbs or ends in -ly."""
    return word in words("adverbs") or (
        word.endswith("ly") and len(word) > 3 and word not in words("not_adverbs")
    )


@cache
def _adverb_phrases() -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(phrase.split()) for phrase in _lists()["adverb_phrases"])


@cache
def _irregular() -> dict[str, str]:
    return dict(_lists()["irregular"])


@cache
def _lists() -> dict[str, Any]:
    text = resources.files("counterpoise.text").joinpath("lists/agreement.yaml").read_text(encoding="utf-8")
    lists: dict[str, Any] = parse_yaml(text, "agreement.yaml")
    return lists
