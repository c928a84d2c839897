"""What the cells of the study cost, from the sizes of BEC-Pro and GAP."""

from __future__ import annotations

from counterpoise.studies.engine.costs import Cost
from counterpoise.studies.engine.grid import PlannedCell
from counterpoise.studies.engine.study import Study
from counterpoise.studies.papers.bartl2020.training import RECIPES
from counterpoise.studies.replication.costs import Training, asking, model_size, plain, with_files

_PASSAGES, _SENTENCES_EACH, _LENGTH = 4454, 2.95, 34.4  # GAP: passages, their sentences, tokens of a sentence
_PADDED = {"sample": 128, "whole": 256}  # tokens that the published recipe fills sentences up to
_SAMPLE = 1000  # passages: fewer have no sentence of more than 128 words
# BEC-Pro's 5,400 sentences are a few hundred different ones once person words and professions are hidden.
_TEXTS, _TEXT_LENGTH, _PADDED_TEXT = 700, 12.0, 16.0
_STATISTICS = 3.0  # seconds
_ITEMS = 0.1e6  # bytes of the table of associations


def estimate(cell: PlannedCell, _: Study) -> Cost | None:
    """What a cell costs; None where the size of its model is not known."""
    if cell.step in ("construct", "swap"):
        return plain(3.0, disk=1e3)
    if cell.step == "german" and cell.settings["german"] is None:
        return plain(1.0)  # left out
    size = model_size(str(cell.settings["german"] if cell.step == "german" else cell.factors["model"]))
    if size is None:
        return None
    match cell.step:
        case "tune":
            return _training(cell).cost(size, keeps=True)
        case "before" | "after" | "german":
            length = _PADDED_TEXT if cell.factors["variant"] == "published" else _TEXT_LENGTH
            texts = _TEXTS * (2 if cell.step == "german" else 1)  # each form of a German profession
            return with_files(asking(size, texts, length), _ITEMS, _STATISTICS)
    return None


def _training(cell: PlannedCell) -> Training:
    recipe = RECIPES[cell.factors["recipe"]]
    passages = cell.settings["passages"] or _PASSAGES
    padded = _PADDED["sample" if passages <= _SAMPLE else "whole"]
    return Training(
        texts=passages * _SENTENCES_EACH,
        length=padded if recipe.masking.attended_padding else _LENGTH,
        batch_size=cell.settings["batch_size"] or recipe.settings.batch_size,
        epochs=cell.settings["epochs"],
    )
