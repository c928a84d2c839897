"""What models are trained on."""

from __future__ import annotations

import pytest

from counterpoise.mitigate.finetune.recipes import RECIPES
from counterpoise.studies.engine.cells import Cell, LeftOut
from counterpoise.studies.papers.barza2023.training import recipe_of, sample, sentences_to_train_on


def test_a_sample_is_drawn_with_its_seed_and_keeps_the_order():
    numbers = [str(i) for i in range(100)]
    drawn = sample(numbers, 10, seed=1)
    assert drawn == sample(numbers, 10, seed=1) != sample(numbers, 10, seed=2)
    assert drawn == sorted(set(drawn), key=int)
    assert sample(numbers, 200, seed=1) == numbers


def test_the_recipe_is_that_of_bartl_with_what_a_scale_changes(tmp_path):
    settings = {"recipe": "paper", "training": {"epochs": 1}}
    chosen = recipe_of(Cell("learn", {"sample": 2}, settings, tmp_path))
    assert (chosen.settings.epochs, chosen.settings.learning_rate, chosen.settings.seed) == (1, 5e-5, 44)
    assert chosen.names
    assert chosen.method == "cds"


def test_mt_gender_stays_as_it_is_and_gap_is_swapped(data_file):
    data_file("mt-gender/en.txt")
    assert len(sentences_to_train_on("mt-gender", RECIPES["paper"])) == 3888


def test_a_corpus_that_is_not_at_hand(no_data, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LeftOut, match="mt-gender"):
        sentences_to_train_on("mt-gender", RECIPES["paper"])
