"""How much of a fall is due to swapping, and how much to fine-tuning as such.

    net(w) = |lean of w in the control| - |lean of w in the debiased model|

The control was trained on the same text, unswapped, with the same seed. Over several seeds the mean counts both seeds
and professions as drawn (`stats.crossed_t`): three seeds with sixty professions say less than one hundred and eighty
independent numbers would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.core.errors import DataError, InputError
from counterpoise.mitigate.evaluation.scores import ASSOCIATION, ModelScores
from counterpoise.stats.clusters import ClusterT

Leans = ModelScores | pd.DataFrame


@dataclass(frozen=True)
class NetEffect:
    """Mean |lean| of the base, the control and the debiased model, and what is due to swapping.

    `net` is control - debiased, `share` the same in per cent of the base; both have `value`, `low`, `high`, `p_value`.
    """

    quantity: str
    base: float
    control: float
    debiased: float
    net: ClusterT
    share: ClusterT
    n_words: int


def net_effect(
    base: Leans,
    control: Leans | Sequence[Leans],
    debiased: Leans | Sequence[Leans],
    quantity: str = ASSOCIATION,
) -> NetEffect:
    """How much further the lean of professions fell than it does by fine-tuning on the unswapped text.

    Parameters
    ----------
    base, control, debiased
        ModelScores of models, or their tables of items; of control and debiased one for each seed, in the same order.
    quantity
        The quantity of `ModelScores.items`, male - female association or APPD.
    """
    controls, after = _listed(control), _listed(debiased)
    if len(controls) != len(after):
        raise InputError(
            f"each debiased model needs the control of its own seed: {len(after)} debiased, {len(controls)} controls"
        )
    leans = [word_leans(scores, quantity).abs() for scores in (base, *controls, *after)]
    words = [word for word in leans[0].index if all(word in of_model.index for of_model in leans)]
    if not words:
        raise DataError(f"the models share no word of which all have a {quantity}")
    [start], unswapped, swapped = (
        np.array([of_model.loc[words].to_numpy(dtype=float) for of_model in of_models])
        for of_models in (leans[:1], leans[1 : 1 + len(controls)], leans[1 + len(controls) :])
    )
    net = unswapped - swapped
    return NetEffect(
        quantity=quantity,
        base=float(start.mean()),
        control=float(unswapped.mean()),
        debiased=float(swapped.mean()),
        net=stats.crossed_t(net),
        share=_share(net, start),
        n_words=len(words),
    )


def word_leans(scores: Leans, quantity: str) -> pd.Series:
    """The mean value of each word without a gender of its own."""
    items = scores.items if isinstance(scores, ModelScores) else scores
    chosen = items[(items.quantity == quantity) & (items.gender == "")]
    return chosen.groupby("word", sort=False).value.mean()


def _share(net: np.ndarray, base: np.ndarray) -> ClusterT:
    """100 x mean net / mean base; the ratio's spread by linearisation, since seeds are too few to be drawn again."""
    ratio = net.mean() / base.mean()
    return stats.crossed_t(100 * (ratio + (net - ratio * base) / base.mean()))


def _listed(models: Leans | Sequence[Leans]) -> list[Leans]:
    if isinstance(models, ModelScores | pd.DataFrame):
        return [models]
    if not models:
        raise InputError("the list of models is empty")
    return list(models)
