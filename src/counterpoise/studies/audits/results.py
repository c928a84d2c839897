"""What audits of many models return: a row for each model and headline, and for checkpoints the curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.audit.run import Run
from counterpoise.core.shown import Shown
from counterpoise.measures.base.result import Result

MARKER = "audits.json"  # what makes a folder one of many audits
SCHEMA = 1

_COLUMNS = [
    "measure",
    "key",
    "group",
    "statistic",
    "value",
    "ci_low",
    "ci_high",
    "n",
    "p_value",
    "p_adjusted",
]
_COLUMNS += ["ideal", "ideal_text", "unit", "note"]


@dataclass(frozen=True, repr=False)
class ModelAudits(Shown):
    """Audits of many models.

    `rows` has the headline rows of each model. `runs` are the runs by the names of the models, which are the names of
    their folders below `folder`; `failed` says why others have none, and `skipped` are the things that were named and
    are no models. `firsts` has the first result of each measure, without its items, `notes` what a reader must know
    first, and `computed` how many models were audited now, and not before.
    """

    folder: Path
    runs: Mapping[str, Run]
    rows: pd.DataFrame
    firsts: Mapping[str, Result]
    failed: Mapping[str, str]
    skipped: tuple[str, ...]
    notes: tuple[str, ...]
    computed: int

    page_name = "models"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.about}: {', '.join(self.measures)}>"

    @property
    def about(self) -> str:
        """How many models, in words."""
        return "1 model" if len(self.runs) == 1 else f"{len(self.runs):,} models"

    @property
    def measures(self) -> list[str]:
        return list(self.firsts)

    def to_frame(self) -> pd.DataFrame:
        """The rows."""
        return self.rows

    def document(self) -> dict[str, Any]:
        """The contents of audits.json."""
        return {
            "schema": SCHEMA,
            "kind": self.page_name,
            "about": self.about,
            "models": list(self.runs),
            "measures": self.measures,
            "failed": dict(self.failed),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, repr=False)
class BiasCurve(ModelAudits):
    """Checkpoints of one training over its steps.

    `rows` has a row for each step and headline row of a measure: its value with interval, and `difference`, the paired
    difference from the first step, with its interval, p, `p_adjusted` (Holm, over the steps and headline rows of the
    measure), the shared items `difference_n` and the `smallest_detectable` difference. `steps` has the step of each
    model.
    """

    steps: Mapping[str, int]

    page_name = "curve"

    @property
    def about(self) -> str:
        """How many checkpoints, and of which steps."""
        steps = list(self.steps.values())
        return f"{len(steps):,} checkpoints, steps {steps[0]:,} to {steps[-1]:,}"

    def document(self) -> dict[str, Any]:
        return {**super().document(), "steps": dict(self.steps)}


def headline_table(results: Mapping[str, Sequence[Result]]) -> tuple[pd.DataFrame, dict[str, Result]]:
    """The headline rows of models, measure by measure, and the first result of each measure."""
    firsts: dict[str, Result] = {}
    for of_model in results.values():
        for result in of_model:
            firsts.setdefault(result.measure, result)
    rows = [
        {"model": model, **row}
        for measure in firsts
        for model, of_model in results.items()
        for result in of_model
        if result.measure == measure
        for row in result.headlines[_COLUMNS].to_dict("records")
    ]
    return pd.DataFrame(rows, columns=["model", *_COLUMNS]), firsts
