"""The two texts that an item compares, so that a reader can be shown both and what the model makes of each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from counterpoise.core.mask import MASK
from counterpoise.measures.base.units import Unit

_MARKED = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")

Names = tuple[str, str]
OF_GENDERS: Names = ("male version", "female version")
OF_STEREOTYPES: Names = ("stereotype", "counterpart")


@dataclass(frozen=True)
class Versions:
    """Which columns hold the two texts that an item compares, and how each was scored.

    Parameters
    ----------
    first, second
        The columns of the two texts; with `gap`, of the words that fill the mask.
    scores
        The columns with the score of either; the item's difference is the first minus the second.
    names
        What readers call the two.
    gap
        The column of a text with a mask, which the two words fill.
    is_marked
        `first` holds both texts at once, as `{he|she} left`; `second` is not used.
    context
        The column of a text that precedes both.
    unit
        What the difference is counted in; the measure's own unit if not given.

    >>> items = pd.DataFrame({"text": ["[MASK] is a nurse."], "male": ["He"], "female": ["She"]})
    >>> Versions("male", "female", ("p_male", "p_female"), gap="text").texts(items).values.tolist()
    [['He is a nurse.', 'She is a nurse.']]
    """

    first: str
    second: str
    scores: tuple[str, str]
    names: Names = OF_GENDERS
    gap: str | None = None
    is_marked: bool = False
    context: str | None = None
    unit: Unit | None = None

    @classmethod
    def marked(cls, text: str, scores: tuple[str, str]) -> Versions:
        """Of texts in which the male and the female word stand side by side.

        >>> items = pd.DataFrame({"text": ["{He|She} told {his|her} mother."]})
        >>> Versions.marked("text", ("rating_male", "rating_female")).texts(items).values.tolist()
        [['He told his mother.', 'She told her mother.']]
        """
        return cls(text, text, scores, is_marked=True)

    def has_columns(self, items: pd.DataFrame) -> bool:
        needed = (self.first, self.second, *self.scores, self.gap, self.context)
        return all(name in items for name in needed if name is not None)

    def texts(self, items: pd.DataFrame) -> pd.DataFrame:
        """Both texts of each item, in the columns `first` and `second`."""
        return pd.DataFrame(
            {"first": self._side(items, 0), "second": self._side(items, 1)}, index=items.index
        )

    def _side(self, items: pd.DataFrame, side: Literal[0, 1]) -> pd.Series:
        texts = items[(self.first, self.second)[side]].astype(str)
        if self.is_marked:
            return texts.map(lambda text: _MARKED.sub(lambda match: match[side + 1], text))
        if self.gap is None:
            return texts
        gaps = items[self.gap].astype(str)
        filled = [gap.replace(MASK, word, 1) for gap, word in zip(gaps, texts, strict=True)]
        return pd.Series(filled, index=items.index, dtype=object)
