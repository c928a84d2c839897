"""Contextual word association test, C-SEAT (Tan & Celis 2019).

    s(w, A, B) = mean of cos(w, a) over A - mean of cos(w, b) over B
    d          = (mean of s over X - mean of s over Y) / sd of s over X and Y together      ddof = 1

SEAT's sentences, but of each only the vector of the word itself in its sentence, so that what the other words of the
sentence bring along weighs less. A word of several pieces has the mean of their vectors; words, not sentences, are
counted in interval and test (see seat).

`variant="published"` takes the first piece, leaves out the full stop, and takes each sentence for an independent
observation in a one-sided test, as the authors' code does. It does not repeat that their code also cuts off the token
that ends the text.
"""

from __future__ import annotations

from counterpoise.data.spec import Variant
from counterpoise.data.user.files import WORDS
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.rows import ZERO
from counterpoise.measures.encoders.common.association_tests import (
    IDENTITY,
    Tests,
    chosen_tests,
    keep_readable,
    manner_of,
    measured_associations,
)
from counterpoise.measures.encoders.seat import GENDER_TESTS, guessed_kinds, sentence_items
from counterpoise.measures.vectors.weat import NEARNESS
from counterpoise.models.encoder import Encoder, Pieces
from counterpoise.stats.vector_association import Metric


@measure(
    "cseat",
    needs=Encoder,
    data="seat",
    ideal=ZERO,
    direction=NEARNESS,
    identity=IDENTITY,
    accepts=(WORDS,),
    cites=("tan2019", "may2019"),
)
def cseat(
    model: Encoder,
    data: Tests | None = None,
    *,
    variant: Variant = "corrected",
    seed: int = 0,
    metric: Metric = "cosine",
    allow_lost: bool = False,
) -> Measured:
    """Are male and female words in their sentences told apart by their nearness to other words in theirs?

    Parameters
    ----------
    data
        Tests, one test, or a file of word sets (see `counterpoise.data.read_word_sets`); the six about gender if not
        given.
    metric
        "cosine", or the negative "euclidean", "manhattan" or "mahalanobis" distance.
    allow_lost
        Give numbers even where a set has lost more than a fifth of its words.

    >>> import counterpoise as cp
    >>> encoder = cp.load(kind="encoder")
    >>> result = cp.measures.cseat(encoder, cp.data.weat(["weat6"]))
    >>> result.items.text[0], result.items.form[0]
    ('This is John.', 'John')
    """
    tests = chosen_tests(data, GENDER_TESTS)
    published = variant == "published"
    manner = manner_of(variant, metric, allow_lost, seed)
    items = sentence_items(tests, variant)
    if published:
        items["text"] = items.text.str.removesuffix(".")
    items, skipped = keep_readable(model, items)
    pieces: Pieces = "first" if published else "mean"
    vectors = model.word_vectors(items.text.tolist(), items.form.tolist(), pieces=pieces)
    return measured_associations(tests, items, skipped, vectors, manner, guessed_kinds(tests))
