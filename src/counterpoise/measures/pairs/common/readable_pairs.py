"""What measures on CrowS-Pairs have in common: the pairs, a score for either side, the rows of the summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from counterpoise.data.builtin.pairs import SIDES, Pairs
from counterpoise.data.spec import Variant
from counterpoise.data.thirdparty.categories import Categories
from counterpoise.data.thirdparty.crows import CrowsPairs, crows_pairs
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.result import STEREOTYPE, Direction
from counterpoise.measures.base.row_builders import figure_row, mean_row, share_row
from counterpoise.measures.base.rows import OVERALL, Place, Row, in_group
from counterpoise.measures.base.scoring_problems import pair_problems
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.measures.base.source import Observed, observe
from counterpoise.models.causal import CausalLM
from counterpoise.models.masked import MaskedLM

PREFERENCE = Direction(
    positive="The model prefers the more stereotypical sentence of a pair.",
    negative="The model prefers the less stereotypical sentence of a pair.",
    sides=STEREOTYPE,
)
IDENTITY = ("stereotyped", "counterpart", "category", "direction")
OwnPairs = CrowsPairs | Pairs | pd.DataFrame


@dataclass(frozen=True)
class ReadablePairs:
    """Pairs of sentences that a model can read, one row each, and what was skipped."""

    name: str
    items: pd.DataFrame
    skipped: pd.DataFrame
    warnings: tuple[str, ...]
    variant: Variant

    @classmethod
    def read(
        cls, model: MaskedLM | CausalLM, data: OwnPairs | None, categories: Categories, variant: Variant
    ) -> ReadablePairs:
        """CrowS-Pairs in some categories, or a user's own pairs as they are."""
        pairs = _pairs(data, categories, variant)
        unread = pair_problems(model, *(pairs.table[side].tolist() for side in SIDES))
        problems = [first or second for first, second in zip(pairs.problems(variant), unread, strict=True)]
        items, skipped = keep_scorable(pairs.table, problems, "stereotyped")
        return cls(pairs.name, items, skipped, pairs.warnings, variant)

    def without(self, problems: Sequence[str | None]) -> ReadablePairs:
        """Those without a problem; the others are skipped."""
        items, skipped = keep_scorable(self.items, problems, "stereotyped")
        return replace(self, items=items, skipped=pd.concat([self.skipped, skipped], ignore_index=True))

    @property
    def texts(self) -> list[str]:
        """All stereotyped sentences, then all counterparts; asked together, equal questions are asked once."""
        return [*self.items.stereotyped, *self.items.counterpart]

    def measured(self, scores: np.ndarray, how: str) -> Measured:
        """What was measured by a score of each of `texts`; `how` tells what the score is."""
        items = self.items.assign(scoring=how)
        items["score_stereotyped"], items["score_counterpart"] = scores.reshape(2, -1)
        items["difference"] = items.score_stereotyped - items.score_counterpart
        return Measured(items, skipped=self.skipped, warnings=self.warnings, dataset=self.name)


def _pairs(data: OwnPairs | None, categories: Categories, variant: Variant) -> CrowsPairs:
    if data is None:
        return crows_pairs(categories, variant)
    if isinstance(data, CrowsPairs):
        return data
    return CrowsPairs.of(data if isinstance(data, Pairs) else Pairs("own", data))


def rows(items: pd.DataFrame, variant: Variant, seed: int) -> list[Row]:
    """Share and mean of the differences: overall, by category and by direction; and the number of ties."""
    differences, how = observe(items, "difference"), str(items.scoring.iloc[0])
    found = [*_two_rows(differences, how, variant, OVERALL), _ties(differences, variant)]
    for column, suffix in (("category", ""), ("direction", " pairs")):
        names = [name for name in items[column].unique() if name != ""]
        if len(names) > 1:  # a single group is all there is
            for name in names:
                at = in_group(name, f"{name}{suffix}")
                found += _two_rows(differences.only(**{column: name}), how, variant, at)
    return found


def _two_rows(differences: Observed, how: str, variant: Variant, at: Place) -> list[Row]:
    """The share of pairs whose more stereotypical side is likelier, and by how much; each pair is its own cluster."""
    # The authors' code counts a tie among all pairs and among neither side's wins, which makes it a loss.
    ties: Literal["half", "loss"] = "half" if variant == "corrected" else "loss"
    return [
        share_row(differences, "share_stereotyped", f"% stereotyped likelier, {how}", at=at, ties=ties),
        mean_row(differences, "difference", f"stereotyped - counterpart, {how}", at=at),
    ]


def _ties(differences: Observed, variant: Variant) -> Row:
    ties = float((differences.numbers == 0).sum())
    counted = "each counted as one half" if variant == "corrected" else "not counted as wins"
    return figure_row(
        ties, "ties", f"ties, {counted}", n=len(differences), source=differences.as_source("figure")
    )
