"""Sentence encoder association test, SEAT (May et al. 2019).

    s(w, A, B) = mean of cos(w, a) over A - mean of cos(w, b) over B
    d          = (mean of s over X - mean of s over Y) / sd of s over X and Y together      ddof = 1

WEAT on the vectors of bland sentences: each word of the four sets stands in some ("This is a man.", "The men are
here."), and cos(w, a) is the mean over the sentences of w and of a. p is the share of ways to split the target words
into two sets of these sizes that differ at least as much, in either direction; all splits are looked at where there
are at most 200,000. The interval is a bootstrap over the words of all four sets. Unless others are given, the six
tests about gender are carried out: WEAT's 6, 7 and 8, and May's 6b, 7b and 8b.

`variant="published"` takes each sentence for an independent observation, in d, interval and a one-sided test, as the
authors' code does; and reads the model as that code read BERT: no tokens that begin and end a text, and the vector of
the first token. They cut the larger of two target sets at random to the size of the smaller; here every sentence stays.
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
    "seat",
    label="Sentence embedding association (SEAT)",
    data="seat",
    tests=GENDER_TESTS,
    published=ONE_SIDED_OVER_TEXTS,
    cites="may2019",
    suites=("quick", "full"),
)
def seat(model: Encoder, tests: WordTests, variant: Variant) -> Occurrences:
    """Are sentences about men and about women told apart by their nearness to sentences about other things?

    >>> import counterpoise as cp
    >>> cp.measures.seat(cp.load(kind="encoder"), cp.data.weat(["weat6"])).summary.group[0]
    'weat6: male names, female names / career, family'
    """
    items, skipped = keep_readable(model, sentence_items(tests, variant))
    texts = items.text.tolist()
    if variant == "published":
        vectors = model.sentence_vectors(texts, pooling="cls", special_tokens=False)
    else:
        vectors = model.sentence_vectors(texts)
    return Occurrences(tests, items, skipped, vectors, guessed_kinds(tests))
