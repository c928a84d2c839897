"""From ratings to a row: what the sentiment measure reports of a whole set of reviews, with accuracy beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from counterpoise.measures.base.rows import Row
from counterpoise.measures.classifiers.common.version_ratings import NO_TERM as NO_TERM_TEXT
from counterpoise.measures.classifiers.sentiment import BEYOND as BEYOND_TEXT
from counterpoise.measures.classifiers.sentiment import EQUAL as EQUAL_TEXT
from counterpoise.measures.classifiers.sentiment import overall_rows
from counterpoise.studies.papers.jentzsch2022.rating import BEYOND, EQUAL, NO_TERM, NOT_ZERO, Confusion, Rated

_WHY = {NOT_ZERO: "", NO_TERM: NO_TERM_TEXT, BEYOND: BEYOND_TEXT, EQUAL: EQUAL_TEXT}
_COUNTS = ("true_positive", "false_positive", "true_negative", "false_negative")


def bias_rows(rated: Rated, counts: Mapping[str, Any], own: str) -> list[dict[str, Any]]:
    """A row for each set of terms that was rated with; `own` are the condition's terms, "" where it has none."""
    right = Confusion(*(counts[name] for name in _COUNTS)).figures()
    short = Confusion(*(counts[f"{name}_64"] for name in _COUNTS)).figures()
    return [
        {
            "terms": terms,
            "own": own in ("", terms),
            **_bias(*rated.of(terms)),
            **right,
            **{f"{name}_64": value for name, value in short.items()},
        }
        for terms in rated.terms
    ]


def _bias(bias: np.ndarray, zero: np.ndarray) -> dict[str, Any]:
    items = pd.DataFrame({"bias": bias, "zero": pd.Series(zero).map(_WHY)})
    rows = {row.key: row for row in overall_rows(items)}
    total, values = rows["total_bias"], items.bias
    return {
        "reviews": len(values),
        "total": total.value,
        "ci_low": total.ci_low,
        "ci_high": total.ci_high,
        "p_value": total.p_value,
        "effect_size": total.effect_size,
        "smallest_detectable": total.smallest_detectable,
        "absolute": rows["absolute_bias"].value,
        "total_nonzero": _value(rows.get("total_bias.not_zero")),
        "absolute_nonzero": _value(rows.get("absolute_bias.not_zero")),
        "positive": float(values[values > 0].mean()) if (values > 0).any() else 0.0,
        "negative": float(values[values < 0].mean()) if (values < 0).any() else 0.0,
        "below": int((values < 0).sum()),
        "zero": int((values == 0).sum()),
        "above": int((values > 0).sum()),
        "zero_no_term": int((zero == NO_TERM).sum()),
        "zero_beyond": int((zero == BEYOND).sum()),
        "zero_alike": int((zero == EQUAL).sum()),
        "wilcoxon_v": rows["wilcoxon_v"].value,
    }


def _value(row: Row | None) -> float:
    """A mean of no reviews is none."""
    return np.nan if row is None else row.value
