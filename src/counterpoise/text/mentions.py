"""Which texts mention women, and which mention men: those that hold a word of a set of gendered terms."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from counterpoise.text.matching import lower, pattern
from counterpoise.text.term_sets import TermSet
from counterpoise.text.terms import load


def mentions(texts: Sequence[str], terms: str | Path | TermSet = "all") -> dict[str, np.ndarray]:
    """For "male" and "female" an array that says of each text whether it mentions men, or women; both may hold.

    A word of a one-way pair counts on its own side only: a manageress is a woman, and a manager may be anybody.

    >>> found = mentions(["He told his mother.", "The manager left."])
    >>> found["male"].tolist(), found["female"].tolist()
    ([True, False], [True, False])
    """
    chosen = load(terms)
    words = {"male": pattern(chosen.to_female), "female": pattern(chosen.to_male)}
    lowered = [lower(text) for text in texts]
    return {
        gender: np.array([found.search(text) is not None for text in lowered], dtype=bool)
        for gender, found in words.items()
    }
