"""Contextual word association test, C-SEAT (Tan & Celis 2019).

    s(w, A, B) = mean of cos(w, a) over A - mean of cos(w, b) over B
    d          = (mean of s over X - mean of s over Y) / sd of s over X and Y together      ddof = 1

SEAT's sentences, but of each only the vector of the word itself in its sentence, so that what the other words of the
sentence bring along weighs less. A word of several pieces has the mean of their vectors; words, not sentences, are
counted in interval and test, and the tests are SEAT's six about gender unless others are given (see seat).

`variant="published"` takes the first piece, leaves out the full stop, and takes each sentence for an independent
observation in a one-sided test, as the authors' code does. It does not repeat that their code also cuts off the token
that ends the text.
"""

from __future__ import annotations

from counterpoise.data.builtin.wordsets import WordTests
from counterpoise.data.spec import Variant
from counterpoise.measures.encoders.common.association_tests import Occurrences, keep_readable
from counterpoise.measures.encoders.common.occurrence_measures import occurrence_measure
from counterpoise.measures.encoders.common.seat_sentences import (
    GENDER_TESTS,
    ONE_SIDED_OVER_TEXTS,
    guessed_kinds,
    sentence_items,
)
from counterpoise.models.encoder import Encoder


@occurrence_measure(
    "cseat",
    label="Contextual word embedding association (C-SEAT)",
    data="seat",
    tests=GENDER_TESTS,
    published=ONE_SIDED_OVER_TEXTS,
    cites=("tan2019", "may2019"),
)
def cseat(model: Encoder, tests: WordTests, variant: Variant) -> Occurrences:
    """Are male and female words in their sentences told apart by their nearness to other words in theirs?

    >>> import counterpoise as cp
    >>> encoder = cp.load(kind="encoder")
    >>> result = cp.measures.cseat(encoder, cp.data.weat(["weat6"]))
    >>> result.items.text[0], result.items.form[0]
    ('This is John.', 'John')
    """
    items, published = sentence_items(tests, variant), variant == "published"
    if published:
        items["text"] = items.text.str.removesuffix(".")
    items, skipped = keep_readable(model, items)
    vectors = model.word_vectors(
        items.text.tolist(), items.form.tolist(), pieces="first" if published else "mean"
    )
    return Occurrences(tests, items, skipped, vectors, guessed_kinds(tests))
