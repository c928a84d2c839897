"""her -> his or him, his -> her or hers: a small neural classifier of the words around the pronoun.

"her" is a determiner (her book -> his book) or an object (saw her -> saw him); "his" a determiner (his book
-> her book) or stands alone (it is his -> it is hers). The five tokens before and the six after decide.
Each token is the sum of hashed vectors for its spelling and its ending, so that no vocabulary is needed;
one hidden layer follows. To its output are added hashed weights of phrases around the pronoun (saw _ leave,
took _ time). numpy is all it takes. `tools/train_pronouns.py` trains the weights: the masculine forms label
themselves, since every his is a possessive context and every him an object context.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.text.possessives import stands_alone

BEFORE, AFTER = 5, 6
ROWS = 1 << 14
PER_TOKEN = 5
PHRASES = 1 << 16
PAD = ""
_SHAPES = "UTldp"  # upper case, title case, lower case, digits, punctuation
_HASHED = ROWS - len(_SHAPES) - 1

# Emphasis (*her*, _her_) is no token; a line break of HTML, dots and dashes are one each.
TOKEN = re.compile(r"<br\s*/?>|[^\W_]+(?:['’`][^\W_]+)?|\.\.+|--+|[^\w\s*]")
_REACH = 72  # characters on each side, about twice what the tokens need
_AT_ONCE = (
    4  # windows per product: so few that no BLAS library starts threads, which would cost more than they save
)

# In "him or her" and "her or his" the other pronoun decides.
_PARTNER_BEFORE = re.compile(r"(?<![^\W_])(him|his|he)\s*(?:or|and|/|&)\s*$", re.IGNORECASE)
_PARTNER_AFTER = re.compile(r"\s*(?:or|and|/|&)\s*(him|his|hers|her)(?![^\W_])", re.IGNORECASE)


def choose(text: str, word: str, spans: Sequence[tuple[int, int]]) -> list[bool]:
    """For each span, an occurrence of `word` (her or his): True where it is a determiner, as in her book.

    >>> choose("Her cat saw her.", "her", [(0, 3), (12, 15)])
    [True, False]
    """
    by_rule = [_decided_by_rule(text, word, start, end) for start, end in spans]
    if None not in by_rule:
        return [bool(decision) for decision in by_rule]
    scores = _classifier().scores([window(text, start, end) for start, end in spans], word)
    return [
        bool(score > 0) if decision is None else decision
        for decision, score in zip(by_rule, scores, strict=True)
    ]


def window(text: str, start: int, end: int) -> list[str]:
    """The tokens around a span, the nearest five before and six after; padded at the ends of the text.

    >>> window("I saw her.", 6, 9)
    ['', '', '', 'I', 'saw', '.', '', '', '', '', '']
    """
    before: list[str] = TOKEN.findall(text[max(0, start - _REACH) : start])[-BEFORE:]
    after: list[str] = TOKEN.findall(text[end : end + _REACH])[:AFTER]
    return [PAD] * (BEFORE - len(before)) + before + after + [PAD] * (AFTER - len(after))


def normal(token: str) -> str:
    """Lower case; all numbers alike; one apostrophe."""
    token = token.lower()
    if token[:1].isdigit():
        return "0"
    return "<br>" if token.startswith("<br") else token.replace("’", "'").replace("`", "'")


def rows(token: str) -> list[int]:
    """The rows whose sum stands for a token: spelling (twice, against collisions), endings, shape."""
    if token == PAD:
        return [ROWS - 1] * PER_TOKEN
    name = normal(token)
    hashed = (f"1{name}", f"2{name}", f"s{name[-3:]}", f"p{name[-2:]}{min(len(name), 5)}")
    return [*(zlib.crc32(part.encode()) % _HASHED for part in hashed), _HASHED + _SHAPES.index(_shape(token))]


def phrases(window: Sequence[str]) -> list[int]:
    """The rows of the phrases in a window: pairs and triples of the nearest tokens and of their endings."""
    names = [normal(token) for token in window[BEFORE - 2 : BEFORE + 3]]
    l2, l1, r1, r2, r3 = names
    e1, e2, f1 = r1[-3:], r2[-3:], l1[-3:]
    spelt = (
        f"a{l1} {r1}", f"b{r1} {r2}", f"c{l1} {r2}", f"d{l2} {l1}", f"e{l1} {r1} {r2}", f"f{l2} {l1} {r1}",
        f"g{r1} {r2} {r3}", f"h{l1} {e1}", f"i{e1} {e2}", f"j{e1} {r2}", f"k{l2} {r1}", f"l{l1} {e1} {r2}",
        f"m{f1} {e1} {e2}", f"n{l1} {e1} {e2}",
    )  # fmt: skip
    return [zlib.crc32(phrase.encode()) % PHRASES for phrase in spelt]


def _shape(token: str) -> str:
    if token.isupper() and len(token) > 1:
        return "U"
    if token[0].isalpha():
        return "T" if token[0].isupper() else "l"
    return "d" if token[0].isdigit() else "p"


def _decided_by_rule(text: str, word: str, start: int, end: int) -> bool | None:
    if word != "her":
        return False if stands_alone(text, start, end) else None
    before = _PARTNER_BEFORE.search(text, max(0, start - 12), start)
    if before and before[1].lower() != "he":
        return before[1].lower() == "his"
    after = _PARTNER_AFTER.match(text, end)
    if after and after[1].lower() in ("him", "his"):
        return after[1].lower() == "his"
    return None


class _Classifier:
    """The weights, and the vectors of the tokens met so far."""

    _MOST = 100_000  # tokens remembered; text has no end, memory has

    def __init__(self, weights: dict[str, NDArray[np.float32]]) -> None:
        self._rows = weights["rows"]
        self._hidden, self._hidden_bias = weights["hidden"], weights["hidden_bias"]
        self._output, self._output_bias = weights["output"], weights["output_bias"]
        self._phrases = np.ascontiguousarray(weights["phrases"].T)
        self._vectors = np.zeros((1024, self._rows.shape[1]), np.float32)
        self._numbers: dict[str, int] = {}

    def scores(self, windows: Sequence[Sequence[str]], word: str) -> NDArray[np.float32]:
        """Positive for a determiner; column 0 of the output answers for her, column 1 for his."""
        if len(self._numbers) > self._MOST:
            self._numbers.clear()
        numbers = self._numbers
        places = [
            [numbers[token] if token in numbers else self._number(token) for token in window]
            for window in windows
        ]
        column = 0 if word == "her" else 1
        around = self._phrases[column][[phrases(window) for window in windows]]
        parts = [self._score(places[i : i + _AT_ONCE], column) for i in range(0, len(places), _AT_ONCE)]
        scores: NDArray[np.float32] = np.concatenate(parts) + around.sum(axis=1)
        return scores

    def _score(self, places: list[list[int]], column: int) -> NDArray[np.float32]:
        inputs = self._vectors[places].reshape(len(places), -1)
        hidden = np.maximum(inputs @ self._hidden + self._hidden_bias, 0)
        scores: NDArray[np.float32] = hidden @ self._output[:, column] + self._output_bias[column]
        return scores

    def _number(self, token: str) -> int:
        number = self._numbers[token] = len(self._numbers)
        if number == len(self._vectors):
            self._vectors = np.concatenate([self._vectors, np.zeros_like(self._vectors)])
        self._vectors[number] = self._rows[rows(token)].sum(axis=0)
        return number


@cache
def _classifier() -> _Classifier:
    path = resources.files("counterpoise.text").joinpath("lists/pronouns.npz")
    with path.open("rb") as file:
        return _Classifier(unpack(dict(np.load(file))))


def unpack(packed: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.float32]]:
    """Weights as numbers again: what is kept in 8 bits times its scale."""
    weights = {name: value.astype(np.float32) for name, value in packed.items()}
    return {
        name: value * weights.get(f"{name}_scale", np.float32(1))
        for name, value in weights.items()
        if not name.endswith("_scale")
    }
