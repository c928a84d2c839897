"""What is right among candidates, by hand and by loops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp

from counterpoise.measures.pronouns.common.declared_choices import judged

HE_SHE_XE = np.array([["he", "she", "xe"], ["him", "her", "xem"]], dtype=object)


def by_loops(scores, words):
    """right and right_calibrated, a slot and a declaration at a time."""
    right, calibrated = [], []
    for of_slot, forms in zip(scores, words, strict=True):
        for declared in range(len(forms)):
            for table, answers in ((of_slot, right), (of_slot - of_slot.mean(0), calibrated)):
                others = [table[declared, k] for k in range(len(forms)) if forms[k] != forms[declared]]
                answers.append(float(table[declared, declared] > max(others)))
    return right, calibrated


def test_right_and_calibrated_by_loops():
    scores = np.random.default_rng(0).normal(size=(2, 3, 3)) * 4
    table = judged(scores, HE_SHE_XE, None)
    right, calibrated = by_loops(scores, HE_SHE_XE)
    assert table.right.tolist() == right
    assert table.right_calibrated.tolist() == calibrated
    assert 0 < sum(right) < 6
    expected = [scores[c, d, d] - logsumexp(scores[c, d]) for c in range(2) for d in range(3)]
    assert np.log(table.p_right).tolist() == pytest.approx(expected)
    assert table.choice.tolist() == [HE_SHE_XE[c, k] for c in range(2) for k in scores[c].argmax(-1).tolist()]


def test_a_rare_form_that_the_declaration_makes_likelier_is_understood_and_not_said():
    """Levels of -1, -2 and -30, whatever the reason; a declaration adds 5 to its own form."""
    scores = np.array([-1.0, -2.0, -30.0]) + 5 * np.eye(3)
    table = judged(np.stack([scores, scores]), HE_SHE_XE, None)
    assert table.right.tolist() == [1, 1, 0] * 2
    assert table.right_calibrated.tolist() == [1] * 6


def test_a_constant_added_to_a_form_does_not_change_what_is_calibrated():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(2, 3, 3))
    of_form, of_text = rng.normal(size=(2, 1, 3)) * 20, rng.normal(size=(2, 3, 1)) * 20
    before, after = judged(scores, HE_SHE_XE, None), judged(scores + of_form + of_text, HE_SHE_XE, None)
    assert after.right_calibrated.tolist() == before.right_calibrated.tolist()


def test_a_model_that_does_not_read_is_as_right_as_a_guess():
    scores = np.broadcast_to(np.array([-1.0, -2.0, -3.0]), (2, 3, 3))
    table = judged(scores, HE_SHE_XE, None)
    assert table.right.mean() == pytest.approx(table.chance.mean()) == pytest.approx(1 / 3)
    assert not table.right_calibrated.any()  # ties


def test_sets_that_share_a_form_share_the_candidate():
    words = np.array([["his", "her", "hir", "hir"]], dtype=object)
    scores = np.array([[[0.0, -1, -2, -2], [0, 1, -2, -2], [0, 0, 3, 3], [0, 0, -3, -3]]])
    table = judged(scores, words, None)
    assert table.right.tolist() == [1, 1, 1, 0]
    assert table.choice.tolist() == ["his", "her", "hir", "his"]
    assert table.chance.tolist() == pytest.approx([1 / 3] * 4)
    assert table.p_right[2] == pytest.approx(np.exp(3) / (np.exp(3) + 2))


def test_among_forms_of_one_token():
    """The likeliest form has two tokens: of the others she is right, and of xe nothing is said."""
    scores = np.array([[[0.0, -1, 9], [-2, -1, 9], [0, 0, 9]]])
    table = judged(scores, HE_SHE_XE[:1], np.array([[1, 1, 2]]))
    assert table.right.tolist() == [0, 0, 1]
    assert table.right_whole[:2].tolist() == [1, 1]
    assert np.isnan(table.right_whole[2])
    assert table.tokens.tolist() == [1, 1, 2]
