"""A few lines of a corpus for each of its leading words, with the man or woman beside whom the word stands.

A quote is taken where the word's own sentence, as far as it is shown, holds words of that gender and none of the other.
Only the beginning of a large corpus is read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import pandas as pd

from counterpoise.corpus.concordance import ConcordanceLine, line_at, numbered_documents, occurrences_of
from counterpoise.corpus.counting.listing import differing_words
from counterpoise.corpus.counting.words import CorpusWords
from counterpoise.data.corpus import Corpus
from counterpoise.text.matching import key, lower

LEADING = 3  # words near either gender that are quoted
QUOTES = 3  # of a word
WIDTH = 70  # characters to either side

_READ = 16 << 20  # characters of a corpus that are looked through
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)]*\s|<br")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Quotes:
    """Lines of a corpus in which a word stands near men alone, or near women alone."""

    word: str
    gender: str  # men or women
    lines: tuple[ConcordanceLine, ...]


def leading_quotes(corpus: Corpus, items: pd.DataFrame, words: CorpusWords) -> list[Quotes]:
    """Quotes for the words of a word table that surely stand nearer to men, and nearer to women."""
    listed = differing_words(items)
    near_men = listed[listed.log_odds > 0].word.head(LEADING)
    near_women = listed[listed.log_odds < 0].word.tail(LEADING)
    return quotes(corpus, near_men.tolist(), near_women.tolist()[::-1], words)


def quotes(
    corpus: Corpus,
    near_men: Collection[str],
    near_women: Collection[str],
    words: CorpusWords,
    n: int = QUOTES,
    width: int = WIDTH,
) -> list[Quotes]:
    """The first lines in which each word stands near men alone, or near women alone; a word without any is left out.

    >>> texts = ["The league fined him.", "She saw the league.", "She was born in Rome."]
    >>> found = quotes(Corpus.of(texts), ["league"], ["born"], CorpusWords.of("pro"))
    >>> [(quote.word, quote.gender, [line.document for line in quote.lines]) for quote in found]
    [('league', 'men', [1]), ('born', 'women', [3])]
    """
    genders = dict.fromkeys(near_men, "men") | dict.fromkeys(near_women, "women")
    forms = {word: word for word in genders}
    forms |= {form: name for form, name in words.professions.items() if name in genders}
    if not genders or corpus.is_stream:
        return []
    sides = {"men": (words.male, words.female), "women": (words.female, words.male)}
    lines = _lines(corpus, forms, {word: sides[gender] for word, gender in genders.items()}, n, width)
    return [Quotes(word, genders[word], tuple(found)) for word, found in lines.items() if found]


def _lines(
    corpus: Corpus,
    forms: Mapping[str, str],
    sides: Mapping[str, tuple[Collection[str], Collection[str]]],
    n: int,
    width: int,
) -> dict[str, list[ConcordanceLine]]:
    matcher = occurrences_of(forms)
    lines: dict[str, list[ConcordanceLine]] = {word: [] for word in sides}
    missing, read = set(sides), 0
    for file, document, text in numbered_documents(corpus):
        quoted = set()  # a document is quoted once for each word
        for match in matcher.finditer(lower(text)):
            word = forms[key(match[0])]
            if word not in missing or word in quoted:
                continue
            line = line_at(text, match.span(), width, document, file)
            if _stands_near(line, *sides[word]):
                lines[word].append(line)
                quoted.add(word)
                if len(lines[word]) == n:
                    missing.discard(word)
        read += len(text)
        if not missing or read > _READ:
            break
    return lines


def _stands_near(line: ConcordanceLine, one: Collection[str], other: Collection[str]) -> bool:
    before = _SENTENCE_END.split(line.left)[-1]
    after = _SENTENCE_END.split(line.right, maxsplit=1)[0]
    words = set(_WORD.findall(f"{before} {after}".lower()))
    return not words.isdisjoint(one) and words.isdisjoint(other)
