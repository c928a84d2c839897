"""The perceptrons: against plain torch, on data with a known answer, and the same for the same seed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from counterpoise.core.errors import DataError, InputError
from counterpoise.studies.papers.kurita2019.resolution import ProbeOptions, _Perceptrons, features, resolve

QUICK = ProbeOptions(epochs=40, patience=10)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    answers = rng.integers(0, 3, 300)
    return np.eye(3)[answers] @ rng.normal(size=(3, 6)) + rng.normal(0, 0.5, (300, 6)), answers


def test_it_learns_and_gives_probabilities(data):
    known, answers = data
    found = resolve(known[:200], answers[:200], known[200:], seed=0, options=QUICK)
    assert found.sum(1) == pytest.approx(1.0, abs=1e-5)
    assert (found.argmax(1) == answers[200:]).mean() > 0.8


def test_the_same_seed_gives_the_same_numbers(data):
    known, answers = data
    first, again, other = (
        resolve(known, answers, known[:20], seed=seed, options=QUICK) for seed in (3, 3, 4)
    )
    assert (first == again).all()
    assert (first != other).any()


def test_a_fold_is_the_network_of_the_kernel(data):
    """The stack of folds against one torch.nn network with the same weights, in training and afterwards."""
    known, _ = data
    options = ProbeOptions(folds=2, dropout=0.0)
    stack = _Perceptrons(known.shape[1], 0, options)
    inputs = torch.tensor(known[:32], dtype=torch.float32).expand(2, 32, -1)
    trained = stack._logits(inputs, train=True)
    for fold in range(2):
        into, bias, scale, shift, out, out_bias = (one[fold].detach() for one in stack.weights)
        norm = torch.nn.BatchNorm1d(31, eps=1e-3, momentum=0.01)
        network = torch.nn.Sequential(
            torch.nn.Linear(known.shape[1], 31), norm, torch.nn.ReLU(), torch.nn.Linear(31, 3)
        )
        with torch.no_grad():
            network[0].weight.copy_(into.T)
            network[0].bias.copy_(bias[0])
            norm.weight.copy_(scale[0])
            norm.bias.copy_(shift[0])
            network[3].weight.copy_(out.T)
            network[3].bias.copy_(out_bias[0])
            np.testing.assert_allclose(trained[fold].detach(), network(inputs[fold]), atol=1e-5)
            asked = stack._logits(inputs, train=False)[fold].detach()
            # torch keeps the unbiased variance, Keras the other one.
            norm.running_var.sub_(0.99).mul_(31 / 32).add_(0.99)
            np.testing.assert_allclose(asked, network.eval()(inputs[fold]), atol=1e-5)


def test_the_loss_is_cross_entropy_and_l2_of_the_last_weights(data):
    known, answers = data
    stack = _Perceptrons(known.shape[1], 0, ProbeOptions(folds=2))
    inputs = torch.tensor(known, dtype=torch.float32).expand(2, *known.shape)
    logits, labels = stack._logits(inputs, train=False), torch.tensor(answers).expand(2, -1)
    for fold, loss in enumerate(stack._loss(logits, labels)):
        expected = torch.nn.functional.cross_entropy(logits[fold], labels[fold])
        expected = expected + 0.1 * (stack.weights[4][fold] ** 2).sum()
        assert loss.item() == pytest.approx(expected.item(), abs=1e-5)


def test_what_the_probes_read():
    vectors = np.arange(2 * 3 * 3 * 4, dtype=float).reshape(2, 3, 3, 4)
    paper = features(vectors, "paper")
    assert paper[0].tolist() == np.concatenate([vectors[0, i, 0] for i in range(3)]).tolist()
    stronger = features(vectors, "stronger")
    assert stronger.shape == (2, 5 * 3 * 4)
    assert stronger[1, 36:48].tolist() == (vectors[1, 0] * vectors[1, 1]).ravel().tolist()
    with pytest.raises(InputError, match="there is no probe 'best'"):
        features(vectors, "best")


def test_inputs_are_standardised_over_the_training_passages(data):
    known, answers = data
    inputs = known * np.array([1e-3, 1, 10, 1, 1e3, 1]) + 7
    train, test = inputs[:200], inputs[200:]
    by_hand = [(part - train.mean(0)) / train.std(0) for part in (train, test)]
    raw = replace(QUICK, standardise=False)
    expected = resolve(by_hand[0], answers[:200], by_hand[1], seed=0, options=raw)
    assert (resolve(train, answers[:200], test, seed=0, options=QUICK) == expected).all()
    as_they_are = resolve(train, answers[:200], test, seed=0, options=raw)
    assert not np.allclose(as_they_are, expected, atol=0.01)


def test_too_few_passages():
    with pytest.raises(DataError, match="4 passages are too few to train on in 5 folds"):
        resolve(np.zeros((4, 2)), np.zeros(4, dtype=int), np.zeros((1, 2)), seed=0)
