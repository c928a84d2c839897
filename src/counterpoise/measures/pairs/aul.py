"""All unmasked likelihood, AUL (Kaneko & Bollegala 2022).

    AUL(S)  = 1/|S| * sum over the tokens w of S of log P(w | S)
    bias    = share of pairs in which the more stereotypical sentence has the higher score, 50 % without bias

The model sees the whole sentence, the token that it is asked about included, and predicts it at its own place: nothing
is masked and no token is left out. The pairs are those of CrowS-Pairs.

`variant="published"` counts a tie as a loss, as the authors' code does; here it counts as one half.

A causal model cannot be measured this way: it never reads the token that it predicts, so it has no probability of a
token in an unmasked sentence. `sld` and `crows` compare its log-likelihoods.
"""

from __future__ import annotations

import numpy as np

from counterpoise.data.spec import Variant
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.pairs.common.crows_measures import GENDER, Categories, crows_measure
from counterpoise.measures.pairs.common.readable_pairs import OwnPairs, ReadablePairs
from counterpoise.models.masked import MaskedLM


@crows_measure(
    "aul",
    label="Stereotyped sentence pairs (AUL)",
    needs=MaskedLM,
    cites=("kaneko2022", "nangia2020", "blodgett2021"),
)
def aul(
    model: MaskedLM, data: OwnPairs = None, *, variant: Variant = "corrected", categories: Categories = GENDER
) -> Measured:
    """Does the model find the more stereotypical sentence likelier when it sees all of it?

    >>> import counterpoise as cp
    >>> nurse = cp.data.Pairs.of(("The nurse said that she was tired.", "The nurse said that he was tired."))
    >>> bool(cp.measures.aul(cp.load(), nurse).items.score_stereotyped[0] < 0)
    True
    """
    pairs = ReadablePairs.read(model, data, categories, variant)
    log_probs = model.token_log_probs(pairs.texts, hidden="nothing")
    return pairs.measured(np.array([sentence.mean() for sentence in log_probs]), "AUL")
