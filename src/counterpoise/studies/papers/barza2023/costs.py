"""What the cells of the study cost, from the sizes of its sentence pairs, templates and training texts."""

from __future__ import annotations

from counterpoise.corpus.learning.experiment import LearningSettings
from counterpoise.data.named_corpora import JIGSAW
from counterpoise.mitigate.finetune.recipes import preset_recipe
from counterpoise.studies.engine.costs import Cost
from counterpoise.studies.engine.grid import PlannedCell
from counterpoise.studies.engine.study import Study
from counterpoise.studies.replication.costs import (
    ModelSize,
    Training,
    asking,
    model_size,
    plain,
    pseudo_likelihood,
    together,
    with_files,
)

_TEXTS = {"gap": (13_121, 34.4), "mt-gender": (3_888, 16.9)}  # sentences of a corpus, and their mean tokens
# Jigsaw: comments with a label, sentences of a comment, and their mean tokens.
_COMMENTS = {
    "toxic": 15_294,
    "severe_toxic": 1_595,
    "obscene": 8_449,
    "threat": 478,
    "insult": 7_877,
    "identity_hate": 1_405,
}
_COMMENT_SENTENCES, _COMMENT_LENGTH = 4, 20.0
_FILE_SENTENCES = 60_000  # assumed of a corpus whose size is not known
_CATEGORIES, _PAIRS = 3, 115  # sentence pairs of each category
_PAIR_LENGTH, _PAIR_SQUARED = 17.9, 343.0  # tokens of a sentence, and the mean of their squares
_TEMPLATES, _TEMPLATE_LENGTH = 1631, 12.8  # sentences in which pronouns are asked for
_FILES = 0.1e6  # bytes of scores
_COMPARISONS = ("samples", "compared", "professions", "swapping", "debiased", "reminded", "curve")


def estimate(cell: PlannedCell, study: Study) -> Cost | None:
    """What a cell costs; None where the size of its model is not known."""
    if cell.step in _COMPARISONS:
        return plain(1.0, disk=_FILES)
    size = model_size(str(cell.factors.get("model", cell.factors.get("models"))))
    if size is None:
        return None
    costs = _parts(cell, size)
    return with_files(together(*costs), _FILES, seconds=1.0) if costs else None


def _parts(cell: PlannedCell, size: ModelSize) -> list[Cost]:
    """What a cell does, one thing after another; nothing where the step is not known."""
    match cell.step:
        case "examples":
            return [_pairs(size, 3), asking(size, 20, _TEMPLATE_LENGTH)]
        case "sentences":
            return [_pairs(size, _CATEGORIES * _PAIRS)]
        case "before":
            return [_pronouns(size)]
        case "after":
            return [_training(cell, size, cell.factors["text"]), _pronouns(size)]
        case "after_gap":
            return [_training(cell, size, "gap"), _pronouns(size), _some_pairs(cell, size)]
        case "corpora":
            trainings = (len(cell.settings["corpora"]) + 1) * len(
                LearningSettings().seeds
            )  # with the control
            of_corpus = [_comments(cell, size), _some_pairs(cell, size), _pronouns(size)]
            return [_training(cell, size, "gap"), *(of_corpus * trainings)]
        case "remind":
            return [_training(cell, size, "gap"), _pronouns(size)]
        case "untrained":
            return [_some_pairs(cell, size)]
        case "learn":
            return [_training(cell, size, "gap", cell.factors["size"]), _some_pairs(cell, size)]
    return []


def _pairs(size: ModelSize, pairs: float) -> Cost:
    return pseudo_likelihood(size, 2 * pairs, _PAIR_LENGTH, _PAIR_SQUARED)


def _some_pairs(cell: PlannedCell, size: ModelSize) -> Cost:
    return _pairs(size, _CATEGORIES * min(cell.settings["pairs"] or _PAIRS, _PAIRS))


def _pronouns(size: ModelSize) -> Cost:
    return asking(size, _TEMPLATES, _TEMPLATE_LENGTH)


def _training(cell: PlannedCell, size: ModelSize, text: str, sentences: int | None = None) -> Cost:
    """Training on a text, all of it or as much as the settings want."""
    there, length = _TEXTS["gap" if text.startswith("gap") else text]
    wanted = sentences or cell.settings.get("sentences") or there
    return _of_recipe(cell, min(wanted, there), length).cost(size, keeps=False)


def _comments(cell: PlannedCell, size: ModelSize) -> Cost:
    """Training on a sample of a corpus; samples are as large as the smallest corpus, if the settings want no fewer."""
    smallest = min(_sentences_of(name) for name in cell.settings["corpora"])
    texts = min(cell.settings["sentences"] or smallest, smallest)
    return _of_recipe(cell, texts, _COMMENT_LENGTH).cost(size, keeps=False)


def _sentences_of(corpus: str) -> int:
    """The sentences of a corpus by its name.

    >>> _sentences_of("jigsaw:severe_toxic"), _sentences_of("gap")
    (6380, 13121)
    """
    if corpus in _TEXTS:
        return _TEXTS[corpus][0]
    label = corpus.removeprefix(JIGSAW)
    return _COMMENTS[label] * _COMMENT_SENTENCES if label in _COMMENTS else _FILE_SENTENCES


def _of_recipe(cell: PlannedCell, texts: float, length: float) -> Training:
    recipe, changed = preset_recipe(cell.settings["recipe"]).settings, cell.settings["training"]
    batch_size, epochs = (changed.get(name, getattr(recipe, name)) for name in ("batch_size", "epochs"))
    return Training(texts, length, batch_size, epochs)
