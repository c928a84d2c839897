"""What the grid costs, and what a second worker brings.

The cells are permutation tests of a few seconds (numpy, one thread), as the function of the cell clocks itself:

- overhead: what one worker spends between the work of two cells (its folder written, flushed and renamed, the outcome
  sent, the next cell chosen and received), as a share of that work; and the same of the whole study, with gathering
  and with the start of Python, numpy and scipy in the worker;
- two workers against one: wall time of the whole study, repeats interleaved.

    python benchmarks/grid.py [--cells 12] [--draws 1600000] [--repeats 3]
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from timing import interleaved, ratio

from counterpoise.stats import permutation_test
from counterpoise.studies.engine.cells import Cell
from counterpoise.studies.engine.execution import Outcome
from counterpoise.studies.engine.local_engine import LocalEngine, available_cores
from counterpoise.studies.engine.runner import run_study
from counterpoise.studies.engine.study import Study


def permute(cell: Cell) -> Mapping[str, Any]:
    """The work of a cell."""
    start = time.perf_counter()
    seed = cell.factors["seed"]
    x, y = np.random.default_rng(seed).normal(size=(2, 60))
    p = permutation_test(x, y, n=cell.settings["draws"], seed=seed).p_value
    return {"p": p, "own_seconds": time.perf_counter() - start}


class ClockedEngine(LocalEngine):
    """Notes when each cell ended."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self.ended: list[float] = []

    def wait(self, seconds: float) -> list[Outcome]:
        outcomes = super().wait(seconds)
        self.ended += [time.perf_counter()] * len(outcomes)
        return outcomes


@dataclass(frozen=True)
class Shares:
    """Time beside the cells' own work, as a share of it."""

    between_cells: float
    whole_study: float


def run(study: Study, workers: int) -> Shares:
    engine = ClockedEngine(workers)
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        table = run_study(study, Path(folder), engine, modules=Path(__file__).parent).finished.table
        whole = time.perf_counter() - start
    own = float(table.own_seconds.sum()) / workers
    after_first = own - table.own_seconds[0]  # with one worker the cells end in the order of the table
    return Shares((engine.ended[-1] - engine.ended[0] - after_first) / after_first, (whole - own) / own)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cells", type=int, default=12)
    parser.add_argument("--draws", type=int, default=1_600_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    os.environ["COUNTERPOISE_PROGRESS"] = "0"
    study = Study.model_validate(
        {
            "name": "grid",
            "factors": {"seed": list(range(options.cells))},
            "settings": {"draws": options.draws},
            "steps": {"test": {"run": "grid:permute", "over": ["seed"]}},
        }
    )
    found: list[Shares] = []
    seconds = interleaved(
        {"one worker": lambda: found.append(run(study, 1)), "two workers": lambda: run(study, 2)},
        options.repeats,
    )
    print(
        f"{options.cells} cells on {available_cores()} cores, n={options.repeats}, Python {sys.version.split()[0]}"
    )
    for name, times in seconds.items():
        print(
            f"{name}: {statistics.median(times):.1f} s ({statistics.median(times) / options.cells:.2f} s a cell)"
        )
    print(f"overhead between cells: {_percent([one.between_cells for one in found])} of a cell's own time")
    print(f"overhead of the whole study: {_percent([one.whole_study for one in found])}")
    print(f"two workers against one: {ratio(seconds, 'one worker', 'two workers')}")


def _percent(shares: list[float]) -> str:
    return f"{statistics.median(shares):.2%} ({min(shares):.2%} to {max(shares):.2%})"


if __name__ == "__main__":
    main()
