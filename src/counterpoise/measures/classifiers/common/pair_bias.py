"""The sentiment bias of the texts that have a pair of words, and of the pair alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from counterpoise.measures.base.row_builders import mean_row
from counterpoise.measures.base.rows import Row, of_word
from counterpoise.measures.base.source import Observed, Source
from counterpoise.models.classifier import Classifier
from counterpoise.models.function_classifier import FunctionClassifier
from counterpoise.text import Swapper
from counterpoise.text.gendered_versions import GenderedVersions

_FEWEST = 5  # texts that a pair of words needs for a row of its own
_NAMES = "first names"


def pair_rows(
    model: Classifier | FunctionClassifier,
    items: pd.DataFrame,
    both: Sequence[GenderedVersions],
    swapper: Swapper,
    alone: bool,
) -> list[Row]:
    """A row for each pair of words that enough texts have, the most frequent first."""
    numbers_of: dict[str, list[int]] = {}
    for number, text in enumerate(both):
        for pair in dict.fromkeys(_pair(place.pair, swapper) for place in text.places):
            numbers_of.setdefault(pair, []).append(number)
    often = sorted(
        ((pair, numbers) for pair, numbers in numbers_of.items() if len(numbers) >= _FEWEST),
        key=lambda entry: -len(entry[1]),
    )
    rows = [
        _pair_row(items.bias.iloc[numbers], "pair_bias", "bias of texts with the pair", pair)
        for pair, numbers in often
    ]
    if alone:
        asked = [
            side
            for pair, numbers in often
            for number in numbers
            for side in both[number].only_at(lambda place, pair=pair: _pair(place.pair, swapper) == pair)  # type: ignore[misc]
        ]
        bias = pd.Series(-np.diff(model.rate(asked).reshape(-1, 2))[:, 0])
        done = 0
        for pair, numbers in often:
            of_pair = bias.iloc[done : done + len(numbers)]
            done += len(numbers)
            rows.append(_pair_row(of_pair, "pair_alone_bias", "bias of the pair alone", pair))
    return rows


def _pair_row(biases: pd.Series, statistic: str, label: str, pair: str) -> Row:
    """Which texts have a pair of words is not in the items, so the row has no source there."""
    table = pd.DataFrame({"bias": biases.to_numpy()})
    row = mean_row(Observed(table, Source("bias")), statistic, label, at=of_word(pair), test="wilcoxon")
    return replace(row, source=None)


def _pair(pair: str, swapper: Swapper) -> str:
    """The pair itself; all pairs of first names are one."""
    male, _, female = pair.partition("/")
    known = male in swapper.terms.to_female or female in swapper.terms.to_male
    return pair if known or swapper.variant == "published" else _NAMES
