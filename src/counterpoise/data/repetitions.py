"""Rows that say again what another row says."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

# What is not seen: soft hyphen, zero-width space, non-joiner, joiner and no-break space, word joiner. The joiners mean
# something in some scripts, but two texts that differ in nothing else are still no independent evidence.
_UNSEEN = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")


def repeated_rows(table: pd.DataFrame, columns: Sequence[str]) -> list[bool]:
    """For each row whether one before it has the same values, whatever the white space in its texts and what is unseen.

    >>> repeated_rows(pd.DataFrame({"text": ["He left.", "She left.", "He \\xa0left. "]}), ["text"])
    [False, False, True]
    """
    compared = pd.DataFrame({column: table[column].map(_as_seen) for column in columns})
    return compared.duplicated().tolist()


def _as_seen(value: object) -> object:
    return " ".join(_UNSEEN.sub("", value).split()) if isinstance(value, str) else value
