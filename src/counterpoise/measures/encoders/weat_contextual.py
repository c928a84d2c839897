"""WEAT on contextual vectors (Kurita et al. 2019, section 3.1).

    s(w, A, B) = mean of cos(w, a) over A - mean of cos(w, b) over B
    d          = (mean of s over X - mean of s over Y) / sd of s over X and Y together      ddof = 1

The vector of a word is read where it stands in a template, with the other slot masked: that of a target in "John likes
[MASK].", that of an attribute in "[MASK] likes business."; cos(w, a) is the mean over the templates of both. A word of
several pieces has the mean of their vectors. Kurita finds nothing significant in BERT in this way and argues that it
is the wrong way to ask: see lpbs for the other one.

`variant="published"` does what the authors' code did: words in small letters, the first piece of an attribute, targets
only of one piece (of others the test knows nothing), the longer list of targets cut at its end to the length of the
other one, and a test that counts only larger differences. It looks at all splits where theirs drew 100,000. Its words
for math, science and arts are partly others (novels for novel), and are taken where no tests are given.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.core.mask import MASK
from counterpoise.data.builtin.wordsets import WordSet, WordTest, WordTests
from counterpoise.data.spec import Spec, SpecEntry, Variant, read_spec
from counterpoise.measures.encoders.common.association_tests import (
    AssociationSettings,
    Occurrences,
    keep_readable,
    lay_out,
)
from counterpoise.measures.encoders.common.occurrence_measures import occurrence_measure
from counterpoise.models.encoder import Encoder, Pieces


class ContextSpec(Spec):
    templates: dict[str, tuple[SpecEntry, ...]]
    other: tuple[SpecEntry, ...]


@occurrence_measure(
    "weat_contextual",
    label="Embedding association in context (WEAT)",
    data="weat_contextual",
    tests=("weat6", "weat7", "weat8"),
    published_tests=("weat6", "kurita_math", "kurita_science"),
    published=AssociationSettings(strict=True, allow_lost=True),
    cites="kurita2019",
)
def weat_contextual(model: Encoder, tests: WordTests, variant: Variant) -> Occurrences:
    """Are two sets of words, read in the middle of templates, told apart by their nearness to two others?

    Parameters
    ----------
    data
        The paper has `counterpoise.data.weat(["kurita_flowers", "kurita_names"])` too.
    allow_lost
        Always so in `variant="published"`.

    >>> import counterpoise as cp
    >>> encoder = cp.load(kind="encoder")
    >>> cp.measures.weat_contextual(encoder, cp.data.weat(["weat6"])).items.text[0]
    'John likes [MASK].'
    """
    if model.tokenizer.mask_token is None:
        raise DataError(f"weat_contextual needs a model with a mask, and {model.name} has none")
    published = variant == "published"
    if published:
        tests = replace(tests, tests=tuple(_as_published(model, test) for test in tests.tests))
    items = lay_out(tests, lambda test, role, words: _texts(test, role, words, variant))
    items, skipped = keep_readable(model, items)
    pieces: Pieces = "first" if published else "mean"
    vectors = model.word_vectors(items.text.tolist(), items.form.tolist(), pieces=pieces)
    return Occurrences(tests, items, skipped, vectors)


@cache
def _spec() -> ContextSpec:
    return read_spec("weat_contextual", ContextSpec)


def _texts(test: WordTest, role: str, words: WordSet, variant: Variant) -> pd.DataFrame:
    """Each word of a set in each template, the other slot masked."""
    own, other = ("{target}", "{attribute}") if role in "XY" else ("{attribute}", "{target}")
    rows = []
    for word in words.words:
        for entry in _spec().templates.get(test.name, _spec().other):
            template = entry.of(variant) or entry.text
            form, text = word, template.replace(own, word).replace(other, MASK)
            if variant == "corrected" and not text.startswith(MASK):
                text = text[0].upper() + text[1:]
                form = text[: len(word)] if template.startswith(own) else word
            rows.append((word, form, text))
    return pd.DataFrame(rows, columns=["word", "form", "text"])


def _as_published(model: Encoder, test: WordTest) -> WordTest:
    """The words as the authors' code takes them: small letters, targets of one piece, the longer list cut."""
    lower = test.map_sets(lambda words: replace(words, words=tuple(word.lower() for word in words.words)))

    def single_tokens(targets: WordSet) -> WordSet:
        tokens = {word: model.tokenizer.tokenize(" " + word) for word in targets.words}
        single = tuple(
            w for w in targets.words if len(tokens[w]) == 1 and tokens[w] != [model.tokenizer.unk_token]
        )
        lost = tuple((w, "is no single token of the vocabulary") for w in targets.words if w not in single)
        return replace(targets, words=single, lost=(*targets.lost, *lost))

    x, y = single_tokens(lower.x), single_tokens(lower.y)
    size = min(len(x.words), len(y.words))

    def cut(targets: WordSet) -> WordSet:
        left_out = tuple(
            (word, "left out so that both target sets are of one size") for word in targets.words[size:]
        )
        return replace(targets, words=targets.words[:size], lost=(*targets.lost, *left_out))

    return replace(lower, x=cut(x), y=cut(y))
