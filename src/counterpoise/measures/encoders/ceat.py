"""Contextualized embedding association test, CEAT (Guo & Caliskan 2021).

    d_i  = WEAT's d of sample i, in which each word has its vector from one of its sentences, drawn at random
    CES  = sum of w_i d_i / sum of w_i        w_i = 1 / (V_i + tau2), the combined effect size of a random-effects model

The sentences are natural ones, from a corpus that you give: a text file with one on each line, or a table. V_i is the
variance that d has because a sample has few words, tau2 that between contexts beyond it (DerSimonian & Laird 1986).
With the same sets in every sample V_i is one number, taken at the mean of d, so that all samples weigh alike.

Samples are not studies: they use the same words, and more of them can be drawn at no cost, which makes the variance of
the combined effect size as small as one likes. Interval and p therefore count words. The combined effect size is a
difference of means, over X and over Y, of each word's association over the spread of its sample; p is the share of
ways to split the target words that differ at least as much, in either direction, and the interval is that of a t test.

`variant="published"` does what the authors' code did: V_i is the variance of the associations, which is not a variance
of d; p is one-sided and takes samples for independent; words are found only as they are spelt, in windows of eight or
nine words without punctuation; a word's vector is that of its last piece, without tokens that begin and end a text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field
from scipy import stats as scipy_stats

from counterpoise import stats
from counterpoise.core.errors import DataError
from counterpoise.data.builtin.wordsets import WordTest
from counterpoise.data.corpus import Corpus
from counterpoise.data.spec import Variant
from counterpoise.data.user.contexts import Context, draw_contexts, sentence_corpus
from counterpoise.data.user.files import CORPUS, WORDS
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.row_builders import figure_row
from counterpoise.measures.base.rows import ZERO, Ideal, Row, row_key
from counterpoise.measures.base.units import EFFECT_SIZE
from counterpoise.measures.encoders.common.association_tests import (
    IDENTITY,
    AssociationSettings,
    GenderTests,
    all_words,
    chosen_tests,
    keep_readable,
    lay_out,
    lost_words,
    too_much_lost,
    warnings_of,
    words_left,
)
from counterpoise.measures.encoders.common.ceat_samples import (
    Sampled,
    sampled_associations,
    sampling_variance,
)
from counterpoise.measures.vectors.common.word_tests import (
    NEARNESS,
    AllowLost,
    SimilarityMetric,
    place_of_test,
    splits_note,
)
from counterpoise.models.encoder import Encoder

GENDER_TESTS = ("weat6", "weat7", "weat8")
_FEW = 5  # sentences of a word that say little about its contexts


@measure(
    "ceat",
    label="Contextualized embedding association (CEAT)",
    units={"d": EFFECT_SIZE},
    needs=Encoder,
    data="weat",
    ideal=ZERO,
    direction=NEARNESS,
    identity=IDENTITY,
    accepts=(CORPUS, replace(WORDS, parameter="words")),
    cites="guo2021",
    example="--corpus sentences.txt",
)
def ceat(
    model: Encoder,
    data: str | Path | Iterable[str] | Corpus | None = None,
    *,
    variant: Variant = "corrected",
    seed: int = 0,
    words: GenderTests = None,
    column: str = "text",
    contexts: Annotated[int, Field(ge=1)] = 100,
    samples: Annotated[int, Field(ge=2)] = 10_000,
    metric: SimilarityMetric = "cosine",
    allow_lost: AllowLost = False,
) -> Measured:
    """Over all the contexts that words have in a corpus, are two sets of them told apart by nearness to two others?

    Parameters
    ----------
    data
        The corpus: a file of sentences (text, CSV, TSV, JSONL, Parquet; also compressed) or sentences.
    column
        Where in a table the sentence is.
    contexts
        The most sentences to take for a word.
    samples
        How many times a sentence is drawn for each word.

    >>> import counterpoise as cp
    >>> corpus = ["He likes math.", "Math is what he does.", "She likes art.", "Her art is new.", "He sees her."]
    >>> test = cp.data.WordTest.of("mine", x=["math"], y=["art"], a=["he"], b=["she", "her"])
    >>> result = cp.measures.ceat(cp.load(kind="encoder"), corpus, words=test, samples=100)
    >>> result.items.text[result.items.word == "he"].tolist()
    ['He likes math.', 'Math is what he does.', 'He sees her.']
    """
    settings = AssociationSettings(metric, allow_lost=allow_lost, seed=seed)
    if data is None:
        raise DataError(
            "needs a corpus (data=FILE, --corpus FILE): a text file with a sentence on each line, or a table with a "
            "column of them"
        )
    corpus = sentence_corpus(data, column)
    tests = chosen_tests(words, GENDER_TESTS)
    drawn = draw_contexts(corpus, all_words(tests), contexts, seed)
    if variant == "published":
        drawn = {word: _as_published(word, found_in) for word, found_in in drawn.items()}
    items = lay_out(tests, lambda test, role, targets: _occurrences(targets.words, drawn))
    if items.empty:
        raise DataError(f"no word of {tests.name} stands in a sentence of {corpus.name}")
    items, skipped = keep_readable(model, items)
    published = variant == "published"
    vectors = model.word_vectors(
        items.text.tolist(),
        items.form.tolist(),
        pieces="last" if published else "mean",
        special_tokens=not published,
    ).astype(np.float64)

    rows = []
    for test in tests.tests:
        of_test = (items.test == test.name).to_numpy()
        test_items, sampled = items[of_test], None
        reason = too_much_lost(test, words_left(test_items), allow_lost)
        if reason is None:
            sampled = sampled_associations(test_items, vectors[of_test], vectors, samples, settings)
        rows.append(_rows(test, test_items, sampled, variant, settings, reason))
    return Measured(
        items,
        list(chain.from_iterable(rows)),
        skipped=pd.concat([lost_words(tests, items), skipped], ignore_index=True),
        warnings=(*warnings_of(tests, [first for first, *_ in rows]), *_few_contexts(items)),
        dataset=f"{tests.name}, {corpus.name}",
    )


def _rows(
    test: WordTest,
    items: pd.DataFrame,
    sampled: Sampled | None,
    variant: Variant,
    settings: AssociationSettings,
    reason: str | None,
) -> list[Row]:
    """The combined effect size; its variance over samples; the spread of effect sizes between contexts."""
    targets, at = items[items.role.isin(["X", "Y"])].word.nunique(), place_of_test(test)
    row = figure_row(
        np.nan,
        "d",
        f"combined effect size ({settings.metric}, ddof 1)",
        n=0 if sampled is None else len(sampled.associations),
        clusters=targets,
        at=at,
        ideal=ZERO,
        note=reason or "",
    )
    if sampled is None:
        return [row]
    if targets < 3 or not sampled.spreads.all():
        return [replace(row, note="too few target words to have a spread")]
    if variant == "published":
        row, pooled = _published(row, sampled)
    else:
        row, pooled = _corrected(row, sampled, settings.seed)
    plain = replace(row, ideal=Ideal.none(""), ci_low=np.nan, ci_high=np.nan, p_value=np.nan, note="")
    plain = replace(plain, effect_size=np.nan, smallest_detectable=np.nan)
    return [
        row,
        replace(
            plain,
            key=row_key("variance", at),
            statistic="variance of the combined effect size over samples",
            value=pooled.standard_error**2,
        ),
        replace(
            plain,
            key=row_key("tau", at),
            statistic="sd of effect sizes between contexts (tau)",
            value=float(np.sqrt(pooled.tau2)),
        ),
    ]


def _corrected(row: Row, sampled: Sampled, seed: int) -> tuple[Row, stats.PooledEffect]:
    d, n_x = sampled.effect_sizes, sampled.count_x
    n_y = sampled.associations.shape[1] - n_x
    variance = sampling_variance(float(d.mean()), n_x, n_y)
    pooled = stats.random_effects(d, np.full(len(d), variance))
    # The combined effect size is the mean of these over X less that over Y.
    scaled = (sampled.associations / sampled.spreads[:, None]).mean(axis=0)
    x, y = scaled[:n_x], scaled[n_x:]
    tested = stats.permutation_test(x, y, seed=seed)
    interval = scipy_stats.ttest_ind(x, y).confidence_interval(0.95)
    within = np.sqrt((((x - x.mean()) ** 2).sum() + ((y - y.mean()) ** 2).sum()) / (n_x + n_y - 2))
    return (
        replace(
            row,
            value=pooled.value,
            ci_low=float(interval.low),
            ci_high=float(interval.high),
            p_value=tested.p_value,
            effect_size=pooled.value,
            smallest_detectable=stats.smallest_difference(n_x, n_y) * float(within),
            note=tested.reason or f"{splits_note(tested)} of words",
        ),
        pooled,
    )


def _published(row: Row, sampled: Sampled) -> tuple[Row, stats.PooledEffect]:
    pooled = stats.random_effects(sampled.effect_sizes, sampled.spreads**2)
    return (
        replace(
            row,
            value=pooled.value,
            ci_low=pooled.low,
            ci_high=pooled.high,
            p_value=float(scipy_stats.norm.sf(pooled.z)),
            effect_size=pooled.value,
            clusters=pooled.n,
            note="interval and p take samples for independent",
        ),
        pooled,
    )


def _occurrences(words: Iterable[str], drawn: dict[str, list[Context]]) -> pd.DataFrame:
    rows = [(word, context.form, context.sentence) for word in words for context in drawn[word]]
    return pd.DataFrame(rows, columns=["word", "form", "text"])


def _as_published(word: str, contexts: Iterable[Context]) -> list[Context]:
    """Windows of words around the word, as the authors' code cuts them (eight words in the middle of a text)."""
    cut = []
    for context in contexts:
        words = "".join(c if c.isalnum() or c.isspace() else " " for c in context.sentence).split()
        if context.form == word and word in words:
            at = words.index(word)
            if len(words) >= 9:
                middle = words[at - 4 : at + 4] if len(words) - at > 4 else words[-9:]
                words = words[:9] if at < 4 else middle
            cut.append(Context(" ".join(words), word))
    return cut


def _few_contexts(items: pd.DataFrame) -> list[str]:
    counts = items.groupby("word").text.nunique()
    few = counts[counts < _FEW].index.tolist()
    if not few:
        return []
    return [f"{len(few)} words stand in fewer than {_FEW} sentences of the corpus, e.g. {few[0]!r}"]
