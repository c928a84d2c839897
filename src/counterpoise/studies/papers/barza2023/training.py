"""What the models of the study are trained on, and how: "the exact fine-tuning procedure" of Bartl et al. (2020)."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from counterpoise.core.errors import MissingData, unknown
from counterpoise.data.corpus import Corpus
from counterpoise.mitigate.finetune.recipes import Recipe, preset_recipe
from counterpoise.mitigate.finetune.reminders import control_reminders, reminders
from counterpoise.mitigate.finetune.training_texts import swap_texts
from counterpoise.studies.engine.cells import Cell, left_out_without_data
from counterpoise.text.sentences import sentences as sentences_of
from counterpoise.tuning.language_model import train_language_model

MT_GENDER, GAP, UNSWAPPED_GAP = "mt-gender", "gap", "gap-unswapped"
TEXTS = (MT_GENDER, GAP, UNSWAPPED_GAP)
BOUND_WORDING, NEUTRAL_WORDING = "bound", "neutral"
# The words of reminders, by the words that the templates of the thesis ask about.
REMINDER_WORDS = {"pregnant": "pregnant", "breastfeed": "breastfeed", "testicles": "testicle"}


def recipe_of(cell: Cell) -> Recipe:
    """The recipe that the settings name, with the training settings that they change.

    Seeds and samples of the study count from the recipe's own seed.
    """
    recipe = preset_recipe(cell.settings["recipe"])
    number = cell.factors.get("sample", cell.factors.get("seed", 0))
    seed = recipe.settings.seed + int(number)
    return replace(recipe, settings=replace(recipe.settings, **cell.settings["training"], seed=seed))


@lru_cache(maxsize=4)  # the cells of a worker share few texts, and to swap GAP takes seconds
def sentences_to_train_on(text: str, recipe: Recipe) -> tuple[str, ...]:
    """The sentences of GAP, its passages swapped whole or as they are; or of MT Gender, which has both sides already.

    Swapped or not, GAP has the same sentences in the same order, so that a sample of one is also a sample of the other.
    """
    if text not in TEXTS:
        raise unknown("text of barza2023", text, TEXTS)
    with left_out_without_data(MissingData):
        corpus = Corpus.of(MT_GENDER if text == MT_GENDER else GAP)
    treatment = recipe if text == GAP else replace(recipe, method="none")
    texts = swap_texts(corpus, treatment, seed=recipe.settings.seed).texts
    return tuple(sentence for text in texts for sentence in sentences_of(text))


def reminders_to_add(word: str, wording: str, n: int, copies: int, seed: int) -> list[str]:
    """Reminders of a word of the templates, or the control's sentences, each so many times."""
    if wording == NEUTRAL_WORDING:
        return control_reminders(n, seed, word=REMINDER_WORDS[word]) * copies
    return reminders(n, seed, [REMINDER_WORDS[word]]) * copies


def sample(sentences: Sequence[str], size: int | None, seed: int) -> list[str]:
    """So many of the sentences, drawn with the seed and in their order; all where there are no more.

    >>> sample(["a", "b", "c"], 2, seed=0) == sample(["a", "b", "c"], 2, seed=0), sample(["a"], None, seed=0)
    (True, ['a'])
    """
    if size is None or size >= len(sentences):
        return list(sentences)
    drawn = np.random.default_rng([seed, size]).choice(len(sentences), size, replace=False)
    return [sentences[i] for i in sorted(drawn)]


@contextmanager
def trained_aside(cell: Cell, sentences: Sequence[str], base: str | Path, recipe: Recipe) -> Iterator[Path]:
    """A trained model for as long as it is measured: the weights of eighty training runs are not worth their disk."""
    with tempfile.TemporaryDirectory(dir=cell.folder) as aside:
        trained = train_language_model(
            sentences,
            Path(aside) / "model",
            base=base,
            settings=recipe.settings,
            masking=recipe.masking,
            device=cell.settings["device"],
        )
        yield trained.folder
