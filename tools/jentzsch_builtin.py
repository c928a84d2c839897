"""Carries out the trainings of `counterpoise study jentzsch2022 --scale builtin`, several at once.

    python tools/jentzsch_builtin.py --imdb imdb_50k_labelled.csv.xz --out results --workers 7 --minutes 9

For a machine with a GPU and little more than torch, transformers, accelerate, pandas and scipy: it calls the cells of
the study (studies.papers.jentzsch2022.cells) and writes a JSON and an NPZ per training. Base models that must be made
first are made first, and kept in the folder `bases`. What is there already is not done again, so that the work can be
spread over several sittings; what is not finished in time is lost. The study takes the folder as its setting
`results`, and does the statistics: counterpoise study jentzsch2022 --scale builtin --set results=FOLDER
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

import pandas as pd
import yaml

from counterpoise.core.files import write_json
from counterpoise.studies.engine.cells import Cell, FinishedCell
from counterpoise.studies.papers import jentzsch2022
from counterpoise.studies.papers.jentzsch2022.bases import DERIVED, HALF, MODEL, prepare
from counterpoise.studies.papers.jentzsch2022.cells import RATINGS, rate, train
from counterpoise.studies.papers.jentzsch2022.options import DECISIVE, DEFAULTS, options
from counterpoise.studies.papers.jentzsch2022.precomputed import BASES, OWN, file_stem
from counterpoise.text.conditions import CONDITIONS
from side_by_side import report, run_side_by_side

FACTORS = ("base", "condition", "batch_size", "seed")


def trainings(chosen: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """The trainings of the scale `builtin`, with other values of the chosen factors: as the study's own grid has them.

    The study's file is read here as it is, since checking it needs pydantic.
    """
    study = yaml.safe_load(Path(jentzsch2022.__file__).with_name("study.yaml").read_text(encoding="utf-8"))
    factors = {**study["factors"], **study["scales"]["builtin"]["factors"], **chosen}
    where = study["steps"]["train"]["where"]
    products = [
        dict(zip(FACTORS, values, strict=True))
        for values in itertools.product(*(factors[name] for name in FACTORS))
    ]
    return [
        cell
        for cell in products
        if any(all(cell[name] in values for name, values in entry.items()) for entry in where)
    ]


def relative_cost(factors: dict[str, Any]) -> float:
    """How long a training takes, roughly: by its steps, of which a mix has twice as many, and by layers."""
    own = int(DEFAULTS["training"]["batch_size"])
    batch = own if factors["batch_size"] == OWN else int(factors["batch_size"])
    versions = 2 if CONDITIONS[factors["condition"]].treatment == "mix" else 1
    return own / batch * versions / (2 if factors["base"] == HALF else 1)


def make_base(base: str, settings: dict[str, Any], out: Path) -> None:
    """A base model in the folder of them; the JSON is written last and says that it is whole."""
    (out / BASES).mkdir(exist_ok=True)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f"{base}_") as scratch:
        made = prepare(Cell("prepare", {"base": base}, settings, Path(scratch)))
        shutil.copytree(Path(scratch) / MODEL, out / BASES / base, dirs_exist_ok=True)
    seconds = time.monotonic() - started
    record = {"settings": _decisive(settings), "prepare": made, "seconds": seconds}
    write_json(out / BASES / f"{base}.json", record)
    print(f"{base}: made in {seconds:.0f} s", flush=True)


def carry_out(factors: dict[str, Any], settings: dict[str, Any], out: Path) -> None:
    """One training and its ratings; the JSON is written last and says that both are whole."""
    name = file_stem(factors)
    with tempfile.TemporaryDirectory(prefix=f"{name}_") as scratch:
        folders = {step: Path(scratch) / step for step in ("prepare", "train", "rate")}
        for folder in folders.values():
            folder.mkdir()
        base = FinishedCell({"base": factors["base"]}, {}, folders["prepare"])
        if factors["base"] in DERIVED:
            (folders["prepare"] / MODEL).symlink_to((out / BASES / factors["base"]).resolve())
        started = time.monotonic()
        trained = train(Cell("train", factors, settings, folders["train"], {"prepare": [base]}))
        halfway = time.monotonic()
        done = FinishedCell(factors, trained, folders["train"])
        rated = rate(Cell("rate", factors, settings, folders["rate"], {"train": [done]}))
        seconds = {"train": halfway - started, "rate": time.monotonic() - halfway}
        shutil.copyfile(folders["rate"] / RATINGS, out / f"{name}.npz")
    record = {
        "factors": factors,
        "settings": _decisive(settings),
        "train": trained,
        "rate": rated,
        "seconds": seconds,
    }
    write_json(out / f"{name}.json", record)
    print(f"{name}: {seconds['train']:.0f} s of training, {seconds['rate']:.0f} s of rating", flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--imdb", type=Path, required=True, help="imdb_50k_labelled.csv, or .csv.xz")
    parser.add_argument("--out", type=Path, required=True, help="a folder for the results")
    parser.add_argument("--base", nargs="+", help="of the scale's base models these, or others")
    parser.add_argument("--condition", nargs="+", choices=list(CONDITIONS))
    parser.add_argument("--batch-size", nargs="+", type=_batch_size, help="own, or numbers")
    parser.add_argument("--seed", nargs="+", type=int)
    parser.add_argument(
        "--not-in", type=Path, help="a CSV of rows: trainings that are there are not done again"
    )
    parser.add_argument(
        "--training", type=json.loads, default={}, help="other settings of a training: '{\"epochs\": 1}'"
    )
    parser.add_argument("--own-terms", action="store_true", help="rate with the condition's own terms only")
    parser.add_argument("--reviews", type=int, help="train and test on so many reviews only, to try it out")
    parser.add_argument("--workers", type=int, default=7, help="trainings at once")
    parser.add_argument("--minutes", type=float, help="stop after so long; what is not finished is left out")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--here", help=argparse.SUPPRESS)  # the one thing that a worker's process does
    return parser.parse_args()


def main() -> int:
    given = arguments()
    given.out.mkdir(parents=True, exist_ok=True)
    few = {name: given.reviews for name in ("train_reviews", "test_reviews") if given.reviews}
    settings = {
        "imdb": str(given.imdb),
        "device": given.device,
        "cross": not given.own_terms,
        "training": {**DEFAULTS["training"], **given.training},
        **few,
    }
    if given.here in DERIVED:
        make_base(given.here, settings, given.out)
        return 0
    if given.here:
        carry_out(json.loads(given.here), settings, given.out)
        return 0
    chosen = {name: getattr(given, name) for name in FACTORS if getattr(given, name)}
    done = _trainings_in(given.not_in) if given.not_in else set()
    waiting = [
        factors
        for factors in trainings(chosen)
        if file_stem(factors) not in done and not (given.out / f"{file_stem(factors)}.json").exists()
    ]
    return in_parallel(
        sorted(waiting, key=relative_cost, reverse=True), given.out, given.workers, given.minutes
    )


def in_parallel(waiting: list[dict[str, Any]], out: Path, workers: int, minutes: float | None) -> int:
    """Base models first, then the longest trainings; each in a process of its own."""
    bases = [
        base
        for base in DERIVED
        if any(factors["base"] == base for factors in waiting) and not (out / BASES / f"{base}.json").exists()
    ]
    print(f"{len(bases)} base models and {len(waiting)} trainings to do, {workers} at once", flush=True)
    commands = {base: _command(base) for base in bases}
    commands |= {file_stem(factors): _command(json.dumps(factors)) for factors in waiting}
    after = {file_stem(factors): factors["base"] for factors in waiting if factors["base"] in bases}
    return report(*run_side_by_side(commands, workers, minutes, after))


def _command(what: str) -> list[str]:
    return [sys.executable, __file__, *sys.argv[1:], "--here", what]


def _trainings_in(rows: Path) -> set[str]:
    done = pd.read_csv(rows)[list(FACTORS)].drop_duplicates()
    return {file_stem(dict(zip(FACTORS, row, strict=True))) for row in done.itertuples(index=False)}


def _decisive(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options(settings).items() if name in DECISIVE}


def _batch_size(text: str) -> str | int:
    return text if text == OWN else int(text)


if __name__ == "__main__":
    sys.exit(main())
