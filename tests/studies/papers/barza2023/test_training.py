"""What models are trained on."""

from __future__ import annotations

import pytest

from counterpoise.core.errors import InputError
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


def test_a_seed_of_the_study_counts_from_that_of_the_recipe(tmp_path):
    settings = {"recipe": "paper", "training": {}}
    assert recipe_of(Cell("after", {"seed": 1}, settings, tmp_path)).settings.seed == 43
    assert recipe_of(Cell("corpora", {}, settings, tmp_path)).settings.seed == 42


def test_mt_gender_stays_as_it_is(data_file):
    data_file("mt-gender/en.txt")
    assert len(sentences_to_train_on("mt-gender", RECIPES["paper"])) == 3888


@pytest.mark.slow
def test_gap_has_the_same_sentences_swapped_or_not(data_file):
    """So that a sample of swapped GAP and one of unswapped GAP are the same sentences."""
    data_file("gap/gap-test.tsv")
    swapped, unswapped = (sentences_to_train_on(text, RECIPES["paper"]) for text in ("gap", "gap-unswapped"))
    assert len(swapped) == len(unswapped) == 13_121
    changed = [i for i, (a, b) in enumerate(zip(swapped, unswapped, strict=True)) if a != b]
    assert (
        0.2 < len(changed) / len(swapped) < 0.6
    )  # every second passage, and not every sentence has a gendered word
    numbers = [str(i) for i in range(len(swapped))]
    drawn = sample(numbers, 40, seed=1)
    assert sample(swapped, 40, seed=1) == [swapped[int(i)] for i in drawn]
    assert sample(unswapped, 40, seed=1) == [unswapped[int(i)] for i in drawn]


def test_an_unknown_text():
    with pytest.raises(InputError, match="did you mean 'gap'"):
        sentences_to_train_on("gop", RECIPES["paper"])


def test_a_corpus_that_is_not_at_hand(no_data, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    sentences_to_train_on.cache_clear()
    with pytest.raises(LeftOut, match="mt-gender"):
        sentences_to_train_on("mt-gender", RECIPES["paper"])
