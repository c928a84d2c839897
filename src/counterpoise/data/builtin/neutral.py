"""Neutral sentences, in which a debiased model is asked to fill masks as well as it did before."""

from __future__ import annotations

import pandas as pd

from counterpoise.data.spec import Spec, read_spec
from counterpoise.data.texts import Texts


class NeutralSpec(Spec):
    sentences: tuple[str, ...]
    fills: tuple[str, ...]  # sentences with one mask each


def neutral_texts() -> Texts:
    """Our own everyday sentences, without any gendered word.

    >>> len(neutral_texts().table)
    150
    """
    return Texts("neutral", pd.DataFrame({"text": read_spec("neutral", NeutralSpec).sentences}))


def fill_sentences() -> tuple[str, ...]:
    """Sentences with one mask each, whose most probable words are compared.

    >>> fill_sentences()[0]
    'The doctor said that [MASK] would be late.'
    """
    return read_spec("neutral", NeutralSpec).fills
