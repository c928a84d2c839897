"""Trains and rates one base model under all conditions of Jentzsch & Turan (2022), several trainings at once.

    python tools/jentzsch_builtin.py --imdb imdb_50k_labelled.csv.xz --out results --seeds 0 1 --workers 7 --minutes 9

For a machine with a GPU and little more than torch, transformers, accelerate, pandas and scipy: it calls the cells of
the study (studies.papers.jentzsch2022.cells) and writes a JSON and an NPZ per training. What is there already is
not done again, so that the work can be spread over several sittings; what is not finished in time is lost, so that
more workers than can finish in it are of no use. The study takes the folder as its setting `results`, and does the
statistics: counterpoise study jentzsch2022 --scale builtin --set results=FOLDER
"""

from __future__ import annotations

import argparse
import itertools
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from counterpoise.core.files import write_json
from counterpoise.studies.engine.cells import Cell, FinishedCell
from counterpoise.studies.papers.jentzsch2022.cells import RATINGS, rate, train
from counterpoise.studies.papers.jentzsch2022.options import DECISIVE, DEFAULTS, options
from counterpoise.studies.papers.jentzsch2022.precomputed import OWN, file_stem
from counterpoise.text.conditions import CONDITIONS
from side_by_side import report, run_side_by_side


def carry_out(factors: dict[str, Any], settings: dict[str, Any], out: Path) -> None:
    """One training and its ratings; the JSON is written last and says that both are whole."""
    name = file_stem(factors)
    with tempfile.TemporaryDirectory(prefix=f"{name}_") as scratch:
        folders = [Path(scratch) / step for step in ("train", "rate")]
        for folder in folders:
            folder.mkdir()
        started = time.monotonic()
        trained = train(Cell("train", factors, settings, folders[0]))
        halfway = time.monotonic()
        done = FinishedCell(factors, trained, folders[0])
        rated = rate(Cell("rate", factors, settings, folders[1], {"train": [done]}))
        seconds = {"train": halfway - started, "rate": time.monotonic() - halfway}
        shutil.copyfile(folders[1] / RATINGS, out / f"{name}.npz")
    write_json(
        out / f"{name}.json",
        {
            "factors": factors,
            "settings": {name: value for name, value in options(settings).items() if name in DECISIVE},
            "train": trained,
            "rate": rated,
            "seconds": seconds,
        },
    )
    print(f"{name}: {seconds['train']:.0f} s of training, {seconds['rate']:.0f} s of rating", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--imdb", type=Path, required=True, help="imdb_50k_labelled.csv, or .csv.xz")
    parser.add_argument("--out", type=Path, required=True, help="a folder for the results")
    parser.add_argument("--base", default="builtin")
    parser.add_argument("--conditions", nargs="+", default=list(CONDITIONS), choices=list(CONDITIONS))
    parser.add_argument("--batch-sizes", nargs="+", default=[OWN], help="own, or numbers")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1])
    parser.add_argument(
        "--training", type=json.loads, default={}, help="other settings of a training: '{\"epochs\": 1}'"
    )
    parser.add_argument("--own-terms", action="store_true", help="rate with the condition's own terms only")
    parser.add_argument("--reviews", type=int, help="train and test on so many reviews only, to try it out")
    parser.add_argument("--workers", type=int, default=7, help="trainings at once")
    parser.add_argument("--minutes", type=float, help="stop after so long; what is not finished is left out")
    parser.add_argument("--device", default="auto")
    given = parser.parse_args()

    given.out.mkdir(parents=True, exist_ok=True)
    sizes = [size if size == OWN else int(size) for size in given.batch_sizes]
    # The longest first: a mix has twice the texts.
    conditions = sorted(given.conditions, key=lambda name: CONDITIONS[name].treatment != "mix")
    waiting: list[dict[str, Any]] = [
        {"base": given.base, "condition": condition, "batch_size": size, "seed": seed}
        for seed, size, condition in itertools.product(given.seeds, sizes, conditions)
    ]
    waiting = [factors for factors in waiting if not (given.out / f"{file_stem(factors)}.json").exists()]
    if len(waiting) == 1 and given.workers == 1:
        few = {name: given.reviews for name in ("train_reviews", "test_reviews") if given.reviews}
        settings = {
            "imdb": str(given.imdb),
            "device": given.device,
            "cross": not given.own_terms,
            "training": {**DEFAULTS["training"], **given.training},
            **few,
        }
        carry_out(waiting[0], settings, given.out)
        return 0
    return in_parallel(waiting, given)


def in_parallel(waiting: list[dict[str, Any]], given: argparse.Namespace) -> int:
    """Each training in a process of its own; those that are not done in time are ended."""
    print(f"{len(waiting)} trainings to do, {given.workers} at once", flush=True)
    commands = {file_stem(factors): _command(factors, given) for factors in waiting}
    return report(*run_side_by_side(commands, given.workers, given.minutes))


def _command(factors: dict[str, Any], given: argparse.Namespace) -> list[str]:
    command = [sys.executable, __file__, "--imdb", given.imdb, "--out", given.out, "--base", given.base]
    command += ["--conditions", factors["condition"], "--batch-sizes", factors["batch_size"]]
    command += ["--seeds", factors["seed"], "--workers", 1, "--device", given.device]
    command += ["--training", json.dumps(given.training)]
    command += ["--own-terms"] if given.own_terms else []
    command += ["--reviews", given.reviews] if given.reviews else []
    return [str(part) for part in command]


if __name__ == "__main__":
    sys.exit(main())
