"""Trains the built-in model in the ways that docs/debias.md compares, and writes what each model says.

    python tools/debias_experiments.py run --data FOLDER --held-out texts.json --out results --workers 12
    python tools/debias_experiments.py held-out texts.json
    python tools/debias_experiments.py table results --rows docs/debias-experiments.csv \\
        --chart docs/images/debias-frontier.svg

For a machine with a GPU, several trainings at once. `run` writes a file of scores for each experiment and seed; what is
there already is not done again. `held-out` writes the texts for masked accuracy (2,000 IMDB test reviews), so that the
data set need not be there. `table` makes the tables and the chart's records from the scores.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from counterpoise.core.files import read_json, write_json, write_text
from counterpoise.data.corpus import Corpus
from counterpoise.data.thirdparty.folders import using_data
from counterpoise.mitigate.evaluation.held_out import accuracy, held_out_texts
from counterpoise.mitigate.evaluation.net_effect import net_effect
from counterpoise.mitigate.evaluation.scores import APPD, ASSOCIATION, ModelScores, score
from counterpoise.mitigate.finetune.at_work import at_work
from counterpoise.mitigate.finetune.recipes import Recipe, preset_recipe
from counterpoise.mitigate.finetune.reminders import load_reminders
from counterpoise.mitigate.finetune.training_texts import neutral_sentences, swap_texts
from counterpoise.models import load
from counterpoise.tuning.language_model import train_language_model
from side_by_side import report, run_side_by_side

SEEDS = (42, 43, 44)
PLAIN, DEFAULT = preset_recipe("plain"), preset_recipe("default")
# Our recipe at twice its rate; the rate was halved after the first experiments.
OURS = replace(DEFAULT, settings=replace(DEFAULT.settings, learning_rate=1e-4))
NO_KEEPING = replace(OURS.masking, learn_gendered=False)


# What is trained, by name; a number of reminders stands beside it (Barza 2023: 50 sentences, one, two and three times).
EXPERIMENTS: dict[str, tuple[Recipe, int]] = {
    "unswapped": (replace(PLAIN, method="none"), 0),
    "cds": (PLAIN, 0),
    "cds with names": (replace(PLAIN, names=True), 0),
    "inverted": (replace(PLAIN, method="flip"), 0),
    "inverted, 50 reminders": (replace(PLAIN, method="flip"), 1),
    "inverted, 100 reminders": (replace(PLAIN, method="flip"), 2),
    "inverted, 150 reminders": (replace(PLAIN, method="flip"), 3),
    "ours": (OURS, 0),
    "ours, unswapped": (replace(OURS, method="none", at_work=0), 0),
    "ours, rate 5e-5": (DEFAULT, 0),
    "ours, rate 5e-5, unswapped": (replace(DEFAULT, method="none", at_work=0), 0),
}
FRONTIER: dict[str, tuple[Recipe, int]] = {
    "ours, rate 2e-4": (replace(OURS, settings=replace(OURS.settings, learning_rate=2e-4)), 0),
    "ours, 2,000 at work": (replace(OURS, at_work=2_000), 0),
    "ours, 20,000 at work": (replace(OURS, at_work=20_000), 0),
    "ours, no people at work": (replace(OURS, at_work=0), 0),
    "ours, no reminders": (replace(OURS, reminders=0), 0),
    "ours, all words learnt": (replace(OURS, masking=NO_KEEPING), 0),
    "ours, gendered words as others": (replace(OURS, masking=replace(OURS.masking, gendered=None)), 0),
    "ours, neutral text kept": (replace(OURS, keep=10_000), 0),
}
ALL = EXPERIMENTS | FRONTIER

_LABELS: dict[str, dict[str, Any]] = {
    "ours": {"align": "left", "dx": 8, "dy": 8},
    "ours, rate 5e-5": {"align": "right", "dx": -8},
    "ours, rate 5e-5, unswapped": {"align": "center", "dy": 14},
    "ours, neutral text kept": {"align": "center", "dy": -12},
    "ours, 20,000 at work": {"align": "left", "dx": 8, "dy": 6},
    "inverted": {"align": "left", "dx": 8, "dy": -6},
    "ours, no people at work": {"align": "right", "dx": -8},
}


def carry_out(name: str, seed: int, data: Path | None, held_out: Path, out: Path) -> None:
    """One training and what the model says afterwards."""
    started = time.monotonic()
    neutral = held_out_texts(json.loads(held_out.read_text(encoding="utf-8")))
    if name == "before":
        found = score(load(), neutral=neutral)  # type: ignore[arg-type]
    else:
        way, copies = ALL[name]
        way = replace(way, settings=replace(way.settings, seed=seed))
        with using_data(data):
            source = Corpus.of("gap")
        treated = swap_texts(source, way, seed=seed)
        texts = [*treated.texts, *at_work(way.at_work, seed)]
        texts += load_reminders(50, copies, seed) if copies else load_reminders(way.reminders, 1, seed)
        kept = neutral_sentences(source, way.keep, seed) if way.keep else ()
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "model"
            train_language_model(texts, folder, settings=way.settings, masking=way.masking, keep=kept)
            found = score(load(folder), neutral=neutral)  # type: ignore[arg-type]
    found = replace(found, model=name, neutral=f"imdb test, {len(neutral.table)} texts")
    write_json(
        out / f"{stem(name, seed)}.json", {"experiment": name, "seed": seed, "scores": found.to_dict()}
    )
    print(f"{name} {seed}: {time.monotonic() - started:.0f} s", flush=True)


def stem(name: str, seed: int) -> str:
    return f"{name.replace(',', '').replace(' ', '-')}_{seed}"


def in_parallel(given: argparse.Namespace) -> int:
    """Each training in a process of its own, in the order of the list, as long as there is time."""
    wanted = [("before", 0), *itertools.product(EXPERIMENTS, SEEDS), *((name, SEEDS[0]) for name in FRONTIER)]
    places = ["--held-out", str(given.held_out), "--out", str(given.out)]
    places += ["--data", str(given.data)] if given.data else []
    commands = {
        stem(name, seed): [sys.executable, __file__, "one", name, str(seed), *places]
        for name, seed in wanted
        if not (given.out / f"{stem(name, seed)}.json").exists()
    }
    return report(*run_side_by_side(commands, given.workers, given.minutes))


def table(folder: Path) -> pd.DataFrame:
    """A row per experiment and seed: gain, lean kept, accuracy lost; all against the model before."""
    found = {path.stem: read_json(path) for path in sorted(folder.glob("*.json"))}
    scores = {key: ModelScores.from_dict(one["scores"]) for key, one in found.items()}
    before = scores.pop(stem("before", 0))
    sizes = {quantity: _size(before, quantity) for quantity in (ASSOCIATION, APPD)}
    leans = _own_leans(before)
    right = leans[leans >= 0.05].index  # of words that lean their own way at all
    rows: list[dict[str, Any]] = []
    for key, after in scores.items():
        association, appd, left = _size(after, ASSOCIATION), _size(after, APPD), _own_leans(after)
        rows.append(
            {
                "experiment": found[key]["experiment"],
                "seed": found[key]["seed"],
                "lpbs": association,
                "appd": appd,
                "lpbs_change": 100 * (association / sizes[ASSOCIATION] - 1),
                "appd_change": 100 * (appd / sizes[APPD] - 1),
                "accuracy": accuracy(after.texts),
                "accuracy_lost": 100 * (accuracy(before.texts) - accuracy(after.texts)),
                "lean_kept": 100 * left[right].sum() / leans[right].sum(),
                **_line(before, after, ASSOCIATION, "lpbs"),
                **_line(before, after, APPD, "appd"),
                **{f"lean_{word}": value for word, value in left.items()},
            }
        )
    return pd.DataFrame(rows)


def frontier(found: pd.DataFrame) -> Any:
    """Gain against damage: each experiment where its mean over seeds lies."""
    import altair as alt

    some = found[~found.experiment.str.contains("0 reminders")]  # these lie on one another
    means = some.groupby("experiment", sort=False).mean(numeric_only=True).reset_index()
    means["fall"] = -(means.lpbs_change + means.appd_change) / 2
    means["ours"] = means.experiment.str.startswith("ours")
    base = alt.Chart(means, width=640, height=420).encode(
        x=alt.X("accuracy_lost", title="masked accuracy lost, points (smaller is better)").scale(
            domain=[0, 7]
        ),
        y=alt.Y("fall", title="fall of the two biases, % (larger is better)").scale(domain=[0, 100]),
    )
    points = base.mark_point(filled=True, size=90).encode(
        color=alt.Color("lean_kept", title="right lean kept, %").scale(
            scheme="viridis", domain=[30, 110], clamp=True
        ),
        shape=alt.Shape("ours", legend=None),
    )
    layers = [points]
    for name in means.experiment:  # labels to the right, but where another point is
        side = _LABELS.get(name, {"align": "left", "dx": 8})
        layers.append(
            base.transform_filter(alt.datum.experiment == name)
            .mark_text(fontSize=11, **side)
            .encode(text="experiment")
        )
    return alt.layer(*layers)


def net(folder: Path, swapped: str, unswapped: str) -> Any:
    """The net effect of swapping over all seeds."""

    def read(name: str, seed: int) -> ModelScores:
        return ModelScores.from_dict(read_json(folder / f"{stem(name, seed)}.json")["scores"])

    controls, after = ([read(name, seed) for seed in SEEDS] for name in (unswapped, swapped))
    return [net_effect(read("before", 0), controls, after, one) for one in (ASSOCIATION, APPD)]


def _size(scores: ModelScores, quantity: str) -> float:
    return float(_leans(scores, quantity).abs().mean())


def _line(before: ModelScores, after: ModelScores, quantity: str, name: str) -> dict[str, float]:
    """Slope and intercept over professions: below 1, differences between them shrank; below 0, all were shifted."""
    then = _leans(before, quantity)
    slope, intercept = np.polyfit(then, _leans(after, quantity)[then.index], 1)
    return {f"{name}_slope": float(slope), f"{name}_intercept": float(intercept)}


def _leans(scores: ModelScores, quantity: str) -> pd.Series:
    """The mean of each profession."""
    items = scores.items[(scores.items.quantity == quantity) & (scores.items.gender == "")]
    return items.groupby(["group", "word"]).value.mean()


def _own_leans(scores: ModelScores) -> pd.Series:
    """The lean of each gender-related word towards its own gender."""
    items = scores.items[scores.items.gender != ""]
    own = items.value * np.where(items.gender == "male", 1.0, -1.0)
    return own.groupby(items.word).mean()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("run", "one"):
        command = commands.add_parser(name)
        if name == "one":
            command.add_argument("experiment")
            command.add_argument("seed", type=int)
        command.add_argument("--data", type=Path, help="a folder of data sets, with GAP in its folder gap")
        command.add_argument("--held-out", type=Path, required=True)
        command.add_argument("--out", type=Path, required=True)
        command.add_argument("--workers", type=int, default=4, help="trainings at once")
        command.add_argument("--minutes", type=float, help="stop after so long")
    commands.add_parser("held-out").add_argument("file", type=Path)
    shown = commands.add_parser("table")
    shown.add_argument("results", type=Path)
    shown.add_argument("--rows", type=Path, help="a CSV file for the rows")
    shown.add_argument("--chart", type=Path, help="an SVG file for the frontier of gain against damage")
    given = parser.parse_args()
    if given.command == "held-out":
        write_json(given.file, held_out_texts().table.text.tolist())
    elif given.command == "table":
        found = table(given.results)
        print(found.to_string(index=False, float_format="%.4g"))
        if given.rows:
            write_text(given.rows, found.to_csv(index=False, float_format="%.4f"))
        if given.chart:
            frontier(found).save(given.chart)
        for swapped, unswapped in (
            ("cds", "unswapped"),
            ("inverted", "unswapped"),
            ("ours", "ours, unswapped"),
            ("ours, rate 5e-5", "ours, rate 5e-5, unswapped"),
        ):
            for one in net(given.results, swapped, unswapped):
                share = one.share
                print(
                    f"{swapped}, {one.quantity}: net {share.value:.1f} % [{share.low:.1f}, {share.high:.1f}]"
                )
    else:
        given.out.mkdir(parents=True, exist_ok=True)
        if given.command == "one":
            carry_out(given.experiment, given.seed, given.data, given.held_out, given.out)
        else:
            return in_parallel(given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
