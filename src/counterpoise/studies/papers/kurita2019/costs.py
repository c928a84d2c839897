"""What the cells of the study cost, from the sizes of GAP and of its lists of words."""

from __future__ import annotations

from counterpoise.studies.engine.costs import Cost
from counterpoise.studies.engine.grid import PlannedCell
from counterpoise.studies.engine.study import Study
from counterpoise.studies.papers.kurita2019.resolution import LAYERS, ProbeOptions
from counterpoise.studies.replication.costs import ModelSize, asking, model_size, plain, with_files

_PASSAGES = {"development": 2000, "test": 2000, "validation": 454}
_LENGTH = 97.5  # tokens of a passage
_MENTIONS = 3  # pronoun and two names, whose vectors are kept
_ASKED = {"weat_model": (450, 8.0), "scores": (450, 8.0), "topics": (300, 8.0)}  # texts and their tokens
_ATTRIBUTES = {"job titles": 800, "positive traits": 230, "negative traits": 290}
_OTHER_ATTRIBUTES = 60  # lists of skills
_EPOCHS = 60  # after which a perceptron of five becomes no better; then its patience begins
_BATCH_OVERHEAD = 0.6e-3  # seconds of a batch besides its products
_STATISTICS = 1.0  # seconds
_RESAMPLING = {"table4": 8.0, "section4": 3.0}  # seconds to resample what the perceptrons found
_VECTORS = 150.0  # seconds to read GloVe


def estimate(cell: PlannedCell, study: Study) -> Cost | None:
    """What a cell costs; None where the size of its model is not known."""
    if cell.step == "weat_vectors":
        return plain(_VECTORS)
    if cell.step in _RESAMPLING:
        return plain(_RESAMPLING[cell.step])
    size = model_size(str(cell.factors["model"]))
    if size is None:
        return None
    match cell.step:
        case "weat_model" | "scores" | "topics":
            return with_files(asking(size, *_ASKED[cell.step]), 50e3, _STATISTICS)
        case "shares":
            words = _ATTRIBUTES.get(cell.factors["attributes"], _OTHER_ATTRIBUTES)
            return with_files(asking(size, words, 8.0), 100 * words)
        case "mentions":
            passages = _of_split(cell, cell.factors["passages"])
            vectors = passages * _MENTIONS * max(LAYERS.values()) * size.width * 4
            return with_files(asking(size, passages, _LENGTH, predicted=0), vectors)
        case "resolve":
            return _perceptrons(cell, size)
    return None


def _of_split(cell: PlannedCell, split: str) -> int:
    at_most = cell.settings["at_most"]
    return min(_PASSAGES[split], at_most or _PASSAGES[split])


def _perceptrons(cell: PlannedCell, size: ModelSize) -> Cost:
    """Five perceptrons at once, each trained on four fifths of the passages."""
    options = ProbeOptions()
    train = sum(_of_split(cell, split) for split in cell.factors["training"].split("+"))
    read = LAYERS[cell.factors["probe"]] * (5 if cell.factors["probe"] == "stronger" else _MENTIONS)
    width = read * size.width
    epochs = min(cell.settings["epochs"], _EPOCHS + cell.settings["patience"])
    batches = epochs * max(1.0, 0.8 * train / options.batch)
    flops = 6 * options.folds * options.batch * width * options.hidden * batches
    memory = 4 * 8 * sum(_PASSAGES.values()) * width
    cost = plain(1.0 + batches * _BATCH_OVERHEAD, disk=100e3)
    return Cost(flops=flops, seconds=cost.seconds, disk=cost.disk, memory=cost.memory + memory)
