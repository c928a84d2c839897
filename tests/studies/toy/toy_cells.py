"""Cells of the toy study: quick; `draw` writes down every time that it is carried out."""

from __future__ import annotations

import errno
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

from counterpoise.core.errors import InputError
from counterpoise.models.loading import load
from counterpoise.studies.engine.cells import LeftOut
from counterpoise.studies.engine.costs import Cost


def check(study):
    """Refuses what no cell could draw."""
    if study.settings["n"] < 1:
        raise InputError(f"n is how many numbers are drawn, 1 or more, not {study.settings['n']}")


def check_badly(study):
    return study.settings["no such setting"]


def estimate(cell, study):
    """Round numbers; nothing is known of `total`."""
    if cell.step == "total":
        return None
    if cell.step == "draw":
        return Cost(flops=1e9, seconds=2.0, disk=300.0, models=200.0, scratch=1000.0, memory=1e6)
    return Cost(seconds=1.0, disk=50.0, memory=2e6)


def draw(cell):
    """Numbers from a seed, with a file; factors and settings may ask for mischief."""
    _note(cell)
    time.sleep(cell.settings.get("sleep", 0))
    _mischief(cell)
    numbers = np.random.default_rng(cell.factors["seed"]).normal(size=cell.settings["n"])
    np.save(cell.folder / "numbers.npy", numbers)
    print("drawn")
    return {"mean": float(numbers.mean()), "nothing": float("nan")}


def scale(cell):
    drawn = cell.needed("draw")
    numbers = np.load(drawn.folder / "numbers.npy") * cell.factors["factor"]
    powers = [{"power": power, "value": float((numbers**power).mean())} for power in (1, 2)]
    return {"rows": powers, "before": drawn.result["mean"]}


def total(cell):
    return {"total": sum(done.result["mean"] for done in cell.needs["draw"])}


def surroundings(cell):
    """What a cell is given to work with, and when it worked."""
    began = time.time()
    time.sleep(cell.settings["sleep"])
    return {
        "began": began,
        "ended": time.time(),
        "threads": int(os.environ["OMP_NUM_THREADS"]),
        "gpu": os.environ.get("CUDA_VISIBLE_DEVICES"),
    }


def returns_list(cell):
    return [1]


def returns_object(cell):
    return {"value": object()}


def returns_factor(cell):
    return {"seed": 9}


def returns_step(cell):
    return {"rows": [{"step": 7}]}


def returns_rows(cell):
    return {"rows": {"a": 1}}


def gather_badly(study):
    return study.table["no such column"]


def gather_without_room(study):
    raise no_space("gathered.json")


def gather(study):
    study.table.to_json(study.folder / "gathered.json", orient="records")
    (study.folder / "missing.txt").write_text("\n".join(map(str, study.missing)))


def no_space(name):
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)


def _note(cell):
    if diary := cell.settings.get("diary"):
        ray = sys.modules.get("ray")
        node = ray.get_runtime_context().get_node_id() if ray and ray.is_initialized() else ""
        with Path(diary).open("a") as file:
            file.write(f"{cell.factors['seed']} {os.getpid()} {node}\n")


def _mischief(cell):
    mischief = cell.settings.get("mischief") if cell.factors["seed"] == 1 else None
    if mischief and mischief.endswith(" once"):
        before = Path(cell.settings["diary"]).with_name("mischief")
        if before.exists():
            return
        before.touch()
        mischief = mischief.removesuffix(" once")
    match mischief:
        case "raise":
            raise ValueError("seed 1 is\nunlucky")
        case "model":
            load("./nowhere")
        case "left out":
            raise LeftOut("needs GloVe")
        case "die beside a helper":
            if os.fork() == 0:
                time.sleep(300)
            os.kill(os.getpid(), signal.SIGKILL)
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "disk full":
            raise no_space("numbers.npy")
