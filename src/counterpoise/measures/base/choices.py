"""Which of two sentences a model behind an endpoint chooses, where its server gives no likelihoods."""

from __future__ import annotations

import numpy as np
import pandas as pd
from statsmodels.stats.proportion import proportion_confint

from counterpoise.models.endpoints.capabilities import Rung
from counterpoise.models.endpoints.endpoint import Endpoint

CHOICE_RUNGS = (Rung.FORCED_CHOICE, Rung.SAMPLES)
PAIR_RUNGS = (Rung.LIKELIHOOD, *CHOICE_RUNGS)
_NEITHER = "the model chose neither sentence"


def is_choice(scoring: str) -> bool:
    """Whether the scores of items are choices, whose size means nothing."""
    return scoring in {rung.value for rung in CHOICE_RUNGS}


def choices(model: object, pairs: pd.DataFrame, seed: int) -> pd.DataFrame | None:
    """For each pair which sentence is chosen; None for a model that gives likelihoods.

    Columns: the share of choices for either sentence, the difference, nan where neither was ever chosen, and how it was
    asked. Of samples also how many chose, and Wilson's interval of the share of the stereotyped one.
    """
    rung = model.rung(PAIR_RUNGS) if isinstance(model, Endpoint) else None
    if not isinstance(model, Endpoint) or rung not in CHOICE_RUNGS:
        return None
    sides = pairs.stereotyped.tolist(), pairs.counterpart.tolist()
    if rung is Rung.FORCED_CHOICE:
        return _scores((1 + model.forced_choices(*sides)) / 2).assign(scoring=rung.value)
    sampled = model.sampled_choices(*sides, seed=seed)
    firsts, asked = (sampled > 0).sum(axis=1), (~np.isnan(sampled)).sum(axis=1)
    known = np.where(asked > 0, asked, np.nan)
    low, high = proportion_confint(firsts, known, method="wilson")
    return _scores(firsts / known).assign(samples=asked, share_low=low, share_high=high, scoring=rung.value)


def neither(differences: pd.Series) -> list[str | None]:
    """For each pair the problem that neither sentence was chosen, or None."""
    return [_NEITHER if unknown else None for unknown in differences.isna()]


def _scores(share: np.ndarray) -> pd.DataFrame:
    """The share of choices for either sentence, and the first minus the second."""
    return pd.DataFrame(
        {"score_stereotyped": share, "score_counterpart": 1 - share, "difference": 2 * share - 1}
    )
