"""Which tokens of a text belong to its words, and which of them cover a span of characters."""

from __future__ import annotations

import numpy as np

from counterpoise.models.transformer import Encoded


def own_tokens(encoded: Encoded) -> np.ndarray:
    """The positions of all tokens but the special ones.

    >>> own_tokens(Encoded((2, 7, 8, 3), (None, 0, 0, None), ((0, 0), (0, 4), (4, 6), (0, 0)))).tolist()
    [1, 2]
    """
    return np.flatnonzero([word is not None for word in encoded.words])


def tokens_within(encoded: Encoded, start: int, end: int) -> np.ndarray:
    """The positions of the tokens that cover any of the characters from start to end.

    >>> tokens_within(Encoded((2, 7, 8, 3), (None, 0, 0, None), ((0, 0), (0, 4), (4, 6), (0, 0))), 3, 4).tolist()
    [1]
    """
    return np.flatnonzero([left < end and right > start for left, right in encoded.spans])
