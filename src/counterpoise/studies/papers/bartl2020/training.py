"""Fine-tuning on swapped GAP as the paper describes it, as its code did it, and without a swap.

corrected   substitution: each passage is swapped with probability 1/2, names too; learning rate 5e-5 with warm-up
inverted    the same with every passage swapped
published   the authors' own inverted file; 2e-5 without warm-up; sentences padded with mask tokens, which the model
            attends to and is trained to predict
control     as corrected, on GAP as it is: what training on these passages does without any swap
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np

from counterpoise.core.errors import MissingData, unknown
from counterpoise.data.corpus import Corpus
from counterpoise.data.named_corpora import swapped_gap
from counterpoise.data.thirdparty.folders import check_whole, find_file
from counterpoise.mitigate.finetune.recipes import Recipe, preset_recipe
from counterpoise.mitigate.finetune.training_texts import TrainingTexts, swap_texts
from counterpoise.studies.engine.cells import left_out_without_data
from counterpoise.tuning.language_model import train_language_model
from counterpoise.tuning.training import Trained

RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        "corrected": preset_recipe("paper"),
        "inverted": replace(preset_recipe("paper"), method="flip"),
        "published": preset_recipe("published"),
        "control": replace(preset_recipe("paper"), method="none"),
    }
)
GAP_FILES = ("gap-development.tsv", "gap-test.tsv", "gap-validation.tsv")


def whole_gap() -> Corpus:
    """All passages of GAP; left out where it is not at hand, an error where a file is not the published one."""
    with left_out_without_data(MissingData):
        for name in GAP_FILES:
            check_whole("gap", find_file("gap", name, f"{name}.xz"))
    return Corpus.of("gap")


def authors_gap() -> list[str]:
    """The passages as the authors inverted them, in the order of `whole_gap`."""
    with left_out_without_data(MissingData):
        find_file("bec-pro", "gap_flipped.tsv", "gap_flipped.tsv.xz")
    return swapped_gap()


def training_texts(name: str, seed: int, passages: int | None = None) -> TrainingTexts:
    """The passages that a recipe trains on; of a sample the same ones for every recipe.

    passages: so many of them, drawn with the seed; all if not given.
    """
    if name not in RECIPES:
        raise unknown("recipe of bartl2020", name, RECIPES)
    recipe, source = RECIPES[name], whole_gap()
    everything = len(source.texts)
    drawn = np.random.default_rng(seed).permutation(everything)[: passages or everything]
    chosen = sorted(drawn.tolist())
    sample = Corpus("passages of GAP", tuple(source.texts[number] for number in chosen))
    if recipe.authors_text:
        inverted = authors_gap()
        return TrainingTexts(tuple(inverted[number] for number in chosen), sample.texts)
    return swap_texts(sample, recipe, seed=seed)


def tune_model(
    base: str,
    name: str,
    texts: TrainingTexts,
    out: Path,
    *,
    seed: int,
    epochs: int,
    batch_size: int | None,
    device: str,
) -> Trained:
    """Trains a model by a recipe.

    batch_size: sentences to a step; the recipe's own, which is one, if not given.
    """
    recipe = RECIPES[name]
    settings = replace(
        recipe.settings, seed=seed, epochs=epochs, batch_size=batch_size or recipe.settings.batch_size
    )
    return train_language_model(
        texts.texts, out, base=base, settings=settings, masking=recipe.masking, device=device
    )
