"""The most probable words at a mask, before and after, on a fixed list of sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from counterpoise.core.mask import MASK
from counterpoise.data.builtin.neutral import fill_sentences
from counterpoise.models.causal import CausalLM
from counterpoise.models.masked import MaskedLM

K = 5
COLUMNS = ["sentence", "rank", "word", "probability"]


def top_fills(model: MaskedLM | CausalLM, sentences: Sequence[str] | None = None, k: int = K) -> pd.DataFrame:
    """The k most probable words at the mask of each sentence: `sentence`, `rank`, `word`, `probability`.

    A causal model is asked what comes after the text before the mask; sentences that begin with the mask tell it
    nothing and are left out.

    >>> import counterpoise as cp
    >>> top_fills(cp.load(), ["Paris is the capital of [MASK]."], k=1)["rank"].tolist()
    [1]
    """
    sentences = fill_sentences() if sentences is None else sentences
    if isinstance(model, CausalLM):
        sentences = [sentence for sentence in sentences if _before_mask(sentence)]
        fills = model.next_words([_before_mask(sentence) for sentence in sentences], k)
    else:
        fills = [at_masks[0] for at_masks in model.fills(sentences, k)]
    rows = [
        (sentence, rank, fill.word, fill.probability)
        for sentence, of_sentence in zip(sentences, fills, strict=True)
        for rank, fill in enumerate(of_sentence, start=1)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def compare_fills(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """One row per sentence: the words `before` and `after`, most probable first, which were `lost` and `gained`.

    `moved` is how much probability changed hands among the words of either list, `first_changed` whether the most
    probable word is another one.

    >>> before = pd.DataFrame([("a [MASK]", 1, "cat", 0.5), ("a [MASK]", 2, "dog", 0.2)], columns=COLUMNS)
    >>> after = pd.DataFrame([("a [MASK]", 1, "dog", 0.4), ("a [MASK]", 2, "cow", 0.3)], columns=COLUMNS)
    >>> change = compare_fills(before, after).iloc[0]
    >>> change.lost, change.gained, bool(change.first_changed), round(float(change.moved), 2)
    (['cat'], ['cow'], True, 0.5)
    """
    rows = []
    for sentence, old in before.groupby("sentence", sort=False):
        new = after[after.sentence == sentence]
        if new.empty:
            continue
        was = dict(zip(old.word, old.probability, strict=True))
        now = dict(zip(new.word, new.probability, strict=True))
        words = list(was | now)
        change = [now.get(word, 0.0) - was.get(word, 0.0) for word in words]
        rows.append(
            {
                "sentence": sentence,
                "before": list(was),
                "p_before": list(was.values()),
                "after": list(now),
                "p_after": list(now.values()),
                "lost": [word for word in was if word not in now],
                "gained": [word for word in now if word not in was],
                "first_changed": next(iter(was)) != next(iter(now)),
                "moved": float(np.abs(change).sum() / 2),
            }
        )
    return pd.DataFrame(rows, columns=FILL_COLUMNS)


FILL_COLUMNS = [
    "sentence",
    "before",
    "p_before",
    "after",
    "p_after",
    "lost",
    "gained",
    "first_changed",
    "moved",
]


def _before_mask(sentence: str) -> str:
    return sentence.partition(MASK)[0].rstrip()
