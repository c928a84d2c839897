"""Cleaning as in Jentzsch & Turan (2022), to the character, for their study."""

from __future__ import annotations

import re

_DELETED = re.compile(r'[.;:!?,"()\[\]]')
_SPACED = re.compile(r"(<br\s*/><br\s*/>)|-|/|'")
_MENTION = re.compile(r"@\S+")


def clean(text: str, twitter: bool = False) -> str:
    """Lower case; punctuation deleted; double line breaks, hyphens, slashes and apostrophes become one
    space each.

    White space is not collapsed and other symbols stay, as in the authors' code.

    >>> clean("I'm sure that the folks on the Texas/Louisiana")
    'i m sure that the folks on the texas louisiana'
    >>> clean("The Guardian.A")
    'the guardiana'
    """
    if twitter:
        text = _MENTION.sub("", text)
    return _SPACED.sub(" ", _DELETED.sub("", text.lower()))
