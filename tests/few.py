"""A few of our own sentences, some of every kind: for tests in which many models are asked, or one many times."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from counterpoise.data.builtin.becpro import becpro
from counterpoise.data.builtin.pairs import Pairs, stereotype_pairs
from counterpoise.data.builtin.templates import Templates, pronoun_templates
from counterpoise.data.spec import Variant


@lru_cache
def pairs() -> Pairs:
    """Six sentence pairs of each category."""
    whole = stereotype_pairs()
    return Pairs(whole.name, whole.table.iloc[::20].reset_index(drop=True))


@lru_cache
def templates(variant: Variant = "corrected") -> Templates:
    """Three words of each set in five templates, in two of which the word stands before the pronoun."""
    spec = pronoun_templates(variant).spec
    sets = [
        one.model_copy(update={"words": one.words[:3], "templates": one.templates[:5]}) for one in spec.sets
    ]
    return Templates(spec.model_copy(update={"sets": tuple(sets)}), variant)


def professions(language: str = "en", variant: Variant = "corrected") -> pd.DataFrame:
    """Every profession of BEC-Pro, in one template with two pairs of people."""
    return _professions(language, variant).copy()


@lru_cache
def _professions(language: str, variant: Variant) -> pd.DataFrame:
    rows = becpro(language, variant)
    return rows[(rows.template == rows.template[0]) & (rows.pair < 2)].reset_index(drop=True)
