"""A run is a folder that anyone can read; an interrupted run resumes where it stopped.

    manifest.json            options, versions, times, which measures are done
    summary.json             the numbers, each with its source
    scores/<measure>.parquet what went in and what came out, item by item
    skipped.parquet          what could not be measured, and why
    report.html              written by `counterpoise audit` and `counterpoise report`

Every file is written aside and renamed, and a measure counts as done only when the manifest, written last, says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from numbers import Integral
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.audit import checksums, first_schema
from counterpoise.audit.item_columns import check_items
from counterpoise.audit.record import SCHEMA, AuditRecord
from counterpoise.audit.run_options import RunOptions, check_options
from counterpoise.core.errors import CounterpoiseError, RunError
from counterpoise.core.files import make_folder, make_inner_folder, read_json, write_aside, write_json
from counterpoise.core.hashing import hash_file
from counterpoise.core.limits import TABLE, check_regular
from counterpoise.core.locks import locked
from counterpoise.core.shown import Shown
from counterpoise.data.aliases import dataset_name
from counterpoise.io.unpacked_parquet import takes_more_than
from counterpoise.measures.base.catalogue import all_measures
from counterpoise.measures.base.result import NUMBERS, SUMMARY_COLUMNS, Direction, Result
from counterpoise.measures.base.skipped import SKIPPED_COLUMNS
from counterpoise.measures.base.source import Source
from counterpoise.measures.base.units import unit_by_form

_COUNTS = ("n", "clusters")


class Run(AuditRecord, Shown):
    """An open run folder. Use `Run.start` to write one and `Run.read` to look at one."""

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        super().__init__(manifest)
        self.folder = folder

    def __repr__(self) -> str:
        return f"<Run {str(self.folder)!r}, {len(self.done)} measures done>"

    @classmethod
    @contextmanager
    def start(cls, folder: str | Path, options: RunOptions) -> Iterator[Run]:
        """Starts a run or resumes it; a folder that holds something else, or another run, is refused."""
        folder = Path(folder).expanduser()
        _make_run_folder(folder)
        with locked(folder):
            for leftover in folder.rglob(".*.part"):  # of a process that was killed while writing
                leftover.unlink(missing_ok=True)
            if (folder / "manifest.json").exists():
                run = cls.read(folder)
                with damage_in_one_line(folder):
                    check_options(folder, run.manifest["options"], options.as_dict())
                    run._add_measures(options.measures)
                    _ = run.results  # what cannot be read is reported before anything is measured
                run.refuse_altered("start the same audit in another folder")
            else:
                run = cls(folder, AuditRecord.begin(options.as_dict(), options.kind).manifest)
                run._save_manifest()
            yield run

    @classmethod
    def read(cls, folder: str | Path) -> Run:
        """Opens a run to look at it."""
        folder = Path(folder)
        if not (folder / "manifest.json").is_file():
            raise RunError(f"{folder} is not a run: it has no manifest.json")
        manifest = read_json(folder / "manifest.json")
        if not isinstance(manifest, dict) or not {"schema", "options", "measures"} <= manifest.keys():
            raise RunError(f"{folder / 'manifest.json'} is damaged")
        if not isinstance(manifest["schema"], int) or manifest["schema"] > SCHEMA:
            raise RunError(
                f"{folder} has schema {manifest['schema']}; this version reads up to {SCHEMA}: update Counterpoise"
            )
        return cls(folder, manifest)

    def save(self, results: Sequence[Result], seconds: float | None = None) -> None:
        """Writes the last of the results; the earlier ones are in the folder already."""
        newest = results[-1]
        make_inner_folder(self.folder / "scores")
        with write_aside(self._items_file(newest.measure)) as aside:
            newest.items.to_parquet(aside, index=False)
        skipped = pd.concat(
            [result.skipped.assign(measure=result.measure) for result in results], ignore_index=True
        )
        with write_aside(self.folder / "skipped.parquet") as aside:
            skipped[["measure", *SKIPPED_COLUMNS]].astype("string").to_parquet(aside, index=False)
        write_json(self.folder / "summary.json", summary_document(results, self.manifest["options"]["model"]))
        super().save(results, seconds)
        self._note_checksums(results)
        self._save_manifest()
        self.__dict__.pop("results", None)

    def leave_out(self, measure: str, reason: str) -> None:
        super().leave_out(measure, reason)
        self._save_manifest()

    def finish(self) -> None:
        if not self.is_complete:
            super().finish()
            self._save_manifest()

    @cached_property
    def results(self) -> dict[str, Result]:
        """The results of the measures that are done, by measure, read back when first asked for."""
        return self.read_results()

    def read_results(self, with_items: bool = True) -> dict[str, Result]:
        """The results as the folder has them now.

        `with_items=False` leaves the items out, which are most of the work, where only the summary is needed; a folder
        of the first schema is always read in full.
        """
        if not self.done:
            return {}
        document = read_json(self.folder / "summary.json")
        rows = {name: [row for row in document["results"] if row["measure"] == name] for name in self.done}
        skipped = _read_parquet(self.folder / "skipped.parquet")
        results, altered = {}, []
        for name, about in self.manifest["measures"].items():
            is_first_schema = self.manifest["schema"] == 1 and "direction" not in about
            path = self._items_file(name) if with_items or is_first_schema else None
            items = pd.DataFrame() if path is None else _read_parquet(path)
            own_rows, own_skipped = rows[name], skipped[skipped.measure == name][SKIPPED_COLUMNS]
            changed = checksums.altered(about, own_rows, path)
            altered += changed
            if is_first_schema:
                options = self.manifest["options"]
                about, own_rows = first_schema.upgrade(name, about, options, own_rows, items)
            result = self._result(name, about, own_rows, items, own_skipped.reset_index(drop=True))
            if changed:
                warning = f"{checksums.in_words(changed)}: these may not be the numbers that were measured"
                result = replace(result, warnings=(*result.warnings, warning))
            check_items(self._items_file(name), items, result.identity, result.sources)
            results[name] = result
        self.altered = list(dict.fromkeys(altered))
        return results

    def refuse_altered(self, advice: str) -> None:
        """Raises if a file that was read is not as the audit wrote it."""
        if self.altered:
            raise RunError(f"{self.folder}: {checksums.in_words(self.altered)}; {advice}")

    def to_frame(self) -> pd.DataFrame:
        """The summary rows of the measures that are done."""
        return pd.concat([result.summary for result in self.results.values()], ignore_index=True)

    def _result(
        self, name: str, about: dict[str, Any], rows: list[Any], items: pd.DataFrame, skipped: pd.DataFrame
    ) -> Result:
        options = self.manifest["options"]
        sources = {row["key"]: _source(row["source"]) for row in rows if row.get("source")}
        return Result(
            measure=name,
            dataset=dataset_name(about["dataset"]),
            model=_text(options["model"]),
            variant=options["variant"],
            seed=options["seed"],
            items=items,
            summary=typed_summary(pd.DataFrame(_with_units(name, rows, sources))),
            skipped=skipped,
            direction=_direction(about["direction"]),
            directions={key: _direction(value) for key, value in about["directions"].items()},
            sources=sources,
            identity=tuple(map(_text, about["identity"])),
            asked=_text(about.get("asked", "")),
            sampling=dict(about.get("sampling", {})),
            citation=_text(about["citation"]),
            warnings=tuple(map(_text, about.get("warnings", ()))),
        )

    def _note_checksums(self, results: Sequence[Result]) -> None:
        """Notes what was just written: the rows of all measures, and the items of the last."""
        for result in results:
            noted = self.manifest["measures"][result.measure].setdefault("checksums", {})
            noted[checksums.SUMMARY] = checksums.rows_checksum(summary_rows(result))
        noted[checksums.ITEMS] = hash_file(self._items_file(result.measure))

    def _items_file(self, measure: str) -> Path:
        return self.folder / "scores" / f"{measure}.parquet"

    def _add_measures(self, measures: Sequence[str]) -> None:
        """Notes the measures to run, where they are more than when the run began."""
        if self.manifest["options"]["measures"] != list(measures):
            self.manifest["options"]["measures"] = list(measures)
            self.manifest["finished"] = None
            self._save_manifest()

    def _save_manifest(self) -> None:
        write_json(self.folder / "manifest.json", self.manifest)


def summary_document(results: Sequence[Result], model: str) -> dict[str, Any]:
    """What summary.json holds."""
    rows = [row for result in results for row in summary_rows(result)]
    return {"schema": SCHEMA, "model": model, "results": rows}


def summary_rows(result: Result) -> list[dict[str, Any]]:
    """The rows of a summary with their sources, as summary.json has them."""
    return [
        {str(name): value for name, value in row.items()}
        | {
            "asked": result.asked,
            "source": result.sources[row["key"]].as_dict() if row["key"] in result.sources else None,
        }
        for row in result.summary.to_dict("records")
    ]


def typed_summary(summary: pd.DataFrame) -> pd.DataFrame:
    """A summary with its columns in order, numbers as numbers however JSON wrote them, and datasets as named today."""
    for column in SUMMARY_COLUMNS:
        kind = Integral if column in _COUNTS else str
        if column not in NUMBERS and not all(isinstance(value, kind) for value in summary[column]):
            raise TypeError(f"{column} of a row is no {'whole number' if column in _COUNTS else 'text'}")
    typed = summary.astype(dict.fromkeys(NUMBERS, float))[SUMMARY_COLUMNS]
    return typed.assign(dataset=typed.dataset.map(dataset_name))


def _with_units(name: str, rows: list[Any], sources: Mapping[str, Source]) -> list[Any]:
    """Rows with their units, which earlier versions did not write."""
    measure = all_measures().get(name)
    unit_of = measure.unit_of if measure else lambda _, source: unit_by_form(source)
    return [{"unit": unit_of(row["key"], sources.get(row["key"])).name, **row} for row in rows]


def _source(document: dict[str, Any]) -> Source:
    source = Source.from_dict(document)
    contrast = (*source.contrast.by, *source.contrast.within) if source.contrast else ()
    for name in (source.column, source.form, source.cluster or "", source.against or "", *contrast):
        _text(name)
    return source


def _direction(document: dict[str, Any]) -> Direction:
    sides = document["sides"]
    return Direction(
        _text(document["positive"]),
        _text(document["negative"]),
        None if sides is None else (_text(sides[0]), _text(sides[1])),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _read_parquet(path: Path) -> pd.DataFrame:
    check_regular(path, RunError)
    try:
        if takes_more_than(path, TABLE.bytes):
            raise RunError(TABLE.exceeded(path))
        return pd.read_parquet(path)
    except CounterpoiseError:
        raise
    except Exception as error:  # pyarrow raises many kinds for a damaged file
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise RunError(f"cannot read {path}: {reason}") from error


@contextmanager
def damage_in_one_line(folder: Path) -> Iterator[None]:
    """Turns what a run's files of another shape lead to into one line."""
    try:
        yield
    except (AttributeError, KeyError, IndexError, TypeError, ValueError, RecursionError) as error:
        raise RunError(
            f"{folder} is damaged ({type(error).__name__}: {error}); start the same audit in another folder"
        ) from error


def _make_run_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise RunError(f"{folder} is a file; a run needs a folder")
    names = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()
    leftovers = {name for name in names if name == ".lock" or name.endswith(".part")}  # of a killed process
    if names - leftovers and "manifest.json" not in names:
        raise RunError(f"{folder} exists and is not a run; choose another folder with --out")
    make_folder(folder)
