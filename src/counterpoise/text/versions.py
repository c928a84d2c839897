"""The versions of a text that an augmentation makes, and the seeded coin that chooses between them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from counterpoise.core.errors import unknown
from counterpoise.text.edits import Edit, apply
from counterpoise.text.pronoun_sets import PRONOUN_SETS, pronoun_set
from counterpoise.text.swap import NEUTRAL, Swapper
from counterpoise.text.term_files import looks_like_file

Method = str  # one of METHODS, a pronoun set, or the file of one
METHODS = ("male", "female", "flip", "remove", NEUTRAL, "cda", "cds", "mix")

# The versions of each method; those of cds are chosen between by the coin.
_TARGETS: dict[str, tuple[str, ...]] = {
    "cda": ("original", "flip"),
    "cds": ("original", "flip"),
    "mix": ("male", "female"),
}


class Version(NamedTuple):
    """A version of a text: what was done (`original` where nothing), the result, the edits."""

    name: str
    text: str
    edits: list[Edit]
    guarded: bool = False
    unsure: int = 0  # sentences left as they are, since the rules cannot tell


def versions(swapper: Swapper, text: str, method: Method, heads: bool = False) -> list[Version]:
    """All versions of a text under a method; `heads` is the coin's side for cds.

    >>> [v.text for v in versions(Swapper("pro"), "He left.", "cda")]
    ['He left.', 'She left.']
    """
    targets: tuple[str, ...] = _TARGETS.get(method, (method,))
    if method == "cds":
        targets = targets[heads : heads + 1]
    return [_version(swapper, text, target) for target in targets]


def check_method(method: str) -> None:
    """Refuses what is no method; a file must hold a pronoun set."""
    if method in METHODS or method in PRONOUN_SETS:
        return
    if not looks_like_file(method):
        raise unknown("method", method, {*METHODS, *PRONOUN_SETS})
    pronoun_set(method)


def coin(seed: int, number: int | str) -> bool:
    """A fair coin for the document, or group of documents, of that number; the same in any order or process.

    >>> [coin(0, i) for i in range(4)] == [coin(0, i) for i in range(4)]
    True
    """
    return bool(hashlib.blake2b(f"{seed}/{number}".encode(), digest_size=1).digest()[0] & 1)


def _version(swapper: Swapper, text: str, target: str) -> Version:
    if target == "original":
        return Version("original", text, [])
    if swapper.variant == "published":
        return Version(target, swapper.swap(text, target), [])
    edits, unsure = swapper.changes(text, target)
    if swapper.guard and not edits and swapper.is_absurd(text, target):
        return Version("original", text, [], guarded=True)
    return Version(Path(target).stem, apply(text, edits), edits, unsure=len(unsure))
