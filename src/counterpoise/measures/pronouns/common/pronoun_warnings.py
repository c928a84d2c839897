"""What a reader must know before believing a preference between pronouns."""

from __future__ import annotations

import numpy as np

from counterpoise.core.numbers import decimal_text

_TOO_LITTLE = 0.01  # of the probability


def pronoun_warning(log_probs: np.ndarray) -> tuple[str, ...]:
    """A warning if the two pronouns together get almost none of the probability; logs by sentence and pronoun.

    >>> pronoun_warning(np.log([[0.0004, 0.0002], [0.0003, 0.0003]]))[0].partition(" (")[0]
    'The model gives the male and the female pronoun together 0.06 % of the probability'
    >>> pronoun_warning(np.log([[0.4, 0.2]]))
    ()
    """
    share = float(np.exp(log_probs).sum(axis=1).mean()) if len(log_probs) else np.nan
    if not share < _TOO_LITTLE:
        return ()
    return (
        f"The model gives the male and the female pronoun together {decimal_text(100 * share, 2)} % of the probability "
        "(mean over sentences): which of the two it prefers says little about what it would write.",
    )
