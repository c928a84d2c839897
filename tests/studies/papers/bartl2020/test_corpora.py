"""GAP as the authors swapped it, and the passages that each recipe trains on."""

from __future__ import annotations

import shutil

import pytest

from counterpoise.core.errors import DataError, InputError
from counterpoise.data.thirdparty.folders import using_data
from counterpoise.studies.engine.cells import LeftOut
from counterpoise.studies.papers.bartl2020.corpora import construction_rows, count_words
from counterpoise.studies.papers.bartl2020.training import RECIPES, authors_gap, training_texts, whole_gap

# Counted in the authors' file and in GAP with grep.
COUNTS = {
    "he": (3042, 2691),
    "she": (2690, 3041),
    "him": (915, 919),
    "her": (3760, 4343),
    "his": (3428, 2843),
}
COUNTS |= {"man": (155, 142), "himself": (119, 119), "herself": (74, 74)}


def test_the_authors_file_inverts_every_passage(data_file):
    data_file("bec-pro/gap_flipped.tsv.xz")
    source, inverted = whole_gap().texts, authors_gap()
    assert len(source) == len(inverted) == 4454
    assert not any(one == other for one, other in zip(source, inverted, strict=True))
    before, after = count_words(source), count_words(inverted)
    assert {word: (before[word], after[word]) for word in COUNTS} == COUNTS


def test_recipes_train_on_the_same_passages(data_file):
    data_file("bec-pro/gap_flipped.tsv.xz")
    texts = {name: training_texts(name, 42, 40) for name in RECIPES}
    assert len({one.originals for one in texts.values()}) == 1
    assert {name: one.changed for name, one in texts.items() if name != "corrected"} == {
        "inverted": 40,
        "published": 40,
        "control": 0,
    }
    assert 8 < texts["corrected"].changed < 32  # a coin for each
    assert training_texts("corrected", 42, 40) == texts["corrected"]
    assert training_texts("corrected", 43, 40).originals != texts["corrected"].originals


def test_rates_and_padding_of_the_recipes():
    """Section 4.6 of the paper, and main.py of the authors."""
    paper, published = RECIPES["corrected"], RECIPES["published"]
    assert (paper.settings.learning_rate, paper.settings.batch_size, paper.settings.epochs) == (5e-5, 1, 3)
    assert (published.settings.learning_rate, published.settings.warmup) == (2e-5, 0.0)
    assert (paper.masking.attended_padding, published.masking.attended_padding) == (False, True)
    assert {name: recipe.method for name, recipe in RECIPES.items()} == {
        "corrected": "cds",
        "inverted": "flip",
        "published": "flip",
        "control": "none",
    }


# English: 7 professions with "an", in 3 templates, with 18 persons. German: roofers and two feminine forms with 9
# persons in 5 templates, wives with 60 professions in 5 templates (10 of them among the former), three endings after
# "der" with 9 persons.
@pytest.mark.parametrize(
    ("language", "corrected", "damaged"),
    [("en", 7 * 3 * 18, 23), ("de", 3 * 9 * 5 + 60 * 5 - 10 + 3 * 9, 5)],
    ids=["en", "de"],
)
def test_construction(language, corrected, damaged, data_file):
    data_file(f"bec-pro/BEC-Pro_{language.upper()}.tsv.xz")
    assert {row["statistic"]: row["value"] for row in construction_rows(language)} == {
        "sentences": 5400,
        "templates": 5,
        "person words": 18,
        "professions": 60,
        "sentences of a group and gender": 900,
        "sentences that we correct": corrected,
        "rows that text replacement damages": damaged,
        "length that the code fills up to": 16,
        "rows that differ from the authors' file": 0,
    }


def test_gap_that_is_not_at_hand(no_data):
    with pytest.raises(LeftOut, match="is not at hand: get it with `counterpoise catalog fetch gap`"):
        training_texts("corrected", 42)


def test_half_a_file(data_file, tmp_path, monkeypatch):
    files = [data_file(f"gap/gap-{split}.tsv") for split in ("development", "test", "validation")]
    monkeypatch.delenv("COUNTERPOISE_DATA")
    (tmp_path / "gap").mkdir()
    for file in files:
        shutil.copy(file, tmp_path / "gap")
    path = tmp_path / "gap" / "gap-test.tsv"
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:100_000])
    with using_data(tmp_path), pytest.raises(DataError, match="is not the published file"):
        whole_gap()


def test_a_recipe_that_is_none():
    with pytest.raises(InputError, match="there is no recipe of bartl2020 'flip'"):
        training_texts("flip", 42)
