"""Words of a block of text, all at once: where each begins and ends, its hash, and what stands between it and the next.

No step is taken for a single word. A table turns the block into small letters, spaces, full stops and line ends; a
word is a run of letters and digits, so that an apostrophe or a hyphen ends it (she's: she, s). Eight bytes of each
word are read as one number and mixed into its hash; of a word longer than 32 bytes the rest is not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoise.io.blocks import fold

LONGEST = 32  # bytes of a word that its hash depends on
SHOWN = 100  # bytes of a word that are kept: an array of words has room for the longest in every row
_SPACE, _STOP, _LINE_END, _FIRST_LETTER = ord(" "), ord("."), ord("\n"), ord("0")
_MIX = tuple(np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F))
_FIRST_BYTES = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]


def _signs() -> bytes:
    table = bytearray(b" " * 128) + bytearray(range(128, 256))
    for sign in range(128):
        if chr(sign).isalnum():
            table[sign] = ord(chr(sign).lower())
    for sign in b".!?":
        table[sign] = _STOP
    table[_LINE_END] = _LINE_END
    return bytes(table)


_TABLE = _signs()


@dataclass(frozen=True)
class Tokens:
    """The words of a block, in order.

    `ends_sentence`: a full stop, ! or ? and then no letter stand behind the word. `adjacent`: one space and nothing
    else does. `document` counts the lines that hold a word, from 0.
    """

    text: bytes
    starts: Ints
    lengths: Ints
    hashes: Hashes
    capital: Bools
    ends_sentence: Bools
    adjacent: Bools
    document: Ints

    def __len__(self) -> int:
        return len(self.starts)

    def spelled(self, at: int) -> str:
        start = int(self.starts[at])
        return self.text[start : start + min(int(self.lengths[at]), SHOWN)].decode("utf-8", "ignore")


def tokenize(block: bytes) -> Tokens:
    """Cuts a block into words.

    >>> tokens = tokenize(b"She's here. Dr. No left.\\nYes!\\n")
    >>> [tokens.spelled(at) for at in range(len(tokens))], tokens.document.tolist()
    (['she', 's', 'here', 'dr', 'no', 'left', 'yes'], [0, 0, 0, 0, 0, 0, 1])
    >>> tokens.ends_sentence.tolist(), tokens.capital.tolist()
    ([False, False, True, True, False, True, True], [True, False, False, True, True, False, True])
    """
    text = block.translate(_TABLE) + b" " * LONGEST
    signs = np.frombuffer(text, dtype=np.uint8)
    letters = signs >= _FIRST_LETTER
    edges = np.flatnonzero(letters[1:] != letters[:-1]) + 1
    if letters[0]:
        edges = np.concatenate([[0], edges])
    starts, ends = edges[::2], edges[1::2]
    first = np.frombuffer(block, dtype=np.uint8)[starts] if len(starts) else np.empty(0, np.uint8)
    behind = signs[ends]
    ends_sentence = np.zeros(len(starts), dtype=bool)
    stops = np.flatnonzero(signs == _STOP)
    stops = stops[signs[stops + 1] < _FIRST_LETTER]
    ends_sentence[_word_before(starts, stops)] = True
    ends_line = np.zeros(len(starts), dtype=bool)
    ends_line[_word_before(starts, np.flatnonzero(signs == _LINE_END))] = True
    document = np.cumsum(ends_line) - ends_line
    adjacent = np.zeros(len(starts), dtype=bool)
    adjacent[:-1] = (starts[1:] - ends[:-1] == 1) & (behind[:-1] == _SPACE)
    return Tokens(
        text,
        starts,
        ends - starts,
        _hashes(text, starts, ends - starts),
        (first >= ord("A")) & (first <= ord("Z")),
        ends_sentence,
        adjacent,
        document,
    )


def hash_words(phrases: Sequence[str]) -> list[list[tuple[int, str]]]:
    """The hash and the spelling of each word of each phrase, which has at least one.

    >>> [[spelled for _, spelled in phrase] for phrase in hash_words(["nurse", "bus driver"])]
    [['nurse'], ['bus', 'driver']]
    """
    tokens = tokenize(fold("\n".join(phrases) + "\n"))
    parts: list[list[tuple[int, str]]] = [[] for _ in phrases]
    for at, (hash_, document) in enumerate(
        zip(tokens.hashes.tolist(), tokens.document.tolist(), strict=True)
    ):
        parts[document].append((hash_, tokens.spelled(at)))
    return parts


def _word_before(starts: Ints, signs: Ints) -> Ints:
    """The words that stand before these places, where there is one."""
    before = np.searchsorted(starts, signs) - 1
    return before[before >= 0]


def _hashes(text: bytes, starts: Ints, lengths: Ints) -> Hashes:
    eights: NDArray[np.uint64] = np.ndarray((len(text) - 7,), np.dtype("<u8"), text, strides=(1,))
    lengths = np.minimum(lengths, LONGEST)
    hashes = (eights[starts] & _FIRST_BYTES[np.minimum(lengths, 8)]) * _MIX[0]
    hashes ^= hashes >> np.uint64(29)
    longer = np.arange(len(starts))
    for skipped in range(8, LONGEST, 8):
        longer = longer[lengths[longer] > skipped]
        more = eights[starts[longer] + skipped] & _FIRST_BYTES[np.minimum(lengths[longer] - skipped, 8)]
        mixed = (hashes[longer] ^ more) * _MIX[1]
        hashes[longer] = mixed ^ (mixed >> np.uint64(31))
    return hashes
