"""The toy study (toy/), with settings of a test's own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from counterpoise.studies.engine.execution import Engine
from counterpoise.studies.engine.local_engine import LocalEngine
from counterpoise.studies.engine.runner import run_study
from counterpoise.studies.engine.study import Study, read_study

TOY = Path(__file__).parent / "toy"


@pytest.fixture
def toy():
    """The toy study with other settings or factors."""

    def make(factors=None, **settings):
        study, _ = read_study(TOY / "toy.yaml")
        update = {"settings": {**study.settings, **settings}, "factors": {**study.factors, **(factors or {})}}
        return study.model_copy(update=update)

    return make


@pytest.fixture
def toy_file(toy, tmp_path):
    """The same as a file, with its module beside it."""

    def make(factors=None, **settings):
        shutil.copy(TOY / "toy_cells.py", tmp_path)
        path = tmp_path / "toy.yaml"
        path.write_text(
            yaml.safe_dump(toy(factors, **settings).model_copy(update={"scales": {}}).model_dump(mode="json"))
        )
        return path

    return make


@pytest.fixture
def run():
    """Runs a study with the toy's cells, on the local engine if no other is given."""

    def run_toy(study: Study, folder: Path, workers: int = 2, engine: Engine | None = None, **options):
        return run_study(study, folder, engine or LocalEngine(workers), **{"modules": TOY, **options})

    return run_toy
