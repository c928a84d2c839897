"""Gendered nouns made neutral: an actress -> an actor, mother and father -> parents, Mrs Hill -> Mx Hill."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from counterpoise.text.articles import article
from counterpoise.text.edits import Edit
from counterpoise.text.function_words import function_words
from counterpoise.text.matching import key, lower, match_case, pattern
from counterpoise.text.term_sets import TermSet

_ARTICLE = re.compile(r"(?<![^\W_])an?(?=\s+$)", re.IGNORECASE)
_ONE_OF = re.compile(r"\.?(?:\s*/\s*|\s+or\s+)", re.IGNORECASE)
_BOTH_OF = re.compile(r"\.?\s+(?:and|&)\s+", re.IGNORECASE)  # Mr. and Mrs.
_BOTH_APART = re.compile(r"\s+(?:and|&)\s+(?:an?|the|my|your|his|her|our|their)\s+", re.IGNORECASE)
_NAME_AFTER = re.compile(r"\s+[^\W\d_a-z][^\W\d_]*[^\W\d_A-Z]")
# Words that are titles before a name alone: miss is a verb too, and a mister without a name has no neutral word.
_TITLE = re.compile(r"(?<![^\W_])(?:Miss|Mister|Missus|MISTER|MISSUS)(?=\s+([^\W\d_a-z](?:[^\W_]+|\.)))")
_MX = "mx"
_PLURALS = {"child": "children", "person": "people"}


class Nouns(NamedTuple):
    """The edits of nouns, and where nouns stand of which the rules cannot tell."""

    edits: list[Edit]
    unsure: list[int]


def neutral_nouns(text: str, terms: TermSet) -> Nouns:
    """The edits that make the nouns of a text neutral, with the articles before them.

    >>> from counterpoise.text.terms import load
    >>> [edit.new for edit in neutral_nouns("A policeman met an heiress, her mother and father.", load("all")).edits]
    ['police officer', 'heir', 'parents']
    """
    words = _words(terms)
    found = [
        Edit(*match.span(), text[slice(*match.span())], terms.to_neutral[key(match[0])])
        for match in words.pattern.finditer(lower(text))
    ]
    if _MX in terms.to_neutral.values():
        titles = (match for match in _TITLE.finditer(text) if match[1].lower() not in function_words())
        found = sorted([*found, *(Edit(*match.span(), match[0], _MX) for match in titles)])
    edits: list[Edit] = []
    unsure: list[int] = []
    for noun in found:
        if _is_name(text, noun, words):
            unsure.append(noun.start)
        elif edits and edits[-1].new.lower() == noun.new and _pair(text, edits, noun, unsure, words):
            continue
        else:
            edits.append(noun._replace(new=match_case(noun.old, noun.new)))
    with_articles = [change for edit in edits for change in _with_article(text, edit)]
    return Nouns([edit for edit in with_articles if edit.old != edit.new], unsure)


class _Words(NamedTuple):
    pattern: re.Pattern[str]
    plurals: frozenset[str]  # neutral words in the plural
    kin: frozenset[str]  # words by which relatives are called: Mom


@lru_cache(maxsize=8)
def _words(terms: TermSet) -> _Words:
    plurals = frozenset(term.neutral for term in terms.terms if term.number == "plural" and term.neutral)
    kin = {
        word
        for term in terms.terms
        if term.field == "family" and term.number == "singular"
        for word in (term.male, term.female)
    }
    return _Words(pattern(terms.to_neutral), plurals, frozenset(kin))


def _is_name(text: str, noun: Edit, words: _Words) -> bool:
    """A word that is written as a name: Mom, Uncle Bob, Lady Gaga; not a title, which has a neutral form."""
    if not noun.old[0].isupper() or (noun.old.isupper() and len(noun.old) > 1) or noun.new == _MX:
        return False
    return key(noun.old.lower()) in words.kin or bool(_NAME_AFTER.match(text, noun.end))


def _pair(text: str, edits: list[Edit], noun: Edit, unsure: list[int], words: _Words) -> bool:
    """Joins a noun to the one before it where both become one word: boys and girls -> children."""
    before = edits[-1]
    between = before.end, noun.start
    new = before.new
    if _ONE_OF.fullmatch(text, *between):
        pass
    elif _BOTH_OF.fullmatch(text, *between):
        if noun.new not in words.plurals:
            plural = _PLURALS.get(noun.new, f"{noun.new}s")
            if plural not in words.plurals or _ARTICLE.search(text, max(0, before.start - 10), before.start):
                unsure.append(noun.start)
                return True
            new = match_case(before.old, plural)
    elif _BOTH_APART.fullmatch(text, *between):
        unsure.append(noun.start)
        return True
    else:
        return False
    edits[-1] = Edit(before.start, noun.end, text[before.start : noun.end], new)
    return True


def _with_article(text: str, edit: Edit) -> list[Edit]:
    """The edit, and before it that of an article which no longer fits."""
    start = max(0, edit.start - 10)
    found = _ARTICLE.search(text[start : edit.start])
    wanted = article(edit.new)
    if found is None or found[0].lower() == wanted or edit.old == edit.new:
        return [edit]
    place = start + found.start()
    return [Edit(place, place + len(found[0]), found[0], match_case(found[0], wanted)), edit]
