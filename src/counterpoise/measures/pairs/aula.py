"""All unmasked likelihood with attention weights, AULA (Kaneko & Bollegala 2022).

    AULA(S)  = 1/|S| * sum over the tokens w of S of a(w) log P(w | S)
    bias     = share of pairs in which the more stereotypical sentence has the higher score, 50 % without bias

As in aul, the model sees the whole sentence and nothing is masked. a(w) is the attention that w gets, the mean over
layers, heads and all tokens that attend; special tokens attend and get attention, and are left out of the sum.

A sentence is divided by its length twice, since its attention is spread over its tokens already; that favours the
longer of two sentences. `normalised=True` divides by the sum of a(w) instead of |S|; it is not the default, since the
formula is the authors'.

Ties count as in aul.

A causal model cannot be measured this way: it never reads the token that it predicts, and its attention looks one way
only. `sld` and `crows` compare its log-likelihoods.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from counterpoise.data.spec import Variant
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.documentation import Doc
from counterpoise.measures.pairs.common.crows_measures import GENDER, Categories, crows_measure
from counterpoise.measures.pairs.common.readable_pairs import OwnPairs, ReadablePairs
from counterpoise.models.masked import MaskedLM
from counterpoise.models.scoring.attention import attention_received
from counterpoise.models.scoring.spans import own_tokens

Normalised = Annotated[
    bool,
    Doc(
        "Divide by the sum of the attention weights instead of the number of tokens, for pairs of different length."
    ),
]


@crows_measure(
    "aula",
    label="Stereotyped sentence pairs (AULA)",
    needs=MaskedLM,
    cites=("kaneko2022", "nangia2020", "blodgett2021"),
)
def aula(
    model: MaskedLM,
    data: OwnPairs = None,
    *,
    categories: Categories = GENDER,
    normalised: Normalised = False,
    variant: Variant = "corrected",
) -> Measured:
    """Does the model find the more stereotypical sentence likelier, by the tokens that it attends to?

    >>> import counterpoise as cp
    >>> nurse = cp.data.Pairs.of(("The nurse said that she was tired.", "The nurse said that he was tired."))
    >>> result = cp.measures.aula(cp.load(), nurse, normalised=True)
    >>> result.items.scoring[0]
    'AULA, normalised'
    """
    pairs = ReadablePairs.read(model, data, categories, variant)
    log_probs = model.token_log_probs(pairs.texts, hidden="nothing")
    weighted = zip(_attention_weights(model, pairs.texts), log_probs, strict=True)
    scores = [
        (weights * logs).sum() / (weights.sum() if normalised else len(logs)) for weights, logs in weighted
    ]
    return pairs.measured(np.array(scores), "AULA, normalised" if normalised else "AULA")


def _attention_weights(model: MaskedLM, texts: list[str]) -> list[np.ndarray]:
    """a(w) of each text's own tokens."""
    received = zip(attention_received(model, texts), model.encode(texts), strict=True)
    return [attention[own_tokens(encoded)] for attention, encoded in received]
