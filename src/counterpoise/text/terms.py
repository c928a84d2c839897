"""Sets of gendered terms: pairs of a male and a female word, each with its direction, grammar and reason.

Four sets are built in: `pro` (pronouns), `weat` (the WEAT family pairs), `all` (642 pairs of people,
families, titles and work; no animals) and `german` (what BEC-Pro needs). A file of one's own works wherever
a name does.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from counterpoise.core.errors import unknown
from counterpoise.text.term_files import from_csv, looks_like_file, read
from counterpoise.text.term_sets import Term, TermSet

if TYPE_CHECKING:
    import pandas as pd

BUILT_IN = ("pro", "weat", "all", "german")


def load(terms: str | Path | TermSet) -> TermSet:
    """The built-in set of that name, or the set in a file (CSV, TSV, YAML, JSON); a set is returned as it is.

    >>> len(load("all").terms) >= 341
    True
    >>> load("pro").to_male["her"]
    Choice(determiner='his', pronoun='him')
    """
    if isinstance(terms, TermSet):
        return terms
    if terms in BUILT_IN:
        return _built_in(str(terms))
    if not looks_like_file(terms):
        raise unknown("set of terms", str(terms), BUILT_IN)
    return read(terms)


def table(name: str | Path | TermSet = "all") -> pd.DataFrame:
    """A set as a table, one row per pair, for `counterpoise catalog terms`.

    >>> table("pro")[["male", "female", "pos"]].values.tolist()[:2]
    [['he', 'she', 'pronoun'], ['him', 'her', 'pronoun']]
    """
    import pandas as pd

    return pd.DataFrame(load(name).terms, columns=[f.name for f in fields(Term)])


@cache
def _built_in(name: str) -> TermSet:
    text = resources.files("counterpoise.text").joinpath(f"lists/{name}.csv").read_text(encoding="utf-8")
    return TermSet(name, tuple(from_csv(text, name)))
