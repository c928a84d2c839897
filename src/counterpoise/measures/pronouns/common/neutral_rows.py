"""Rows on they beside he and she: how probable it is, and how far behind the two."""

from __future__ import annotations

import pandas as pd

from counterpoise.measures.base.result import Direction
from counterpoise.measures.base.row_builders import mean_row, within
from counterpoise.measures.base.rows import Ideal, Place, Row
from counterpoise.measures.base.source import observe

BEYOND_TWO = {
    "neutral_gap": Direction(
        "The model gives people in these professions he or she rather than they.",
        "The model gives people in these professions they rather than he or she.",
    ),
    "p_they": Direction(
        "A higher value means that they is more probable.",
        "A lower value means that they is less probable.",
    ),
}


def neutral_rows(items: pd.DataFrame, suffix: str) -> list[Row]:
    """P(they) and the gap over all words that are not bound to a gender, and by category.

    Items have the probability `p_they` and the difference `neutral_gap`; `they_agrees` says whether a sentence is known
    whose verb agrees with they, and `same_sentence` whether it is that of he and she. Items of earlier versions have
    none of these columns.
    """
    if "they_agrees" not in items:
        return []
    free = items[~items.gendered & items.they_agrees]
    if free.empty:
        return []
    parts: list[tuple[str, str, dict[str, object]]] = [("all", "", {})]
    if free.same_sentence.any() and not free.same_sentence.all():
        parts.append(("in the same sentences as he and she", "same_sentence", {"same_sentence": True}))
    parts += [(category, category, {"category": category}) for category in free.category.unique()]
    pronouns = ", ".join(free.neutral.str.lower().unique())
    rows = []
    for part, name, where in parts:
        place = Place("neutral", f"they: {part}", name)
        known = {"gendered": False, "they_agrees": True, **where}
        gap, p_they = (observe(items, column).only(**known) for column in ("neutral_gap", "p_they"))
        label = f"mean of P(he), P(she) - P({pronouns}){suffix}"
        rows.append(mean_row(gap, "neutral_gap", label, cluster="word", at=place))
        label = f"P({pronouns}), with verbs in the plural{suffix}"
        row = mean_row(p_they, "p_they", label, cluster="word", at=place, ideal=Ideal.none(), test=None)
        rows.append(within(row, 0.0, 1.0))
    return rows
