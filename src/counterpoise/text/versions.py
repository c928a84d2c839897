"""The versions of a text that an augmentation makes, and the seeded coin that chooses between them."""

from __future__ import annotations

import hashlib
from typing import Literal, NamedTuple, get_args

from counterpoise.core.errors import unknown
from counterpoise.text.edits import Edit, apply
from counterpoise.text.swap import Swapper

Method = Literal["male", "female", "flip", "remove", "cda", "cds", "mix"]

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
    if method not in get_args(Method):
        raise unknown("method", method, get_args(Method))


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
        return Version(target, swapper.swap(text, target), [])  # type: ignore[arg-type]
    edits = swapper.edits(text, target)  # type: ignore[arg-type]
    if swapper.guard and not edits and swapper.is_absurd(text, target):  # type: ignore[arg-type]
        return Version("original", text, [], guarded=True)
    return Version(target, apply(text, edits), edits)
