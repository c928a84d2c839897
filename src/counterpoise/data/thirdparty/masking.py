"""Where versions of a sentence differ."""

from __future__ import annotations

import re

from counterpoise.core.mask import MASK


def mask_differences(*versions: str) -> tuple[str, list[tuple[str, ...]]] | None:
    """The sentence with a mask wherever its versions differ, and the words there; None if they differ in length.

    >>> mask_differences("He lost his pen.", "She lost her pen.")
    ('[MASK] lost [MASK] pen.', [('He', 'She'), ('his', 'her')])
    """
    parts = [re.split(r"(\W+)", version) for version in versions]  # words, and what stands between them
    if len({len(words) for words in parts}) > 1:
        return None
    together = list(zip(*parts, strict=True))
    text = "".join(words[0] if len(set(words)) == 1 else MASK for words in together)
    return text, [words for words in together if len(set(words)) > 1]
