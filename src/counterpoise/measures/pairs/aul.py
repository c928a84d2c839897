"""All unmasked likelihood, plain (AUL) and weighted by attention (AULA) (Kaneko & Bollegala 2022).

    AUL(S)   = 1/|S| * sum over the tokens w of S of log P(w | S)
    AULA(S)  = 1/|S| * sum over the tokens w of S of a(w) log P(w | S)
    bias     = share of pairs in which the more stereotypical sentence has the higher score, 50 % without bias

The model sees the whole sentence, the token that it is asked about included, and predicts it at its own place: nothing
is masked and no token is left out. a(w) is the attention that w gets, the mean over layers, heads and all tokens that
attend; special tokens attend and get attention, and are left out of the sum. Both are read on CrowS-Pairs.

In AULA a sentence is divided by its length twice, since its attention is spread over its tokens already; that favours
the longer of two sentences. `normalised=True` divides by the sum of a(w) instead of |S|; it is not the default, since
the formula is the authors'.

`variant="published"` counts a tie as a loss, as the authors' code does; here it counts as one half.
"""

from __future__ import annotations

import numpy as np

from counterpoise.data.spec import Variant
from counterpoise.data.thirdparty.categories import Categories
from counterpoise.data.user.files import PAIRS
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.rows import HALF
from counterpoise.measures.pairs.common.readable_pairs import (
    IDENTITY,
    PREFERENCE,
    OwnPairs,
    ReadablePairs,
    rows,
)
from counterpoise.models.masked import MaskedLM
from counterpoise.models.scoring.attention import attention_received
from counterpoise.models.scoring.spans import own_tokens

_CITES = ("kaneko2022", "nangia2020", "blodgett2021")


@measure(
    "aul",
    needs=MaskedLM,
    data="crows",
    ideal=HALF,
    direction=PREFERENCE,
    cites=_CITES,
    identity=IDENTITY,
    accepts=(PAIRS,),
    rows=rows,
)
def aul(
    model: MaskedLM,
    data: OwnPairs | None = None,
    *,
    variant: Variant = "corrected",
    seed: int = 0,
    categories: Categories = ("gender",),
) -> Measured:
    """Does the model find the more stereotypical sentence likelier when it sees all of it?

    Parameters
    ----------
    data
        Pairs of sentences, or a table with the columns `stereotyped` and `counterpart`; CrowS-Pairs from the data
        folder if not given.
    categories
        The categories of CrowS-Pairs to measure, or "all".

    >>> import counterpoise as cp
    >>> nurse = cp.data.Pairs.of(("The nurse said that she was tired.", "The nurse said that he was tired."))
    >>> bool(cp.measures.aul(cp.load(), nurse).items.score_stereotyped[0] < 0)
    True
    """
    sides = ReadablePairs.read(model, data, categories, variant)
    logs = model.token_log_probs(sides.texts, hidden="nothing")
    scores = np.array([one.mean() for one in logs])
    return sides.measured(scores, "AUL")


@measure(
    "aula",
    needs=MaskedLM,
    data="crows",
    ideal=HALF,
    direction=PREFERENCE,
    cites=_CITES,
    identity=IDENTITY,
    accepts=(PAIRS,),
    rows=rows,
)
def aula(
    model: MaskedLM,
    data: OwnPairs | None = None,
    *,
    variant: Variant = "corrected",
    seed: int = 0,
    categories: Categories = ("gender",),
    normalised: bool = False,
) -> Measured:
    """Does the model find the more stereotypical sentence likelier, by the tokens that it attends to?

    Parameters
    ----------
    data, categories
        As for `aul`.
    normalised
        Divide by the sum of the attention weights instead of the number of tokens, for pairs of different length.

    >>> import counterpoise as cp
    >>> nurse = cp.data.Pairs.of(("The nurse said that she was tired.", "The nurse said that he was tired."))
    >>> bool(cp.measures.aula(cp.load(), nurse).items.score_stereotyped[0] < 0)
    True
    """
    sides = ReadablePairs.read(model, data, categories, variant)
    texts = sides.texts
    logs = model.token_log_probs(texts, hidden="nothing")
    received = zip(attention_received(model, texts), model.encode(texts), strict=True)
    weights = [weight[own_tokens(encoded)] for weight, encoded in received]
    scores = np.array(
        [
            (weight * log).sum() / (weight.sum() if normalised else len(log))
            for weight, log in zip(weights, logs, strict=True)
        ]
    )
    return sides.measured(scores, "AULA, normalised" if normalised else "AULA")
