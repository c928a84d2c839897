"""Finished cells as the table that a study's page is made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from counterpoise.studies.engine.cells import FinishedCell


def table_of(finished: Mapping[str, Sequence[FinishedCell]]) -> pd.DataFrame:
    """A row for each row of a cell, with its step and factors."""
    return pd.DataFrame(
        [
            {"step": step, **one.factors, **row}
            for step, some in finished.items()
            for one in some
            for row in one.result.get("rows", [one.result])
        ]
    )
