"""Estimates of the papers: sizes of models against what is known of them, work against plain counting, every step."""

from __future__ import annotations

import pytest

from counterpoise.models import load
from counterpoise.studies.engine.costs import Cost
from counterpoise.studies.engine.execution import find_function
from counterpoise.studies.engine.grid import plan
from counterpoise.studies.engine.study import read_study, study_names
from counterpoise.studies.replication.costs import (
    PROCESS,
    SIZES,
    START,
    ModelSize,
    Training,
    asking,
    model_size,
    pseudo_likelihood,
    together,
)

# In millions, as the models' cards have them.
PARAMETERS = {
    "bert-base-uncased": 110,
    "bert-large-uncased": 336,
    "distilbert-base-uncased": 66,
    "roberta-base": 125,
    "roberta-large": 355,
    "albert-base-v2": 12,
    "albert-large-v2": 18,
    "dbmdz/bert-base-german-cased": 110,
}


@pytest.mark.parametrize("name", SIZES)
def test_weights_of_public_models(name):
    assert SIZES[name].parameters / 1e6 == pytest.approx(PARAMETERS[name], rel=0.1)


def test_weights_of_the_builtin_model():
    weights = sum(values.numel() for values in load("builtin").model.parameters())
    size = model_size("builtin")
    assert size is not None
    assert size.parameters == pytest.approx(weights, rel=0.02)


def test_a_shared_layer_is_small_and_slow():
    albert, bert = SIZES["albert-base-v2"], SIZES["bert-base-uncased"]
    assert albert.forward(100, 10) == bert.forward(100, 10)
    assert albert.parameters < bert.parameters / 8


def test_work_is_counted_weight_by_weight():
    """Two operations for each weight of each layer and token, and for each pair of tokens in attention."""
    size = ModelSize(width=4, layers=3, vocabulary=10)
    products = 3 * (4 * 4 * 4 + 2 * 4 * 16)  # query, key, value, output; up and down
    attention = 3 * 2 * 4 * 5  # scores and values, with each of 5 tokens
    assert size.forward(tokens=7, length=5, predicted=2) == 2 * (7 * (products + attention) + 2 * 10 * 4)


def test_asking_and_pseudo_likelihood():
    size = ModelSize(width=4, layers=3, vocabulary=10)
    once = asking(size, texts=6, length=5)
    assert once == Cost(flops=size.forward(30, 5, 6), seconds=START, memory=PROCESS + 4 * size.parameters)
    # Three texts of five tokens are fifteen texts with one hidden token each.
    assert pseudo_likelihood(size, 3, 5, 25).flops == size.forward(15 * 5, 5, 15)


def test_training():
    size = ModelSize(width=4, layers=3, vocabulary=10)
    one, two = (Training(64, 5, 8, epochs).cost(size, keeps=True) for epochs in (1, 2))
    assert two.flops == 2 * one.flops
    assert two.seconds - START == pytest.approx(2 * (one.seconds - START))
    assert one.models == one.disk == 4 * size.parameters
    assert one.memory > PROCESS + 16 * size.parameters
    # Three checkpoints: the best, the last and the next; each has the weights and two moments of Adam.
    assert one.scratch == 3 * 3 * (4 * size.parameters)
    assert Training(64, 5, 8).cost(size, keeps=False).disk == 0
    assert together(one, one).scratch == one.scratch


def test_a_model_of_unknown_size(tmp_path):
    assert model_size(str(tmp_path)) is None
    (tmp_path / "config.json").write_text('{"hidden_size": 8, "num_hidden_layers": 2, "vocab_size": 100}')
    model_size.cache_clear()
    assert model_size(str(tmp_path)) == ModelSize(8, 2, 100)


def every_cell():
    for name in study_names():
        study, modules = read_study(name)
        for scale in study.scales:
            at_scale = study.at(scale)
            for cell in plan(at_scale).values():
                yield name, scale, at_scale, cell, modules


@pytest.mark.parametrize("name", study_names())
def test_every_cell_of_every_paper_has_an_estimate(name):
    unknown = set()
    for paper, scale, study, cell, modules in every_cell():
        if paper == name:
            cost = find_function(study.estimate, modules)(cell, study)
            if cost is None:
                unknown.add(f"{cell.step} at {scale}")
                continue
            assert cost.seconds > 0
            assert cost.memory >= PROCESS
            assert 0 <= cost.models <= cost.disk
            assert cost.models == 0 or study.steps[cell.step].weights
    assert unknown == set()


def test_corpora_are_sampled_down_to_the_smallest():
    """Table 4 of barza2023: a corpus ten times as large beside a small one costs no more than the small one."""
    study = read_study("barza2023")[0].at("paper")
    estimate = find_function(study.estimate, None)

    def flops(corpora):
        chosen = study.at(None, {"corpora": corpora})
        [cell] = [cell for cell in plan(chosen).values() if cell.step == "corpora"]
        return estimate(cell, chosen).flops

    both = flops(["jigsaw:toxic", "jigsaw:severe_toxic"])
    assert both == flops(["jigsaw:severe_toxic", "jigsaw:obscene"])
    assert both < flops(["jigsaw:toxic", "jigsaw:obscene"]) / 3


def test_weights_that_the_papers_keep():
    """37 GB at the scale of the papers, nearly all of them the classifiers of jentzsch2022."""
    kept = sum(
        find_function(study.estimate, modules)(cell, study).models
        for _, scale, study, cell, modules in every_cell()
        if scale == "paper"
    )
    assert kept == pytest.approx(38e9, rel=0.15)
