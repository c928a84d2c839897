"""Log-probabilities beside a mask, worked out a second time with plain forward passes."""

from __future__ import annotations

import pytest
import torch

import counterpoise as cp
import tiny
from counterpoise.core.errors import InputError
from counterpoise.models.positions import first_pieces, log_probs_at, mask_positions

TEXT = "[MASK] wants to become a [MASK]."


@pytest.mark.parametrize("kind", ["bert", "distilbert", "roberta", "albert", "deberta-v2"])
def test_equals_a_forward_pass_at_every_position(kind, tmp_path):
    lm = cp.load(tiny.save(kind, tmp_path))
    ids = lm.tokenizer(TEXT.replace("[MASK]", lm.tokenizer.mask_token), return_tensors="pt")["input_ids"]
    with torch.no_grad():
        expected = lm.model(input_ids=ids).logits[0].double().log_softmax(-1)[:, 77]
    positions = list(range(ids.shape[1]))
    found = log_probs_at(lm, [TEXT] * len(positions), positions, [77] * len(positions))
    assert found.tolist() == pytest.approx(expected.tolist(), abs=1e-4)
    assert mask_positions(lm, [TEXT]) == [
        [i for i in positions if int(ids[0, i]) == lm.tokenizer.mask_token_id]
    ]


def test_the_first_piece_of_a_word_in_its_place(builtin, tmp_path):
    [piece] = first_pieces(builtin, ["Every [MASK] is tired."], ["phlebotomist"])
    assert builtin.tokenizer.convert_ids_to_tokens(piece) == builtin.tokenizer.tokenize("phlebotomist")[0]
    byte_level = cp.load(tiny.save("roberta", tmp_path))
    pieces = first_pieces(byte_level, ["[MASK] is tired.", "Is [MASK] tired?"], ["He", "he"])
    assert byte_level.tokenizer.convert_ids_to_tokens(pieces) == ["He", "Ġhe"]


def test_no_such_position(builtin):
    with pytest.raises(InputError, match="there is no position 9 in"):
        log_probs_at(builtin, [TEXT], [9], [1])
