"""Texts that begin alike, laid out so that a causal model computes each shared beginning once.

Sorted texts form a tree: every token is a node, and what two texts share is one path from the root. A row holds part of
that tree, branch after branch (depth first). In this order the descendants of a token are the tokens right after it up
to the end of its subtree, so that one number per token says which tokens may attend to it:

    the nurse said he    row     the nurse said he she doctor
    the nurse said she   depth     0     1    2  3   3      1
    the doctor           end       6     5    5  4   5      6

Token j attends to token i where i <= j < end[i]: to itself and its ancestors, as in a plain causal pass over its text.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

# Attention is quadratic in the length of a row; up to here it is a small part of the work on a GPU.
ROW_TOKENS = 256
_BLOCK = 4096  # texts that are compared at once


class Branches(NamedTuple):
    """How the tokens of a row hang together, where it is more than one text with its own beginnings."""

    depths: np.ndarray  # the position of each token in its text
    ends: np.ndarray  # where the subtree of each token ends


class TreeRow(NamedTuple):
    """Part of the tree as one row of tokens, depth first."""

    ids: np.ndarray
    texts: tuple[int, ...]  # the texts that are read in this row
    branches: Branches | None = None  # None: every token attends to all before it


@dataclass(frozen=True)
class ReadingPlan:
    """The rows in which texts are read, and for each text where in its row its tokens stand."""

    rows: list[TreeRow]
    nodes: list[np.ndarray]

    @property
    def tokens(self) -> int:
        """Tokens that are computed."""
        return sum(len(row.ids) for row in self.rows)


def plan_reading(
    texts: Sequence[np.ndarray], *, share: bool = True, row_tokens: int = ROW_TOKENS
) -> ReadingPlan:
    """Lays out texts, given as ids, in rows of up to `row_tokens`; a longer text has a row for itself and its like.

    Without `share` only a text that begins another one is read with it.

    >>> texts = [np.array(ids) for ids in ([1, 5, 6, 7], [1, 5, 6, 8], [1, 5], [1, 9])]
    >>> plan = plan_reading(texts)
    >>> [row.ids.tolist() for row in plan.rows], [nodes.tolist() for nodes in plan.nodes]
    ([[1, 5, 6, 7, 8], [1, 9]], [[0, 1, 2, 3], [0, 1, 2, 4], [0, 1], [0, 1]])
    >>> plan.rows[0].branches.depths.tolist(), plan.rows[0].branches.ends.tolist()
    ([0, 1, 2, 3, 3], [5, 5, 5, 4, 5])
    """
    order = _sorted(texts)
    shared = shared_lengths([texts[i] for i in order])
    numbers = np.arange(max((len(text) for text in texts), default=0))
    nodes = [numbers[: len(text)] for text in texts]  # as they are in rows of their own
    rows: list[TreeRow] = []
    lengths = np.array([len(texts[i]) for i in order], dtype=np.int64)
    # A text goes on in the row of the one before it if it shares more than the first token, which begins every text,
    # or all of that text, which needs no attention mask.
    joins = shared == np.concatenate([[-1], lengths[:-1]])
    joins |= share & (shared > 1)
    starts = np.append(np.flatnonzero(~joins), len(order))
    for first, last in zip(starts.tolist(), starts[1:].tolist(), strict=False):
        if last - first == 1:
            rows.append(TreeRow(texts[order[first]], (order[first],)))
        else:
            rows += _rows(texts, order[first:last], shared[first:last].tolist(), nodes, row_tokens)
    return ReadingPlan(rows, nodes)


def _rows(
    texts: Sequence[np.ndarray],
    order: Sequence[int],
    shared: Sequence[int],
    nodes: list[np.ndarray],
    row_tokens: int,
) -> list[TreeRow]:
    """Rows of texts of which each shares its beginning with the one before it; says in `nodes` where they stand."""
    rows: list[TreeRow] = []
    branch: list[int] = []  # texts of the row that is being filled
    paths: list[
        tuple[np.ndarray, int]
    ] = []  # of each text: its nodes, and how many it shares with the one before
    size = limit = 0

    def finish() -> None:
        rows.append(_row([texts[i] for i in branch], tuple(branch), paths))

    for i, common in zip(order, shared, strict=True):
        text = texts[i]
        if branch and size + len(text) - common > limit:
            finish()
            branch, paths, size = [], [], 0
        if not branch:
            common, limit = 0, max(row_tokens, 2 * len(text))
        before = paths[-1][0][:common] if paths else np.zeros(0, np.int64)
        nodes[i] = np.concatenate([before, np.arange(size, size + len(text) - common)])
        size += len(text) - common
        branch.append(i)
        paths.append((nodes[i], common))
    finish()
    return rows


def _row(
    texts: Sequence[np.ndarray], numbers: tuple[int, ...], paths: Sequence[tuple[np.ndarray, int]]
) -> TreeRow:
    ids = np.concatenate([text[common:] for text, (_, common) in zip(texts, paths, strict=True)])
    if len(ids) == len(texts[-1]):  # all others begin it
        return TreeRow(ids, numbers)
    depths = np.concatenate([np.arange(common, len(path)) for path, common in paths])
    ends = np.full(len(ids), len(ids))
    for (path, _), (after, common) in itertools.pairwise(paths):
        if common < len(path):  # what the next text does not share ends before it
            ends[path[common:]] = after[common]
    return TreeRow(ids, numbers, Branches(depths, ends))


def tree_size(texts: Sequence[np.ndarray]) -> int:
    """The tokens of a tree of all texts: the fewest that could be computed, with rows of any length.

    >>> tree_size([np.array(ids) for ids in ([1, 5, 6], [1, 5, 7], [1, 9])])
    5
    """
    in_order = [texts[i] for i in _sorted(texts)]
    return sum(map(len, in_order)) - int(shared_lengths(in_order).sum())


def _sorted(texts: Sequence[np.ndarray]) -> list[int]:
    """The order of the texts by their tokens; ids are not negative, so that their bytes sort as they do."""
    keys = [text.astype(">i4").tobytes() for text in texts]
    return sorted(range(len(texts)), key=keys.__getitem__)


def shared_lengths(texts: Sequence[np.ndarray]) -> np.ndarray:
    """How many first tokens each text shares with the one before it; 0 for the first.

    >>> shared_lengths([np.array(ids) for ids in ([1, 5], [1, 5, 6], [1, 7])]).tolist()
    [0, 2, 1]
    """
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    shared = np.zeros(len(texts), dtype=np.int64)
    for start in range(0, len(texts) - 1, _BLOCK):
        block = slice(start, start + _BLOCK + 1)
        table = np.full((len(lengths[block]), lengths[block].max() + 1), -1, dtype=np.int64)
        table[np.arange(table.shape[1]) < lengths[block, None]] = np.concatenate(texts[block])
        table[:, -1] = np.arange(len(table))  # always another
        shared[start + 1 : start + len(table)] = (table[1:] != table[:-1]).argmax(axis=1)
    shared[1:] = np.minimum(shared[1:], np.minimum(lengths[1:], lengths[:-1]))
    return shared
