"""Base models of two sizes, made from the built-in one, to ask whether larger models are more biased.

    builtin-adapted   all layers of the built-in model, trained further on the training reviews
    builtin-half      every second layer, as DistilBERT was initialised (Sanh et al. 2019, section 2), trained likewise

A model that has lost half of its layers predicts words badly until it is trained again. Both are trained on the same
sentences in the same order, without labels, so that they share data and training. They differ in size, and in that the
smaller one was cut down: its mean loss over that training is the higher one. `builtin`, which has never seen a review
before its fine-tuning, is no control for either.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from counterpoise.core.errors import RunError
from counterpoise.models.loading import BUILTIN
from counterpoise.studies.engine.cells import Cell, left_out_without_data
from counterpoise.studies.papers.jentzsch2022.options import options
from counterpoise.studies.papers.jentzsch2022.precomputed import find_base
from counterpoise.studies.papers.jentzsch2022.reviews import reviews
from counterpoise.tuning import LANGUAGE_MODEL, Settings, train_language_model
from counterpoise.tuning.card import write_card
from counterpoise.tuning.language_model import load_to_train

ADAPTED, HALF = "builtin-adapted", "builtin-half"
DERIVED = (ADAPTED, HALF)
MODEL = "model"


def prepare(cell: Cell) -> dict[str, Any]:
    """Makes a base model, in the folder `model`; one that is used as it is needs nothing."""
    base = cell.factors["base"]
    if base not in DERIVED:
        return {"adapted": False}
    chosen = options(cell.settings)
    if (precomputed := find_base(chosen["results"], base, cell.settings)) is not None:
        if precomputed.model.is_dir():
            shutil.copytree(precomputed.model, cell.folder / MODEL)
        return dict(precomputed.result)
    with left_out_without_data():
        texts = reviews("train", chosen["train_reviews"], chosen["imdb"]).review.tolist()
    return adapt(texts, cell.folder / MODEL, base, chosen["base_training"], chosen["device"])


def adapt(
    texts: list[str], out: Path, base: str, training: Mapping[str, Any], device: str = "auto"
) -> dict[str, Any]:
    """Trains the built-in model, or half of its layers, further on the sentences of texts."""
    settings = base_settings(training)
    start = out.with_name(f"{out.name}.start")
    loaded = load_to_train(BUILTIN)
    kept = keep_layers(loaded.model, 2 if base == HALF else 1)
    loaded.model.save_pretrained(start)
    loaded.tokenizer.save_pretrained(start)
    trained = train_language_model(texts, out, base=start, settings=settings, device=device, publish=False)
    if not trained.is_published:
        with trained.publishing() as folder:
            made_from = {"base": BUILTIN, "layers kept": ", ".join(map(str, kept)), "texts": len(texts)}
            write_card(folder, trained, settings, made_from)
    shutil.rmtree(start)
    return {
        "adapted": True,
        "reviews": len(texts),
        "layers": len(kept),
        "parameters": sum(values.numel() for values in loaded.model.parameters()),
        "steps": trained.steps,
        "training_loss": trained.best["loss"],
    }


def base_settings(training: Mapping[str, Any]) -> Settings:
    """How a base model is trained further."""
    return replace(LANGUAGE_MODEL, **training)


def keep_layers(model: Any, every: int) -> list[int]:
    """Drops layers of a BERT model in place: every n-th is kept, beginning with the first. Returns their numbers."""
    import torch

    encoder = model.base_model.encoder
    kept = list(range(0, len(encoder.layer), every))
    encoder.layer = torch.nn.ModuleList([encoder.layer[number] for number in kept])
    model.config.num_hidden_layers = len(kept)
    return kept


def base_location(cell: Cell, results: str | None) -> str | Path:
    """Where the base model of a training lies: in the folder of the cell that made it, or under its own name."""
    base: str = cell.factors["base"]
    if base not in DERIVED:
        return base
    folder = cell.needed("prepare").folder / MODEL
    if not folder.is_dir():
        raise RunError(
            f"{base} was made elsewhere, and its weights are not in {results}: give the whole folder, or none"
        )
    return folder
