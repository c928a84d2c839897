"""Trains a model on a text and asks it questions; its answers are kept, its weights are not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.core.checked_files import read_checked_json, write_checked_json
from counterpoise.core.errors import InputError, RunError
from counterpoise.core.hashing import hash_texts
from counterpoise.core.notices import notice
from counterpoise.core.version import __version__
from counterpoise.corpus.learning.reference import Reference
from counterpoise.data.builtin.pairs import Pairs
from counterpoise.data.builtin.templates import Templates
from counterpoise.mitigate.evaluation.scores import pronouns, sentence_pairs, table_from_dict, table_to_dict
from counterpoise.models.loading import load
from counterpoise.tuning.language_model import LANGUAGE_MODEL, train_language_model
from counterpoise.tuning.settings import Settings

FEWEST_SEEDS = 3
ITEM = ["quantity", "group", "word"]


@dataclass(frozen=True)
class LearningSettings:
    """How a model is trained: on this number of sentences of each corpus, once with each seed.

    training: whatever else there is to set.
    """

    sentences: int = 2000
    seeds: tuple[int, ...] = (0, 1, 2)
    epochs: int = LANGUAGE_MODEL.epochs
    learning_rate: float = LANGUAGE_MODEL.learning_rate
    batch_size: int = LANGUAGE_MODEL.batch_size
    training: Settings = LANGUAGE_MODEL

    def __post_init__(self) -> None:
        if len(set(self.seeds)) < FEWEST_SEEDS:
            raise InputError(
                f"an interval over seeds needs {FEWEST_SEEDS} different ones at least, not {list(self.seeds)}"
            )
        if self.sentences < 1:
            raise InputError(f"the sample needs a sentence at least, not {self.sentences}")
        for seed in self.seeds:
            self.settings(seed)  # says what is wrong with it and with the others

    def settings(self, seed: int) -> Settings:
        return replace(
            self.training,
            epochs=self.epochs,
            learning_rate=self.learning_rate,
            batch_size=self.batch_size,
            seed=seed,
        )


@dataclass(frozen=True)
class Questionnaire:
    """What each model is asked: sentence pairs and templates, our own if not given."""

    pairs: Pairs | None = None
    templates: Templates | None = None

    def ask(self, model: Any) -> pd.DataFrame:
        """A row per sentence pair (SLD) and per word without a gender of its own (APPD)."""
        notes: list[str] = []  # not shown: models that start from one reference all lack the same items
        items = pd.concat([sentence_pairs(model, notes, self.pairs), pronouns(model, notes, self.templates)])
        return items[items.gender == ""].groupby(ITEM, sort=False).value.mean().reset_index()

    @property
    def hash(self) -> str:
        tables = [
            self.pairs.table if self.pairs else None,
            self.templates.fill() if self.templates else None,
        ]
        return hash_texts("ours" if table is None else table.to_json() for table in tables)


@dataclass(frozen=True)
class Experiment:
    """Trains a reference model and evaluates it, or takes the answers that the folder `keep` has."""

    reference: Reference
    learning: LearningSettings
    questionnaire: Questionnaire
    keep: Path
    device: str = "auto"

    def before(self) -> pd.Series:
        """The answers of the reference itself."""
        return self._answers(self._key(), lambda folder: Path(self.reference.location))

    def after(self, texts: Sequence[str], seed: int, title: str) -> pd.Series:
        """The answers after training on the texts. A training that was stopped is resumed."""
        settings = self.learning.settings(seed)

        def train(folder: Path) -> Path:
            if not folder.is_dir():
                train_language_model(
                    texts,
                    folder,
                    base=self.reference.location,
                    settings=settings,
                    title=title,
                    device=self.device,
                )
            return folder

        return self._answers(self._key(json.dumps(asdict(settings)), *texts), train)

    def _key(self, *parts: str) -> str:
        return hash_texts([__version__, self.reference.fingerprint, self.questionnaire.hash, *parts])

    def _answers(self, key: str, make: Callable[[Path], Path]) -> pd.Series:
        """The answers that are kept under a key, or those of the model that `make` returns the location of."""
        path, folder = self.keep / f"{key}.json", self.keep / key
        answers = _kept_answers(path)
        if answers is None:
            try:
                self.keep.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise RunError(f"cannot make the folder {self.keep}: {error.strerror or error}") from error
            answers = self.questionnaire.ask(load(make(folder), device=self.device))
            write_checked_json(path, table_to_dict(answers))
            shutil.rmtree(folder, ignore_errors=True)  # the model is of no use once it was asked
        return answers.set_index(ITEM).value


def _kept_answers(path: Path) -> pd.DataFrame | None:
    """The answers that a file keeps; None if there is none, or it is damaged."""
    if not path.is_file():
        return None
    try:
        return table_from_dict(read_checked_json(path))
    except RunError as error:
        notice(f"{error}; the model is trained and asked again")
        return None
