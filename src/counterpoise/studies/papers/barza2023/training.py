"""What the models of the study are trained on, and how: "the exact fine-tuning procedure" of Bartl et al. (2020)."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from counterpoise.data.corpus import Corpus
from counterpoise.data.thirdparty.jigsaw import jigsaw
from counterpoise.mitigate.finetune.recipes import Recipe, preset_recipe
from counterpoise.mitigate.finetune.training_texts import swap_texts
from counterpoise.studies.engine.cells import Cell, left_out_without_data
from counterpoise.text.sentences import sentences as sentences_of
from counterpoise.tuning.language_model import train_language_model
from counterpoise.tuning.training import Trained


def recipe_of(cell: Cell) -> Recipe:
    """The recipe that the settings name, with the training settings that they change; a sample is a seed of its own."""
    recipe = preset_recipe(cell.settings["recipe"])
    seed = recipe.settings.seed + int(cell.factors.get("sample", 0))
    return replace(recipe, settings=replace(recipe.settings, **cell.settings["training"], seed=seed))


def sentences_to_train_on(text: str, recipe: Recipe) -> list[str]:
    """The sentences of GAP, its passages swapped whole; or of MT Gender, which has both sides already, as they are."""
    with left_out_without_data():
        corpus = Corpus.of(text)
        treatment = recipe if text == "gap" else replace(recipe, method="none")
        texts = swap_texts(corpus, treatment, seed=recipe.settings.seed).texts
    return [sentence for text in texts for sentence in sentences_of(text)]


def comments_to_train_on(label: str) -> list[str]:
    """The sentences of Jigsaw's comments with a label."""
    with left_out_without_data(needed_for="table 4 is about Jigsaw's toxic comments"):
        comments = jigsaw()
    return [sentence for text in comments.comment_text[comments[label]] for sentence in sentences_of(text)]


def sample(sentences: Sequence[str], size: int | None, seed: int) -> list[str]:
    """So many of the sentences, drawn with the seed and in their order; all where there are no more.

    >>> sample(["a", "b", "c"], 2, seed=0) == sample(["a", "b", "c"], 2, seed=0), sample(["a"], None, seed=0)
    (True, ['a'])
    """
    if size is None or size >= len(sentences):
        return list(sentences)
    drawn = np.random.default_rng([seed, size]).choice(len(sentences), size, replace=False)
    return [sentences[i] for i in sorted(drawn)]


def train_on(sentences: Sequence[str], out: Path, base: str | Path, recipe: Recipe, device: str) -> Trained:
    return train_language_model(
        sentences, out, base=base, settings=recipe.settings, masking=recipe.masking, device=device
    )


@contextmanager
def trained_aside(cell: Cell, sentences: Sequence[str], base: str | Path, recipe: Recipe) -> Iterator[Path]:
    """A trained model for as long as it is measured: the weights of some fifty trainings are not worth their disk."""
    with tempfile.TemporaryDirectory(dir=cell.folder) as aside:
        yield train_on(sentences, Path(aside) / "model", base, recipe, cell.settings["device"]).folder
