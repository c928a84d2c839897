"""The cells of the study.

construct                  BEC-Pro beside the authors' files
swap                       GAP as the authors swapped it, and as the paper says it was swapped
before                     associations of the model as it is
tune -> after              fine-tuning on swapped GAP, associations then, and what changed
german                     table 5 and figure 6
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from counterpoise.models import MaskedLM
from counterpoise.studies.engine.cells import Cell, LeftOut
from counterpoise.studies.papers.bartl2020.associations import measure_associations
from counterpoise.studies.papers.bartl2020.corpora import construction_rows, swap_rows
from counterpoise.studies.papers.bartl2020.german import german_without_grammar, padded_german
from counterpoise.studies.papers.bartl2020.summary_rows import (
    CHANGE,
    association_rows,
    changes,
    profession_rows,
    with_skipped,
)
from counterpoise.studies.papers.bartl2020.training import training_texts, tune_model
from counterpoise.studies.papers.bartl2020.workforce import workforce_rows
from counterpoise.studies.replication.masked_models import load_masked
from counterpoise.text.sentences import sentences

_ITEMS = "associations.parquet"


def construct(cell: Cell) -> dict[str, Any]:
    """BEC-Pro in one language: its size, and how it differs from the authors' file."""
    return {"rows": construction_rows(cell.factors["language"])}


def swap(_: Cell) -> dict[str, Any]:
    """Gendered words of GAP before and after the swap."""
    return {"rows": swap_rows()}


def before(cell: Cell) -> dict[str, Any]:
    """Associations of the model as it is."""
    items, skipped = _associations(cell, _model(cell, cell.factors["model"]))
    return with_skipped(
        [*association_rows(items), *workforce_rows(items), *profession_rows(items)],
        skipped,
    )


def tune(cell: Cell) -> dict[str, Any]:
    """Trains the model by a recipe."""
    base, recipe, seed = (cell.factors[name] for name in ("model", "recipe", "seed"))
    _model(cell, base)  # one that the study is not meant for is refused before it is trained
    texts = training_texts(recipe, seed, cell.settings["passages"])
    trained = tune_model(
        base,
        recipe,
        texts,
        cell.folder / "model",
        seed=seed,
        epochs=cell.settings["epochs"],
        batch_size=cell.settings["batch_size"],
        device=cell.settings["device"],
    )
    return {
        "texts": len(texts.texts),
        "texts_swapped": texts.changed,
        "sentences": sum(len(sentences(text)) for text in texts.texts),
        "steps": trained.steps,
    }


def after(cell: Cell) -> dict[str, Any]:
    """Associations of the trained model, and what changed."""
    model = _model(cell, str(cell.needed("tune").folder / "model"))
    items, skipped = _associations(cell, model)
    items_before = pd.read_parquet(cell.needed("before").folder / _ITEMS)
    return with_skipped(
        [
            *association_rows(items),
            *association_rows(changes(items_before, items), CHANGE),
            *workforce_rows(items),
            *profession_rows(items),
        ],
        skipped,
    )


def german(cell: Cell) -> dict[str, Any]:
    """Table 5: associations in German; corrected, also male minus female without grammatical agreement."""
    name, pairs = cell.settings["german"], cell.settings["pairs"]
    if name is None:
        raise LeftOut(
            "table 5 and figure 6 need a German model: name one with --set german=dbmdz/bert-base-german-cased"
        )
    model, published = _model(cell, name), cell.factors["variant"] == "published"
    items, left, skipped = (padded_german if published else german_without_grammar)(model, pairs)
    rows = [
        *association_rows(items, profession="profession_en"),
        *left,
        *profession_rows(items, "profession_en"),
    ]
    return with_skipped([{**row, "german": name} for row in rows], skipped)


def _associations(cell: Cell, model: MaskedLM) -> tuple[pd.DataFrame, pd.DataFrame]:
    items, skipped = measure_associations(model, cell.factors["variant"], cell.settings["pairs"])
    items.to_parquet(cell.folder / _ITEMS)
    skipped.to_csv(cell.folder / "skipped.csv", index=False)
    return items, skipped


def _model(cell: Cell, name: str) -> MaskedLM:
    return load_masked(name, "bartl2020", cell.settings["device"])
