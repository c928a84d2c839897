"""Lexicons of hurtful words: a user's own, or HurtLex (Bassignana et al. 2018), which users get from its authors."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from counterpoise.core.documents import read_text
from counterpoise.core.errors import DataError
from counterpoise.core.limits import TABLE
from counterpoise.data.thirdparty.folders import find_file
from counterpoise.io.user_tables import TABLE_SUFFIXES, read_user_table

_LEVEL = "conservative"  # HurtLex's words that hurt in most senses; the others are "inclusive"
WORD_COLUMNS = ("word", "lemma")


@dataclass(frozen=True)
class Lexicon:
    """Words that hurt, each with its category, which may be empty.

    >>> own = Lexicon.of(["Idiot", "crétin"])
    >>> own.category_of("idiot"), own.category_of("CRETIN"), own.category_of("nurse")
    ('', '', None)
    >>> own.category_of("idiot", exact=True) is None
    True
    """

    name: str
    words: Mapping[str, str]  # without accents
    folded: Mapping[str, str]  # without accents and in lower case

    @classmethod
    def of(cls, words: Iterable[str] | Mapping[str, str], name: str = "own") -> Lexicon:
        """Words, or words with their categories; of a word that is there twice, the first category counts."""
        given = dict(words) if isinstance(words, Mapping) else dict.fromkeys(words, "")
        plain: dict[str, str] = {}
        folded: dict[str, str] = {}
        for word, category in given.items():
            plain.setdefault(without_accents(word), category)
            folded.setdefault(_fold(word), category)
        if not folded:
            raise DataError(f"{name} has no words")
        return cls(name, plain, folded)

    def category_of(self, word: str, *, exact: bool = False) -> str | None:
        """The category of a word that hurts; None if it does not. Case counts only if it must be exact."""
        return self.words.get(without_accents(word)) if exact else self.folded.get(_fold(word))


def read_lexicon(path: str | Path) -> Lexicon:
    """A list with a word on each line, or a table with a column `word` (or `lemma`) and perhaps a `category`.

    In a table with a column `level`, as HurtLex has it, the words of level "conservative" count.
    """
    path = Path(path)
    if path.suffix.lower() not in TABLE_SUFFIXES:
        lines = [line.strip() for line in read_text(path, limit=TABLE).splitlines()]
        return Lexicon.of([line for line in lines if line and not line.startswith("#")], str(path))
    return _of_table(read_user_table(path, "words"), path)


def hurtlex(language: str) -> Lexicon:
    """HurtLex in a language, such as "en"; an error that says how to get it where it is not at hand."""
    path = find_file("hurtlex", f"hurtlex_{language.upper()}.tsv")
    return _of_table(read_user_table(path, "words"), path)


def without_accents(word: str) -> str:
    """
    >>> without_accents("crétin")
    'cretin'
    """
    letters = unicodedata.normalize("NFKD", word)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _fold(word: str) -> str:
    return without_accents(word).casefold()


def _of_table(table: pd.DataFrame, path: Path) -> Lexicon:
    column = next((name for name in WORD_COLUMNS if name in table), None)
    if column is None:
        present = ", ".join(map(str, table.columns))
        raise DataError(f"{path} has no column 'word' (there are: {present})")
    if "level" in table:
        table = table[table["level"] == _LEVEL]
    words = table[column].astype(str).str.strip()
    categories = table["category"].astype(str) if "category" in table else pd.Series("", index=table.index)
    pairs = pd.DataFrame({"word": words, "category": categories}).query("word != ''").drop_duplicates("word")
    return Lexicon.of(dict(zip(pairs.word, pairs.category, strict=True)), str(path))
