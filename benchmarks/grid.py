"""What the grid costs, and what a second worker brings.

Cells that score sentences with the built-in model, one thread each:

- overhead: all cells by the grid with one worker, against the same function in a plain loop in one process; what a
  cell costs beyond its own work, as a share of that work, and the same with starting and gathering included;
- two workers against one, wall time of the whole study.

    python benchmarks/grid.py [--cells 12] [--sentences 300] [--repeats 3]
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["COUNTERPOISE_PROGRESS"] = "0"

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from timing import interleaved, ratio

from counterpoise.studies.cells import Cell
from counterpoise.studies.local_engine import LocalEngine, available_cores
from counterpoise.studies.runner import run_study
from counterpoise.studies.study import Study


def score(cell: Cell) -> Mapping[str, Any]:
    """A cell of real work: sentences scored by the built-in model, without the cache."""
    model = _model()
    seed, n = cell.factors["seed"], cell.settings["sentences"]
    sentences = [
        f"the nurse said that she had {seed * n + number} patients this week." for number in range(n)
    ]
    start = time.perf_counter()
    value = float(model.pseudo_log_likelihood(sentences).mean())
    return {"mean": value, "seconds": time.perf_counter() - start}


def _model() -> Any:
    import counterpoise as cp

    if "model" not in _kept:  # a worker does many cells; a study's own cells would load a model each
        _kept["model"] = cp.load()
    return _kept["model"]


_kept: dict[str, Any] = {}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cells", type=int, default=12)
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    steps = {"score": {"run": "grid:score", "over": ["seed"]}}
    study = Study.model_validate(
        {
            "name": "bench",
            "factors": {"seed": list(range(options.cells))},
            "settings": {"sentences": options.sentences},
            "steps": steps,
        }
    )
    print(f"{options.cells} cells, {available_cores()} cores")
