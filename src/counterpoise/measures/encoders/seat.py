"""Sentence encoder association test, SEAT (May et al. 2019).

    s(w, A, B) = mean of cos(w, a) over A - mean of cos(w, b) over B
    d          = (mean of s over X - mean of s over Y) / sd of s over X and Y together      ddof = 1

WEAT on the vectors of bland sentences: each word of the four sets stands in some ("This is a man.", "The men are
here."), and cos(w, a) is the mean over the sentences of w and of a. p is the share of ways to split the target words
into two sets of these sizes that differ at least as much, in either direction; all splits are looked at where there
are at most 200,000. The interval is a bootstrap over the words of all four sets.

`variant="published"` takes each sentence for an independent observation, in d, interval and a one-sided test, as the
authors' code does; and reads the model as that code read BERT: no tokens that begin and end a text, and the vector of
the first token. They cut the larger of two target sets at random to the size of the smaller; here every sentence stays.
"""

from __future__ import annotations

import pandas as pd

from counterpoise.data.builtin.seat import seat_sentences
from counterpoise.data.builtin.wordsets import WordTests
from counterpoise.data.spec import Variant
from counterpoise.data.user.files import WORDS
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.rows import ZERO
from counterpoise.measures.encoders.common.association_tests import (
    IDENTITY,
    Tests,
    all_words,
    chosen_tests,
    keep_readable,
    lay_out,
    manner_of,
    measured_associations,
)
from counterpoise.measures.vectors.weat import NEARNESS
from counterpoise.models.encoder import Encoder
from counterpoise.stats.vector_association import Metric

GENDER_TESTS = ("weat6", "weat6b", "weat7", "weat7b", "weat8", "weat8b")


@measure(
    "seat",
    needs=Encoder,
    data="seat",
    ideal=ZERO,
    direction=NEARNESS,
    identity=IDENTITY,
    accepts=(WORDS,),
    cites="may2019",
    suites=("quick", "full"),
)
def seat(
    model: Encoder,
    data: Tests | None = None,
    *,
    variant: Variant = "corrected",
    seed: int = 0,
    metric: Metric = "cosine",
    allow_lost: bool = False,
) -> Measured:
    """Are sentences about men and about women told apart by their nearness to sentences about other things?

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
    >>> cp.measures.seat(encoder, cp.data.weat(["weat6"])).summary.group[0]
    'weat6: male names, female names / career, family'
    """
    tests = chosen_tests(data, GENDER_TESTS)
    published = variant == "published"
    manner = manner_of(variant, metric, allow_lost, seed)
    items, skipped = keep_readable(model, sentence_items(tests, variant))
    texts = items.text.tolist()
    if published:
        vectors = model.sentence_vectors(texts, pooling="cls", special_tokens=False)
    else:
        vectors = model.sentence_vectors(texts)
    return measured_associations(tests, items, skipped, vectors, manner, guessed_kinds(tests))


def sentence_items(tests: WordTests, variant: Variant) -> pd.DataFrame:
    """The sentences of every word of the tests."""
    return lay_out(
        tests, lambda test, role, one: seat_sentences(one.words, variant).rename(columns={"sentence": "text"})
    )


def guessed_kinds(tests: WordTests) -> list[str]:
    """A warning about words of which the lexicon does not know which sentences they fit."""
    table = seat_sentences(all_words(tests))
    guessed = table.word[~table.listed].unique()
    if not len(guessed):
        return []
    return [
        f"{len(guessed)} words are not in the lexicon and stand in 'This is ...' only, e.g. {guessed[0]!r}"
    ]
