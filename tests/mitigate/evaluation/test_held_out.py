"""Masked accuracy and perplexity, against plain transformers with the masks set by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import stats as scipy_stats

import counterpoise as cp
import tiny
from counterpoise.core.errors import DataError, InputError
from counterpoise.mitigate.evaluation.held_out import (
    accuracy,
    held_out,
    held_out_texts,
    perplexity,
    predictions,
)

pytestmark = pytest.mark.slow

TEXTS = [*cp.data.neutral_texts().table.text[:12], " ".join(cp.data.neutral_texts().table.text[:20])]


@pytest.fixture(scope="module")
def causal(tmp_path_factory):
    return cp.load(str(tiny.save("gpt2", tmp_path_factory.mktemp("gpt2"))))


@pytest.fixture(scope="module")
def roberta(tmp_path_factory):
    return cp.load(str(tiny.save("roberta", tmp_path_factory.mktemp("roberta"))))


def by_hand(lm, texts, seed):
    """Text by text, without batches: what is masked, what comes out, what stood there."""
    rows = []
    for number, text in enumerate(texts):
        ids = lm.tokenizer(text)["input_ids"]
        most = min(128, lm.max_length)
        ids = [*ids[: most - 1], ids[-1]] if len(ids) > most else ids
        own = np.arange(1, len(ids) - 1)
        places = np.sort(
            np.random.default_rng([seed, number]).choice(own, max(1, round(0.15 * len(own))), replace=False)
        )
        masked = torch.tensor([ids])
        masked[0, places] = lm.tokenizer.mask_token_id
        with torch.no_grad():
            logs = lm.model(masked).logits[0].double().log_softmax(-1)
        right = sum(int(logs[i].argmax()) == ids[i] for i in places)
        rows.append((number, len(places), right, sum(float(logs[i, ids[i]]) for i in places)))
    return rows


@pytest.mark.parametrize("which", ["builtin", "roberta"])
def test_predictions_are_those_of_plain_transformers(which, request):
    lm = request.getfixturevalue(which)
    found = predictions(lm, cp.data.Texts.of(TEXTS), seed=3)
    expected = by_hand(lm, TEXTS, 3)
    assert found[["text", "tokens", "right"]].to_numpy().tolist() == [list(row[:3]) for row in expected]
    assert found.log_p.to_numpy() == pytest.approx([row[3] for row in expected], abs=1e-3)
    tokens, right = sum(row[1] for row in expected), sum(row[2] for row in expected)
    assert accuracy(found) == pytest.approx(right / tokens)
    assert perplexity(found) == pytest.approx(np.exp(-sum(row[3] for row in expected) / tokens), rel=1e-4)


def test_a_causal_model_predicts_every_token_after_the_first(causal):
    found = predictions(causal, cp.data.Texts.of(TEXTS[:4]))
    for row, text in zip(found.itertuples(), TEXTS, strict=False):
        ids = causal.tokenizer(text)["input_ids"]
        own = [i for i, token in enumerate(ids) if i and token not in causal.tokenizer.all_special_ids]
        with torch.no_grad():
            logs = causal.model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
        assert row.tokens == len(own)
        assert row.right == sum(int(logs[i - 1].argmax()) == ids[i] for i in own)
        assert row.log_p == pytest.approx(sum(float(logs[i - 1, ids[i]]) for i in own), abs=1e-3)


def test_masks_depend_on_the_seed_alone(builtin):
    first, again, other = (predictions(builtin, cp.data.Texts.of(TEXTS), seed) for seed in (0, 0, 1))
    assert first.equals(again)
    assert not first.equals(other)
    # A text's mask does not depend on what else is asked.
    alone = predictions(builtin, cp.data.Texts.of(TEXTS[:3]), 0)
    assert alone.right.tolist() == first.right.tolist()[:3]


def test_the_difference_of_two_models_with_its_interval(builtin):
    """A model whose output layer does not know "the" loses exactly those; the interval is that of scipy's bootstrap."""
    damaged = cp.load()
    the = damaged.tokenizer.convert_tokens_to_ids("the")
    with torch.no_grad():
        damaged.model.cls.predictions.bias[the] -= 30
        damaged.model.cls.predictions.decoder.bias[the] = damaged.model.cls.predictions.bias[the]
    texts = cp.data.neutral_texts().table.text.tolist()[:60]
    table = held_out(builtin, damaged, texts, seed=2).set_index("quantity")
    before, after = by_hand(builtin, texts, 2), by_hand(damaged, texts, 2)
    tokens = np.array([row[1] for row in before])
    lost = np.array([first[2] - second[2] for first, second in zip(before, after, strict=True)])
    assert table.change["masked accuracy"] == pytest.approx(-100 * lost.sum() / tokens.sum())
    assert lost.sum() > 10

    def points(lost, tokens, axis=-1):
        return -100 * lost.sum(axis=axis) / tokens.sum(axis=axis)

    expected = scipy_stats.bootstrap((lost, tokens), points, paired=True, rng=np.random.default_rng(5))
    low, high = expected.confidence_interval
    assert table.ci_low["masked accuracy"] == pytest.approx(low, abs=0.3)
    assert table.ci_high["masked accuracy"] == pytest.approx(high, abs=0.3)
    ratio = table.after["pseudo-perplexity"] / table.before["pseudo-perplexity"]
    assert table.change["pseudo-perplexity"] == pytest.approx(100 * (ratio - 1))
    assert ratio > 1


def test_where_no_text_is_given(no_data):
    assert held_out_texts().name == "neutral"


def test_imdb_is_taken_where_it_is(data_file):
    data_file("imdb/imdb_50k_labelled.csv.xz")
    texts = held_out_texts(seed=1)
    assert texts.name == "imdb"
    assert len(texts.table) == 2000


def test_bad_input(builtin, roberta):
    with pytest.raises(DataError, match="no text that"):
        predictions(builtin, cp.data.Texts.of(["", " "]))
    found = predictions(builtin, cp.data.Texts.of(["", "The rain stopped."]))
    assert found.text.tolist() == [1]
    with pytest.raises(InputError, match="same tokens"):
        held_out(builtin, roberta, TEXTS)
