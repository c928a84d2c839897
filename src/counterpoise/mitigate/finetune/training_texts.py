"""The texts that a model is debiased on: swapped, and as they were for the control; neutral sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from counterpoise.core.errors import DataError
from counterpoise.data.corpus import Corpus
from counterpoise.data.named_corpora import swapped_gap
from counterpoise.mitigate.finetune.recipes import Recipe
from counterpoise.text.augment import augment
from counterpoise.text.swap import Swapper

FEWEST_SENTENCES = 20


@dataclass(frozen=True)
class TrainingTexts:
    """Texts to train on, and for each the text that it was made from."""

    texts: tuple[str, ...]
    originals: tuple[str, ...]
    guarded: int = 0

    @property
    def changed(self) -> int:
        return sum(text != original for text, original in zip(self.texts, self.originals, strict=True))


def training_corpus(source: str | Path | Sequence[str] | Corpus, column: str = "text") -> Corpus:
    """The corpus that a model is trained on, in memory: a dataset by name, the texts of a file or folder, or a list.

    Texts of files and lists lose the space around them, and blank ones are dropped.

    >>> training_corpus(["He left. ", "  "]).texts
    ('He left.',)
    """
    is_location = isinstance(source, str | Path)
    corpus = Corpus.of(
        source, name=None if is_location else "own", column=column, encoding_advice="save it as UTF-8"
    )
    if corpus.in_memory and isinstance(source, str | Corpus):
        return corpus
    texts = tuple(text.strip() for text in corpus.documents() if text.strip())
    if not texts:
        raise DataError(f"{source if is_location else 'the corpus'} has no text")
    return Corpus(corpus.name, texts)


def neutral_sentences(corpus: Corpus, n: int, seed: int) -> list[str]:
    """n sentences without any gendered word, drawn with the seed; all of them if there are fewer.

    >>> neutral_sentences(Corpus("mine", ("He left. It rains.", "The nurse sang.")), 5, seed=0)
    ['It rains.', 'The nurse sang.']
    """
    swapper = Swapper()
    rng = np.random.default_rng(seed)
    neutral: dict[int, str] = {}
    sentences = list(corpus.sentences())
    for number in rng.permutation(len(sentences)):  # until there are enough: a corpus may be large
        if not swapper.edits(sentences[number], "flip"):
            neutral[int(number)] = sentences[number]
        if len(neutral) == n:
            break
    if not neutral:
        raise DataError(f"{corpus.name} has no sentence without a gendered word to keep predictions on")
    return [neutral[number] for number in sorted(neutral)]


def swap_texts(corpus: Corpus, recipe: Recipe, terms: str = "all", seed: int = 42) -> TrainingTexts:
    """The texts after the recipe's swap; one clear error where there is nothing to swap.

    >>> swap_texts(Corpus("mine", ("He left.",) * 20), Recipe(method="flip")).texts[0]
    'She left.'
    """
    n_sentences = corpus.count_sentences()
    if n_sentences < FEWEST_SENTENCES:
        raise DataError(
            f"the corpus {corpus.name} has {n_sentences} sentences; a model learns nothing from fewer than "
            f"{FEWEST_SENTENCES}"
        )
    if recipe.method == "none":
        return TrainingTexts(corpus.texts, corpus.texts)
    if recipe.authors_text and corpus.name == "gap" and recipe.method == "flip":
        return TrainingTexts(tuple(swapped_gap()), corpus.texts)
    swapper = Swapper(terms, names=recipe.names)
    if not any(swapper.edits(text, "flip") for text in corpus.texts):
        raise DataError(
            f"no text of the corpus {corpus.name} has a gendered word, so there is nothing to swap "
            f"(terms {terms}; {len(corpus.texts)} texts, e.g. {corpus.texts[0]!r:.60})"
        )
    augmented = augment(corpus.texts, recipe.method, terms, seed, names=recipe.names, guard=recipe.guard)
    swapped = TrainingTexts(
        tuple(augmented.texts),
        tuple(corpus.texts[source] for source in augmented.sources),
        augmented.guarded,
    )
    if not swapped.changed:
        why = "the coin of cds" if recipe.method == "cds" else "the guard"
        raise DataError(
            f"{why} leaves every text of the corpus {corpus.name} as it is; try another seed or method"
        )
    return swapped
