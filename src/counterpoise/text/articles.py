"""a or an: by the sound that a word begins with, which its first letter tells but for a few words."""

from __future__ import annotations

import re

# university, user, urologist, utility, European, one - but unimportant, uninformed, unidentified
_CONSONANT_SOUND = re.compile(r"uni(?!n|m|d|ma)|us[aeu]|uro|uti|eu|ewe|on(e\b|ce)|ukr|ubi|u-")
_SILENT_H = re.compile(r"hour|hono|hones|heir")


def article(word: str) -> str:
    """The indefinite article of a word.

    >>> [article(word) for word in ("nurse", "engineer", "hourly worker", "university teacher")]
    ['a', 'an', 'an', 'a']
    """
    word = word.lower()
    vowel = word[:1] in set("aeiou") and not _CONSONANT_SOUND.match(word)
    return "an" if vowel or _SILENT_H.match(word) else "a"
