"""Table 4: what a model learns from corpora, by `counterpoise.corpus.learning`.

The thesis trains the debiased model on all of each corpus and compares ASLD with the model before. Corpora of unequal
size differ by their size alone, and any training moves ASLD. Here all corpora have samples of one size, a control is
trained on as much neutral text, and each training is repeated with every seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from counterpoise.core.errors import MissingData
from counterpoise.corpus.learning.experiment import LearningSettings
from counterpoise.corpus.learning.learned_bias import LearnedBias, learned_bias
from counterpoise.data.corpus import Corpus
from counterpoise.mitigate.finetune.recipes import Recipe
from counterpoise.studies.engine.cells import Cell, left_out_without_data
from counterpoise.studies.papers.barza2023.pair_scores import some_pairs
from counterpoise.studies.papers.barza2023.statistics import OVER_CONTROL

_ALL = 10**9  # more sentences than any corpus has: samples are then as large as the smallest corpus


def open_corpora(names: Sequence[str]) -> list[Corpus]:
    """The corpora; the cell is left out where one is not at hand."""
    with left_out_without_data(MissingData, needed_for="table 4 compares corpora"):
        return [Corpus.of(name) for name in names]


def corpus_rows(
    cell: Cell, corpora: Sequence[Corpus], reference: Path, recipe: Recipe
) -> list[dict[str, Any]]:
    """Each corpus after training, and beside the control; each two corpora."""
    settings = recipe.settings
    learned = learned_bias(
        corpora,
        reference=reference,
        learning=LearningSettings(
            sentences=cell.settings["sentences"] or _ALL,
            epochs=settings.epochs,
            learning_rate=settings.learning_rate,
            batch_size=settings.batch_size,
            training=settings,
        ),
        pairs=some_pairs(cell.settings["pairs"]),
        keep=cell.folder / "answers",
        device=cell.settings["device"],
    )
    size = {"sentences": learned.sentences, "seeds": len(learned.learning.seeds), "note": learned.control}
    return [{**row, **size} for row in (*_scores(learned), *_differences(learned))]


def _scores(learned: LearnedBias) -> Iterator[dict[str, Any]]:
    """The level after each corpus, and corpus minus control."""
    levels = {(row.corpus, row.key): row for row in learned.levels.itertuples()}
    for corpus, result in learned.results.items():
        for row in result.summary.itertuples():
            level = levels[corpus, row.key]
            labels = {"corpus": corpus, "group": level.group, "statistic": level.statistic, "n": row.n}
            yield {**labels, "value": level.trained}
            yield {
                **labels,
                "compared": OVER_CONTROL,
                "first": level.control,
                "second": level.trained,
                "value": row.value,
                "ci_low": row.ci_low,
                "ci_high": row.ci_high,
                "p_value": row.p_value,
                "smallest_detectable": row.smallest_detectable,
            }


def _differences(learned: LearnedBias) -> Iterator[dict[str, Any]]:
    """Each two corpora, paired over sentence pairs and seeds."""
    labels = {
        row.key: {"group": row.group, "statistic": row.statistic} for row in learned.levels.itertuples()
    }
    for row in learned.differences.itertuples():
        yield {
            "compared": f"{row.first} - {row.second}",
            **labels[row.key],
            "first": row.value_second,
            "second": row.value_first,
            "value": row.difference,
            "ci_low": row.ci_low,
            "ci_high": row.ci_high,
            "p_value": row.p_value,
            "p_adjusted": row.p_adjusted,
            "n": row.n,
        }
