"""Texts that begin alike: every text can be read back from its row, and attention sees exactly its own tokens."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoise.models.scoring import prefix_tree
from counterpoise.models.scoring.prefix_tree import plan_reading, shared_lengths, tree_size

texts_of_ids = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=9), min_size=1, max_size=12)


@pytest.mark.parametrize("share", [True, False])
@given(texts=texts_of_ids)
def test_each_token_attends_to_its_own_text_alone(texts, share):
    arrays = [np.array(text) for text in texts]
    plan = plan_reading(arrays, share=share)
    for row in plan.rows:
        assert share or row.branches is None
        depths, ends = row.branches or (np.arange(len(row.ids)), np.full(len(row.ids), len(row.ids)))
        for i in row.texts:
            nodes = plan.nodes[i]
            assert row.ids[nodes].tolist() == texts[i]
            assert depths[nodes].tolist() == list(range(len(texts[i])))
            for depth, node in enumerate(nodes.tolist()):
                seen = [j for j in range(node + 1) if node < ends[j]]
                assert seen == nodes[: depth + 1].tolist()
    assert sorted(i for row in plan.rows for i in row.texts) == list(range(len(texts)))


@given(texts=texts_of_ids)
def test_sizes(texts):
    arrays = [np.array(text) for text in texts]
    beginnings = {tuple(text[:end]) for text in texts for end in range(1, len(text) + 1)}
    assert tree_size(arrays) == len(beginnings)
    assert tree_size(arrays) <= plan_reading(arrays).tokens <= sum(map(len, texts))


def test_shared_lengths_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    texts = [rng.integers(0, 2, size=rng.integers(1, 6)) for _ in range(50)]
    expected = [0]
    for a, b in itertools.pairwise(texts):
        same = [x == y for x, y in zip(a.tolist(), b.tolist(), strict=False)]
        expected.append(same.index(False) if False in same else len(same))
    assert shared_lengths(texts).tolist() == expected
    monkeypatch.setattr(prefix_tree, "_BLOCK", 7)
    assert shared_lengths(texts).tolist() == expected


def test_rows_do_not_grow_without_end():
    texts = [np.array([1, 2, 3, *divmod(i, 40)]) for i in range(1600)]
    assert max(len(row.ids) for row in plan_reading(texts).rows) <= 256
    long = [np.array([*range(400), 500 + i]) for i in range(3)]  # a long beginning is shared all the same
    assert plan_reading(long).tokens == 403
