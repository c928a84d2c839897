"""Templates and vocabulary of BBQ, as the authors' files have them."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.data.thirdparty.tables import read_table

_NEEDED = (
    *("Q_id", "Ambiguous_Context", "Disambiguating_Context", "Lexical_diversity", "Answer_negative"),
    *("Answer_non_negative", "Question_negative_stereotype", "Question_non_negative", "Notes"),
)
_GROUPS = ("Known_stereotyped_groups", "Known_stereotyped_race")
_OPTIONAL = (
    *("version", "Subcategory", "Names", "Proper_nouns_only", "NAME1_info", "NAME2_info"),
    *("Known_stereotyped_var2", "Var2_info"),
)
_LISTED = re.compile(r"(?:\{\{)?(?:WORD|NAME)([12])(?:\}\})?:\s*\[(.*?)\]")


@dataclass(frozen=True)
class BbqTemplate:
    """A row of a file of templates; a column that the file does not have is None."""

    number: str
    ambiguous: str
    disambiguating: str
    negative_question: str
    other_question: str
    negative_answer: str
    other_answer: str
    targets: tuple[str, ...]  # the groups that the stereotype is about
    words: tuple[tuple[str, ...], tuple[str, ...]]  # for the slots WORD1 and WORD2
    source: str
    version: str | None = None
    subcategory: str | None = None
    names: str | None = None
    proper_names: bool = False
    infos: tuple[str, str] | None = None  # what the two people stand for
    target_gender: str | None = None
    genders: str | None = None


@dataclass(frozen=True)
class BbqVocabulary:
    """Words for groups of people, and names."""

    words: pd.DataFrame  # Category, SubCat, Name
    names: pd.DataFrame  # Name, First_last, gender, ethnicity

    def of(self, category: str, subcategory: str = "") -> list[str]:
        """The words of a category, each once."""
        words = self.words[self.words["Category"] == category]
        if subcategory:
            words = words[words["SubCat"] == subcategory]
        return list(words["Name"].unique())

    def first_names(self) -> pd.DataFrame:
        """First names that say something of ethnicity."""
        return self.names[self.names.First_last == "first"]

    def last_names(self, ethnicity: str) -> list[str]:
        chosen = (self.names.First_last == "last") & (self.names.ethnicity == ethnicity)
        return list(self.names[chosen]["Name"].unique())


def read_templates(path: Path) -> list[BbqTemplate]:
    """The templates of a file, rows without a context left out."""
    header = _header(path)
    groups = [name for name in _GROUPS if name in header] or [_GROUPS[0]]
    optional = [name for name in _OPTIONAL if name in header]
    table = read_table(path, [*_NEEDED, *groups, *optional])
    return [
        _template(path, row, groups[0]) for row in table.to_dict("records") if row["Ambiguous_Context"] != ""
    ]


def read_vocabulary(words: Path, names: Path) -> BbqVocabulary:
    """The words that the authors kept after their pilot, and the names."""
    table = read_table(words, ["Category", "Pilot_include", "SubCat", "Name"])
    return BbqVocabulary(
        table[table.Pilot_include != "No"],
        read_table(names, ["Name", "First_last", "gender", "ethnicity"]),
    )


def listed(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of two slots.

    >>> listed("WORD1: [center, office]; {{WORD2}}: [therapist]")
    (('center', 'office'), ('therapist',))
    """
    slots = {slot: tuple(word.strip() for word in words.split(",")) for slot, words in _LISTED.findall(text)}
    return slots.get("1", ()), slots.get("2", ())


def as_list(text: str) -> list[str]:
    """
    >>> as_list('["Black", "African American"]')
    ['Black', 'African American']
    """
    found = ast.literal_eval(text)
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise ValueError(f"{text!r} is no list of names")
    return found


def _header(path: Path) -> Sequence[str]:
    try:
        return list(pd.read_csv(path, nrows=0, encoding="utf-8-sig").columns)
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read {path}: {' '.join(str(error).split())}") from error


def _template(path: Path, row: Mapping[Any, str], groups: str) -> BbqTemplate:
    try:
        targets = tuple(as_list(row[groups]))
    except (ValueError, SyntaxError) as error:
        raise DataError(f"{path}: {groups} of Q_id {row['Q_id']} is {row[groups]!r}, no list") from error
    infos = (row["NAME1_info"], row["NAME2_info"]) if "NAME1_info" in row else None
    return BbqTemplate(
        number=row["Q_id"],
        ambiguous=row["Ambiguous_Context"],
        disambiguating=row["Disambiguating_Context"],
        negative_question=row["Question_negative_stereotype"],
        other_question=row["Question_non_negative"],
        negative_answer=row["Answer_negative"],
        other_answer=row["Answer_non_negative"],
        targets=targets,
        words=listed(row["Lexical_diversity"]),
        source=row["Notes"],
        version=row.get("version"),
        subcategory=row.get("Subcategory"),
        names=row.get("Names"),
        proper_names=row.get("Proper_nouns_only") == "TRUE",
        infos=infos,
        target_gender=row.get("Known_stereotyped_var2"),
        genders=row.get("Var2_info"),
    )
