"""The loss against plain transformers: one row at a time, no padding, the whole output layer."""

from __future__ import annotations

import copy

import pytest
import torch

import tiny
from counterpoise.tuning import LANGUAGE_MODEL, Masking
from counterpoise.tuning.language_model import _pad_token_id, load_to_train, make_rows
from counterpoise.tuning.losses import LanguageModelLoss
from counterpoise.tuning.masking import IGNORED, collate

CORPUS = [
    "She told her brother that the nurse was late.",
    "He left.",
    "The men left, and nobody saw them again.",
]
NEUTRAL = ["It rains today.", "The train to the coast was late again."]


def by_hand(model, base, rows, weight):
    total, count = torch.tensor(0.0), 0
    for row in rows:
        ids = torch.tensor(row.ids)[None]
        logs, wanted = (one(input_ids=ids).logits[0].log_softmax(-1) for one in (model, base))
        for place, label in enumerate(row.labels):
            if label == IGNORED:
                continue
            count += 1
            if row.keep[place]:
                total = total + weight * (wanted[place].exp() * (wanted[place] - logs[place])).sum()
            else:
                total = total - logs[place, label]
    return total / count


@pytest.mark.parametrize("kind", ["bert", "roberta", "modernbert", "deberta-v2", "gpt2", "gpt2-without-pad"])
@pytest.mark.parametrize(
    ("weight", "masking"),
    [
        (0.0, Masking(share=0.4)),
        (2.5, Masking(share=0.4)),
        (2.5, Masking(share=0.4, gendered=0.9, learn_gendered=True)),
    ],
)
def test_loss_and_gradient(kind, weight, masking, tmp_path):
    language_model = load_to_train(tiny.save(kind, tmp_path))
    model = language_model.model
    loss = LanguageModelLoss(model, weight)
    base = copy.deepcopy(model)
    with torch.no_grad():  # the model has learnt something since
        for name, weights in model.named_parameters():
            if "norm" not in name.lower():
                weights.add_(0.02 * torch.randn(weights.shape, generator=torch.Generator().manual_seed(1)))
    neutral = NEUTRAL if weight else []
    rows = make_rows(language_model, CORPUS, neutral, masking, LANGUAGE_MODEL)
    chosen = [rows[i, 0] for i in range(len(rows))]
    expected = by_hand(model, base, chosen, weight)
    expected.backward()
    gradient = {name: one.grad.clone() for name, one in model.named_parameters() if one.grad is not None}
    model.zero_grad()
    batch = collate(chosen, pad=_pad_token_id(language_model, "base"))
    assert sorted(batch["attention_mask"].sum(1).tolist()) == sorted(len(row.ids) for row in chosen)
    assert batch["attention_mask"].flatten()[batch["places"]].all()  # nothing is predicted at padding
    found = loss(model, batch)
    found.backward()
    assert found.item() == pytest.approx(expected.item(), rel=1e-4)
    for name, one in model.named_parameters():
        if name in gradient:
            assert torch.allclose(one.grad, gradient[name], rtol=1e-3, atol=1e-4), name


def test_a_batch_with_nothing_to_guess(tmp_path):
    language_model = load_to_train(tiny.save("bert", tmp_path))
    rows = make_rows(language_model, ["It rains."], [], Masking(share=1e-9), LANGUAGE_MODEL)
    loss = LanguageModelLoss(language_model.model)(language_model.model, collate([rows[0, 0]], pad=0))
    loss.backward()
    assert loss.item() == 0


def test_neutral_text_costs_nothing_before_anything_is_learnt(tmp_path):
    language_model = load_to_train(tiny.save("bert", tmp_path))
    rows = make_rows(language_model, ["He left."], NEUTRAL, Masking(share=0.5), LANGUAGE_MODEL)
    loss = LanguageModelLoss(language_model.model, 1.0)
    neutral = collate([rows[1, 0], rows[2, 0]], pad=0)
    assert loss(language_model.model, neutral).item() == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("kind", ["bert", "gpt2"])
def test_only_gendered_words_are_learnt(kind, tmp_path):
    language_model = load_to_train(tiny.save(kind, tmp_path))
    tokenizer = language_model.tokenizer
    rows = make_rows(language_model, CORPUS, NEUTRAL, Masking(share=1.0, learn_gendered=True), LANGUAGE_MODEL)
    gendered = ["She", "her", "brother", "He", "men"]
    for number, text in enumerate([*CORPUS, *NEUTRAL]):
        row = rows[number, 0]
        learnt = [
            label for label, keep in zip(row.labels, row.keep, strict=True) if label != IGNORED and not keep
        ]
        found = tokenizer.decode(learnt).lower().split()
        expected = [word.strip(".,").lower() for word in text.split() if word.strip(".,") in gendered]
        assert "".join(found) == "".join(expected)
