"""Pairs of sentences that a model can read, and what was measured by a score of either side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import pandas as pd

from counterpoise.data.builtin.pairs import SIDES, Pairs
from counterpoise.data.spec import Variant
from counterpoise.data.thirdparty.bias_categories import Categories
from counterpoise.data.thirdparty.crows import CrowsPairs, crows_pairs
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.documentation import Doc
from counterpoise.measures.base.scoring_problems import pair_problems
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.models.causal import CausalLM
from counterpoise.models.endpoints.endpoint import Endpoint
from counterpoise.models.masked import MaskedLM

OwnPairs = Annotated[
    CrowsPairs | Pairs | pd.DataFrame | None,
    Doc(
        "Pairs of sentences, or a table with the columns `stereotyped` and `counterpart`; CrowS-Pairs from the data "
        "folder if not given."
    ),
]
PerToken = Annotated[
    bool,
    Doc(
        "Divide the score of a sentence by the number of tokens that it sums over, for pairs of different length."
    ),
]


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
        cls, model: MaskedLM | CausalLM | Endpoint, data: OwnPairs, categories: Categories, variant: Variant
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
        stereotyped, counterpart = scores.reshape(2, -1)
        columns = {"score_stereotyped": stereotyped, "score_counterpart": counterpart}
        table = pd.DataFrame({"scoring": how, **columns, "difference": stereotyped - counterpart})
        return self.with_columns(table).as_measured()

    def with_columns(self, columns: pd.DataFrame) -> ReadablePairs:
        """The pairs with what is known of each."""
        return replace(self, items=pd.concat([self.items, columns], axis=1))

    def as_measured(self) -> Measured:
        """What was measured, where the items have their scores already."""
        return Measured(self.items, skipped=self.skipped, warnings=self.warnings, dataset=self.name)


def _pairs(data: OwnPairs, categories: Categories, variant: Variant) -> CrowsPairs:
    if data is None:
        return crows_pairs(categories, variant)
    if isinstance(data, CrowsPairs):
        return data
    return CrowsPairs.of(data if isinstance(data, Pairs) else Pairs("own", data))
