"""Takes a snapshot of every number that Counterpoise computes, or checks that they are still the same.

    python tests/snapshot/snapshot.py take                        measures, comparisons, corpora and swaps
    python tests/snapshot/snapshot.py check                       the same again: equal to the last digit?
    python tests/snapshot/snapshot.py check studies --runs DIR    the four studies at smoke scale, run into DIR first

Needs the third-party datasets (COUNTERPOISE_DATA). Numbers are equal to the last digit on one machine only: another
CPU adds up in another order. `test_snapshot.py` therefore compares them to a tolerance.

Rows of summaries and of comparisons are kept whole (`summaries.csv`, `comparisons.csv`), larger tables as a checksum
and a sum of each column (`tables.json`). A check compares the columns that were there when the snapshot was taken; new
ones are named, and so are rows of comparisons that had no difference then and have one now, and rows of new levels.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    os.environ["COUNTERPOISE_PROGRESS"] = "0"
    os.environ["OMP_NUM_THREADS"] = "1"
    sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import numpy as np
import pandas as pd

FOLDER = Path(__file__).parent
PARTS = ("measures", "comparisons", "corpora", "swaps")
WHOLE = {"summary": "summaries.csv", "rows": "comparisons.csv"}  # tables that are kept row by row, and where
# Rows of comparisons that were computed of other items than the row's own, as long as a search guessed them.
GUESSED_WRONG = {
    ("eec_sentiment", "male - female rating"): (
        "anger",
        "fear",
        "joy",
        "sadness",
    ),  # all emotions instead of one
    ("perturbation", "LabelDist"): ("all",),  # is no mean over texts
    ("aul", "ties, each counted as one half"): ("all",),  # a count
    ("aula", "ties, each counted as one half"): ("all",),
    ("crows", "ties, each counted as one half"): ("all",),
    ("perturbation", "ScoreRange"): ("all",),  # twice the deviation: the same but for the last digit
}
LABELS = ("group", "statistic", "ideal_text", "note", "form", "item")  # what readers see

Tables = Mapping[str, pd.DataFrame]


def tables_of(part: str, runs: Path | None = None) -> Iterator[tuple[str, Callable[[], Tables]]]:
    """The cases of a part, each with the call that computes its tables."""
    import cases

    if part == "measures":
        for name, measure in cases.measured():
            yield name, lambda measure=measure: _of_result(measure())
    elif part == "studies":
        yield from cases.studies(runs or Path("runs"))
    else:
        yield from {"comparisons": cases.compared, "corpora": cases.corpora, "swaps": cases.swaps}[part]()


def _of_result(result: Any) -> Tables:
    return {"summary": result.summary, "items": result.items, "skipped": result.skipped}


def digest(table: pd.DataFrame) -> dict[str, Any]:
    """Rows, and of each column a checksum; of numbers also their sum."""
    return {"rows": len(table), "columns": {str(name): _column(table[name]) for name in table}}


def _column(column: pd.Series) -> dict[str, Any]:
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        numbers = column.to_numpy(dtype=float, na_value=np.nan)
        text = " ".join(float(number).hex() for number in numbers)
        return {"sha256": _hash(text), "sum": math.fsum(number for number in numbers if np.isfinite(number))}
    return {"sha256": _hash("\x00".join("" if _is_missing(value) else str(value) for value in column))}


def _is_missing(value: object) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass
class Snapshot:
    """Tables by case: those that are kept row by row, and digests of all others."""

    whole: dict[str, pd.DataFrame] = field(default_factory=dict)
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, part: str, name: str, found: Tables) -> None:
        for table, content in found.items():
            key = f"{part}/{name}/{table}"
            if table in WHOLE:
                self.whole[key] = content.reset_index(drop=True)
            else:
                self.tables[key] = digest(content)

    @classmethod
    def read(cls) -> Snapshot:
        snapshot = cls()
        for name in WHOLE.values():
            if (FOLDER / name).exists():
                rows = pd.read_csv(FOLDER / name, keep_default_na=False, dtype=str, lineterminator="\n")
                snapshot.whole |= {
                    str(key): some.drop(columns="case").reset_index(drop=True)
                    for key, some in rows.groupby("case", sort=False)
                }
        if (FOLDER / "tables.json").exists():
            snapshot.tables = json.loads((FOLDER / "tables.json").read_text(encoding="utf-8"))
        return snapshot

    def write(self) -> None:
        for table, name in WHOLE.items():
            rows = [
                _as_text(some).assign(case=key)
                for key, some in self.whole.items()
                if key.rpartition("/")[2] == table
            ]
            if rows:
                joined = pd.concat(rows, ignore_index=True)
                front = ["case", *(column for column in joined if column != "case")]
                joined[front].to_csv(FOLDER / name, index=False, lineterminator="\n")
        text = json.dumps(self.tables, indent=1, ensure_ascii=False, sort_keys=True)
        (FOLDER / "tables.json").write_text(text + "\n", encoding="utf-8")


def _as_text(table: pd.DataFrame) -> pd.DataFrame:
    """Numbers with all their digits."""
    return table.map(
        lambda value: "" if _is_missing(value) else repr(float(value)) if _is_number(value) else str(value)
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


@dataclass
class Differences:
    """What a check found: `numbers` must be empty, `labels` may change and are listed."""

    numbers: list[str] = field(default_factory=list)
    labels: set[tuple[str, str, str]] = field(default_factory=set)
    added: set[str] = field(default_factory=set)


def check_table(
    key: str, was: dict[str, Any], now: pd.DataFrame, found: Differences, tolerance: float
) -> None:
    """A table against its digest; with a tolerance, sums instead of checksums, and text not at all."""
    if was["rows"] != len(now):
        found.numbers.append(f"{key}: {len(now)} rows, there were {was['rows']}")
        return
    for name, old in was["columns"].items():
        if name not in now:
            found.numbers.append(f"{key}: the column {name} is gone")
            continue
        new = _column(now[name])
        if tolerance and "sum" in old:
            if not math.isclose(new.get("sum", math.nan), old["sum"], rel_tol=tolerance, abs_tol=tolerance):
                found.numbers.append(f"{key}: {name} adds up to {new.get('sum')}, it was {old['sum']}")
        elif new["sha256"] != old["sha256"] and not tolerance:
            if name in LABELS:
                found.labels.add((key, name, "changed"))
            else:
                found.numbers.append(f"{key}: {name} differs ({new.get('sum')}, it was {old.get('sum')})")
    found.added |= {f"{key.rpartition('/')[2]}: {name}" for name in now if str(name) not in was["columns"]}


def check_rows(key: str, was: pd.DataFrame, now: pd.DataFrame, found: Differences, tolerance: float) -> None:
    """Row by row, in order: numbers must be equal, labels may be others."""
    text = _as_text(now.reset_index(drop=True))
    if "difference" in was:
        text = _in_order_of(was, text, found)
        new = (was.difference == "") & (text.difference != "")
        new |= np.array(
            [row.group in GUESSED_WRONG.get((row.measure, row.statistic), ()) for row in was.itertuples()]
        )
        found.added |= {
            f"compared: {row.measure}, {row.group}, {row.statistic}" for row in was[new].itertuples()
        }
        # One more test in a family changes the adjusted p of the others.
        family = was[new][["measure", "level"]].apply(tuple, axis=1).tolist() if new.any() else []
        grown = np.array([(row.measure, row.level) in family for row in was.itertuples()])
        was = was.assign(p_adjusted=was.p_adjusted.where(~grown, text.p_adjusted))
        was, text = was[~new].reset_index(drop=True), text[~new].reset_index(drop=True)
    elif len(was) < len(text):
        text = _without_new_families(was, text, found)
    if len(was) != len(text):
        found.numbers.append(f"{key}: {len(text)} rows, there were {len(was)}")
        return
    for name in was:
        if name not in text:
            if (was[name] != "").any():
                found.numbers.append(f"{key}: the column {name} is gone")
            continue
        for row, (old, new) in enumerate(zip(was[name], text[name], strict=True)):
            if old == new:
                continue
            if name in LABELS:
                found.labels.add((name, old, new))
            elif name == "effect_size" and tolerance and _same_spread(was, text, row, tolerance):
                continue
            elif not (tolerance and _close(old, new, tolerance)):
                label = f"{was.level[row]}, {was.group[row]}, {was.statistic[row]}"
                found.numbers.append(f"{key}: {label}: {name} is {new}, it was {old}")
    found.added |= {f"{key.rpartition('/')[2]}: {name}" for name in now if name not in was}


def _without_new_families(was: pd.DataFrame, now: pd.DataFrame, found: Differences) -> pd.DataFrame:
    """The rows of the levels that there were; those of others are families of tests of their own, and are named."""
    is_new = ~now.level.isin(was.level)
    found.added |= {f"row: {row.measure}, {row.group}, {row.statistic}" for row in now[is_new].itertuples()}
    return now[~is_new].reset_index(drop=True)


def _in_order_of(was: pd.DataFrame, now: pd.DataFrame, found: Differences) -> pd.DataFrame:
    """The rows of a comparison that were there; others, which now find their counterpart by key, are named."""
    names = ["measure", "first", "second", "level", "group", "statistic"]
    then = pd.MultiIndex.from_frame(was[names])
    today = now.set_index(names, drop=False)
    found.added |= {f"row: {', '.join(key)}" for key in today.index.difference(then)}
    return today.loc[today.index.isin(then)].reindex(then).reset_index(drop=True)


def _same_spread(was: pd.DataFrame, now: pd.DataFrame, row: int, tolerance: float) -> bool:
    """Does an effect size, a value over its spread, imply the same spread?

    Where two templates give almost the same number, d is above a hundred, and the last digits of another processor,
    which change the spread by some 1e-6, change d by more than any relative tolerance allows.
    """
    try:
        spreads = [float(table.value[row]) / float(table.effect_size[row]) for table in (was, now)]
    except (ValueError, ZeroDivisionError):
        return False
    return abs(spreads[0] - spreads[1]) <= tolerance / 10


def _close(old: str, new: str, tolerance: float) -> bool:
    try:
        return math.isclose(float(old), float(new), rel_tol=tolerance, abs_tol=tolerance)
    except ValueError:
        return False


def check(
    part: str, was: Snapshot, tolerance: float = 0.0, runs: Path | None = None, only: str = ""
) -> Differences:
    found = Differences()
    for name, compute in tables_of(part, runs):
        if only in name:
            for table, content in compute().items():
                key = f"{part}/{name}/{table}"
                if key in was.whole:
                    check_rows(key, was.whole[key], content, found, tolerance)
                elif key in was.tables:
                    check_table(key, was.tables[key], content, found, tolerance)
                else:
                    found.added.add(key)
            print(f"  {part}/{name}: {len(found.numbers)} numbers differ so far", flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("action", choices=["take", "check"])
    parser.add_argument("parts", nargs="*", default=PARTS, help=f"{', '.join(PARTS)} or studies")
    parser.add_argument("--runs", type=Path, help="where studies are run, or have been")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    chosen = parser.parse_args()
    snapshot = Snapshot.read()
    if chosen.action == "take":
        for part in chosen.parts:
            for name, compute in tables_of(part, chosen.runs):
                if chosen.only in name:
                    snapshot.add(part, name, compute())
                    snapshot.write()
                    print(f"  {part}/{name}", flush=True)
        return 0
    differ = 0
    for part in chosen.parts:
        found = check(part, snapshot, runs=chosen.runs, only=chosen.only)
        print("\n".join(found.numbers))
        for label in sorted(found.labels):
            print("label:", " | ".join(label))
        print(
            f"{part}: {len(found.numbers)} numbers differ; new: {', '.join(sorted(found.added)) or 'nothing'}"
        )
        differ += len(found.numbers)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
