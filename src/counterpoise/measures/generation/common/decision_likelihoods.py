"""Log-odds of decisions from the probabilities of yes and no, and the bounds between which they lie.

Where a server gives only its most probable next tokens, a spelling of yes or no may not be among them. Then

    low(log-odds)  = low(log P(yes)) - high(log P(no))
    high(log-odds) = high(log P(yes)) - low(log P(no))

where low(log P) is -inf for a word of which no spelling is among them. The log-odds of such a case have no bound on one
side; the share of yes has always two, since it lies between 0 and 1.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import expit

from counterpoise.models.endpoints.endpoint import Bounds

_LEAST_PROBABILITY = 0.1
_OUTSIDE = "have a spelling of yes or no outside the server's top tokens"


def with_log_odds(items: pd.DataFrame, log_probs: Bounds) -> pd.DataFrame:
    """The items with what they say of yes, of a favourable decision, and of either decision.

    Where something is known within bounds only, `..._low` and `..._high` are its bounds, nan where there is none, and
    the value is the middle of the two.
    """
    (yes_low, no_low), (yes_high, no_high) = log_probs.low.T, log_probs.high.T
    of_yes = yes_low - no_high, yes_high - no_low
    is_yes = (items.favourable == "yes").to_numpy()
    in_favour = np.where(is_yes, of_yes[0], -of_yes[1]), np.where(is_yes, of_yes[1], -of_yes[0])
    bounds = {
        "p_yes": (np.exp(yes_low), np.minimum(np.exp(yes_high), 1)),
        "p_no": (np.exp(no_low), np.minimum(np.exp(no_high), 1)),
        "p_decision": (np.exp(log_probs.low).sum(1), np.minimum(np.exp(log_probs.high).sum(1), 1)),
        "log_odds_yes": of_yes,
        "log_odds": in_favour,
        "favoured": tuple(map(expit, in_favour)),
    }
    items = items.assign(**{name: _middle(*ends) for name, ends in bounds.items()})
    if log_probs.exact.all():
        return items
    ends = zip(("low", "high"), (0, 1), strict=True)
    return items.assign(
        **{
            f"{name}_{end}": _finite(of_name[place])
            for end, place in ends
            for name, of_name in bounds.items()
        }
    )


def _middle(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The middle of what is possible, nan where that has no end."""
    return np.asarray((_finite(low) + _finite(high)) / 2)


def _finite(values: np.ndarray) -> np.ndarray:
    return np.asarray(np.where(np.isfinite(values), values, np.nan))


def are_bounded(items: pd.DataFrame, column: str) -> bool:
    """Whether a column is known of all items, be it within bounds."""
    return f"{column}_low" not in items or not items[[f"{column}_low", f"{column}_high"]].isna().any(
        axis=None
    )


def bounds_note(items: pd.DataFrame, column: str) -> str:
    """How many items are known within bounds only, and of how many not even these are known; "" if all are known."""
    if f"{column}_low" not in items:
        return ""
    inexact = int((items[f"{column}_low"] != items[f"{column}_high"]).sum())
    open_ended = int(items[[f"{column}_low", f"{column}_high"]].isna().any(axis=1).sum())
    note = f"{inexact} of {len(items)} items {_OUTSIDE}"
    if not open_ended:
        return note
    return f"{note}; in {open_ended} no spelling of yes, or none of no, is among them, so their log-odds have no bound"


def likelihood_warnings(items: pd.DataFrame) -> tuple[str, ...]:
    """What a reader must know of a model that would rather say something else, or of a server that tells too little."""
    warnings = []
    known = float(items.p_decision.mean())
    if known < _LEAST_PROBABILITY:
        warnings.append(
            f"Yes and no have a probability of {known:.2g} together: what the model would say instead is not measured."
        )
    if not are_bounded(items, "log_odds"):
        warnings.append(
            f"{bounds_note(items, 'log_odds')}: look at the shares instead, or at what the model writes (by='samples')."
        )
    return tuple(warnings)
