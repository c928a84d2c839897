"""Damages files in ways that disks, editors and attackers do, each from a seed."""

from __future__ import annotations

import random

DEEP = b"[" * 3000
FRAGMENTS = (
    b"\x00",
    b"\xff\xfe",
    b"\xed\xa0\x80",  # half a surrogate pair, as bytes
    b'"\\ud800"',
    b'"\\udfff": 1',
    b"2024-13-45",
    b"2024-02-30T25:61:61",
    b"1e999",
    b"-.inf",
    b".nan",
    b"9" * 5000,
    b"0x" + b"f" * 300,
    b"&a [*a]",
    b"*unknown",
    b"!!python/object/apply:os.system ['true']",
    b"!!binary abc",
    b"!!set {1, [2]}",
    b"? [a, b]",
    b"<<: 3",
    b"{[]: 1}",
    DEEP,
    b"{" * 3000,
    b'{"a":' * 3000,
    b"- " * 3000,
    b'"' * 101,
    b"\r",
    b"\n\n\n",
    b"\t",
    b"null",
    b"true",
    b"[]",
    b"{}",
    b"\\",
    b"%YAML 9.9\n---\n",
    b"...\n---\n",
    b"x" * 100_000,
    "\u2028\u0085\ufeff".encode(),
)


def damaged(content: bytes, rng: random.Random) -> bytes:
    """The content with one to three kinds of damage."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        content = rng.choice(_WAYS)(content, rng)
    return content


def _cut(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _flip(content: bytes, rng: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.choice((1, 8, 50)) if content else 0):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _insert(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice(FRAGMENTS) + content[at:]


def _replace_line(content: bytes, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    lines[rng.randrange(len(lines))] = rng.choice(FRAGMENTS)
    return b"\n".join(lines)


def _replace_value(content: bytes, rng: random.Random) -> bytes:
    """Puts something in the place of what stands between two separators."""
    places = [at for at, byte in enumerate(content) if byte in b":,[]{}\n "]
    if len(places) < 2:
        return rng.choice(FRAGMENTS)
    start = rng.randrange(len(places) - 1)
    return content[: places[start] + 1] + b" " + rng.choice(FRAGMENTS) + content[places[start + 1] :]


def _remove(content: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(content) + 1)
    return content[:start] + content[start + rng.randrange(200) :]


def _repeat(content: bytes, rng: random.Random) -> bytes:
    return content * rng.choice((2, 3))


def _whole(content: bytes, rng: random.Random) -> bytes:
    return rng.choice((b"", *FRAGMENTS, bytes(rng.randrange(256) for _ in range(300))))


_WAYS = (
    _cut,
    _flip,
    _insert,
    _insert,
    _replace_line,
    _replace_value,
    _replace_value,
    _replace_value,
    _remove,
    _repeat,
    _whole,
)
