"""How many female and male words, pronouns and names a collection of texts holds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from counterpoise.text import names
from counterpoise.text.matching import key, lower, pattern
from counterpoise.text.term_sets import TermSet
from counterpoise.text.terms import load

if TYPE_CHECKING:
    import pandas as pd

_PRONOUNS = {"female": {"she", "her", "hers", "herself"}, "male": {"he", "him", "his", "himself"}}


@dataclass(frozen=True)
class Balance:
    """Counts over all texts; terms include the pronouns of the set."""

    texts: int
    female_terms: int
    male_terms: int
    female_pronouns: int
    male_pronouns: int
    female_names: int
    male_names: int

    def table(self) -> pd.DataFrame:
        """Rows terms, pronouns, names; columns female, male, share_male."""
        import pandas as pd

        counts = asdict(self)
        rows = {
            kind: {side: counts[f"{side}_{kind}"] for side in ("female", "male")}
            for kind in ("terms", "pronouns", "names")
        }
        table = pd.DataFrame.from_dict(rows, orient="index")
        return table.assign(
            share_male=table["male"] / (table["female"] + table["male"]).where(lambda n: n > 0)
        )


def balance(texts: Iterable[str], terms: str | Path | TermSet = "all") -> Balance:
    """Counts the terms of a set, the pronouns among them, and first names.

    >>> counts = balance(["He told Mary.", "She told his mother."])
    >>> counts.female_terms, counts.male_terms, counts.female_pronouns, counts.male_pronouns
    (2, 2, 1, 2)
    >>> counts.female_names, counts.male_names
    (1, 0)
    """
    terms = load(terms)
    counts: Counter[str] = Counter()
    n = 0
    for text in texts:
        n += 1
        counts.update(count_terms(text, terms))
        counts.update(_NAME_KEYS[names.table()[text[s:e].lower()].gender] for s, e in names.find(text))
    words = {"female": terms.to_male, "male": terms.to_female}
    return Balance(
        texts=n,
        female_terms=sum(counts[word] for word in words["female"]),
        male_terms=sum(counts[word] for word in words["male"]),
        female_pronouns=sum(counts[word] for word in words["female"] if word in _PRONOUNS["female"]),
        male_pronouns=sum(counts[word] for word in words["male"] if word in _PRONOUNS["male"]),
        female_names=counts[_NAME_KEYS["female"]],
        male_names=counts[_NAME_KEYS["male"]],
    )


def count_terms(text: str, terms: TermSet) -> Counter[str]:
    """How often each word of a set that is swapped in some direction occurs.

    >>> count_terms("Her mother and her son", load("all"))
    Counter({'her': 2, 'mother': 1, 'son': 1})
    """
    return Counter(key(match[0]) for match in _pattern(terms).finditer(lower(text)))


_NAME_KEYS = {"female": "\0female", "male": "\0male"}  # no term is called so


@cache
def _pattern(terms: TermSet) -> re.Pattern[str]:
    return pattern({*terms.to_female, *terms.to_male})
