"""Datasets that the `datasets` library reads: those of the hub, and folders in any of the formats that it knows.

`hf:NAME[:SPLIT[:COLUMN]]` names one. No code that comes with a dataset is run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.core.errors import CounterpoiseError, DataError, InputError, did_you_mean, in_one_line
from counterpoise.core.files import slug
from counterpoise.core.hub import HUB_NAME, hub_is_offline, hub_is_reachable
from counterpoise.io.bounded_datasets import (
    bounded_frame,
    check_local_files,
    check_number_of_files,
    check_sizes,
)

PREFIX = "hf:"
_FORM = f"{PREFIX}NAME[:SPLIT[:COLUMN]]"
_PATH_STARTS = (".", "/", "~")


@dataclass(frozen=True)
class DatasetTable:
    """A split of a dataset that was read; of the hub, with the commit."""

    frame: pd.DataFrame
    split: str
    revision: str | None


@dataclass(frozen=True)
class DatasetSource:
    """A dataset of the hub, or a folder; `table` reads it when first asked for.

    >>> DatasetSource.parse("hf:lab/bios:dev:bio")
    DatasetSource(name='lab/bios', config=None, split='dev', column='bio', offline=False)
    >>> DatasetSource.parse("hf:nyu-mll/glue:sst2/validation").config
    'sst2'
    """

    name: str
    config: str | None = None
    split: str | None = None
    column: str | None = None
    offline: bool = False

    @classmethod
    def parse(cls, text: str, offline: bool = False) -> DatasetSource:
        name, *others = text.removeprefix(PREFIX).split(":", 2)
        if not name or (others and not others[-1]):
            raise InputError(f"a dataset is named as {_FORM}, such as hf:stanfordnlp/imdb:test, not {text!r}")
        split, column = (*others, "", "")[:2]
        config, _, split = split.rpartition("/")
        return cls(name, config or None, split or None, column or None, offline)

    def __str__(self) -> str:
        return f"{PREFIX}{self.name}"

    @property
    def stem(self) -> str:
        """A part of the name of a folder."""
        return slug("-".join(filter(None, [self.name, self.config, self.split])))

    @property
    def short_name(self) -> str:
        """The name on the hub, or that of the folder."""
        return self.name if self.folder is None else self.folder.resolve().name

    @property
    def folder(self) -> Path | None:
        """The folder, unless it is a dataset of the hub."""
        path = Path(self.name).expanduser()
        if path.is_file():
            raise InputError(f"{path} is a file; give it without {PREFIX}")
        if path.is_dir():
            return path
        if self.name.startswith(_PATH_STARTS) or not HUB_NAME.fullmatch(self.name):
            raise DataError(f"there is no folder {self.name}, and it is no name of a dataset on the hub")
        return None

    @cached_property
    def table(self) -> DatasetTable:
        """The split that was named; else the one called test, else the only one."""
        with _one_line_errors(self):
            _import_datasets()
            folder = self.folder
            may_ask = folder is None and not self.offline and not hub_is_offline() and hub_is_reachable()
            with _quietly(offline=not may_ask):
                if folder is None:
                    return self._read_hub()
                if self.config is None and _is_saved_to_disk(folder):
                    return self._read_saved(folder)
                return self._read_folder(folder)

    def record(self) -> dict[str, str]:
        """What a run's manifest says of the dataset; only one of the hub has a revision."""
        said = {
            "dataset": self.short_name,
            "config": self.config,
            "split": self.table.split,
            "column": self.column,
            "revision": self.table.revision,
        }
        return {name: value for name, value in said.items() if value}

    def text_column(self, named: str | None, besides: Sequence[str | None] = ()) -> str:
        """The column of texts: the one that was named, else `text`, else the only one with texts."""
        if named and self.column and named != self.column:
            raise InputError(f"the column of {self} is named twice, as {self.column!r} and as {named!r}")
        frame = self.table.frame
        if chosen := named or self.column:
            return chosen  # whoever reads it says if it is not there
        of_texts = [str(name) for name in frame if _is_text(frame[name]) and name not in besides]
        if "text" in of_texts:
            return "text"
        if len(of_texts) == 1:
            return of_texts[0]
        raise InputError(
            f"{self} has {'several columns' if of_texts else 'no column'} of texts (there are: "
            f"{', '.join(of_texts or map(str, frame))}); name one, as in {PREFIX}NAME:SPLIT:COLUMN or by --column"
        )

    def _read_hub(self) -> DatasetTable:
        import datasets

        builder = datasets.load_dataset_builder(self.name, self.config)
        files = builder.config.data_files
        if files is not None:  # None where an earlier download is taken
            check_sizes(self, files, self._choose(files))
        builder.download_and_prepare()
        split = self._choose(builder.info.splits)
        table = builder.as_dataset(split)
        return DatasetTable(bounded_frame(self, table, builder.info.features), split, builder.hash)

    def _read_saved(self, folder: Path) -> DatasetTable:
        import datasets

        saved = datasets.load_from_disk(str(folder))
        if isinstance(saved, datasets.Dataset):
            saved = {str(saved.split or "all"): saved}
        split = self._choose(saved)
        return DatasetTable(bounded_frame(self, saved[split], saved[split].features), split, None)

    def _read_folder(self, folder: Path) -> DatasetTable:
        """Streamed, so that no copy stays in the cache of `datasets`, and an edited file is always read anew."""
        import datasets

        check_number_of_files(self, folder)
        builder = datasets.load_dataset_builder(str(folder.resolve()), self.config)
        split = self._choose(builder.config.data_files)
        check_local_files(self, builder.config.data_files[split])
        table = builder.as_streaming_dataset(split)
        return DatasetTable(bounded_frame(self, table, table.features), split, None)

    def _choose(self, splits: Any) -> str:
        names = [str(name) for name in splits]
        listed = ", ".join(names)
        if self.split is not None:
            if self.split not in names:
                hint = did_you_mean(self.split, names)
                raise InputError(f"{self} has no split {self.split!r} (there are: {listed}){hint}")
            return self.split
        if "test" in names or len(names) == 1:
            return "test" if "test" in names else names[0]
        raise InputError(
            f"{self} has several splits and none called test (there are: {listed}); name one, as in {self}:{names[0]}"
        )


def dataset_source(given: object) -> DatasetSource | None:
    """The dataset that is named instead of a file; a folder may be named without hf: in front.

    >>> dataset_source("texts.csv") is None
    True
    """
    if isinstance(given, DatasetSource):
        return given
    if isinstance(given, str | Path):
        if str(given).startswith(PREFIX):
            return DatasetSource.parse(str(given))
        if Path(given).expanduser().is_dir():
            return DatasetSource(str(given))
    return None


def _is_saved_to_disk(folder: Path) -> bool:
    """Whether a folder is one that `save_to_disk` of `datasets` wrote."""
    return any((folder / name).is_file() for name in ("dataset_dict.json", "state.json"))


def _is_text(column: pd.Series) -> bool:
    values = column.dropna().head(1000)
    return bool(len(values)) and all(isinstance(value, str) for value in values)


def _import_datasets() -> None:
    try:
        import datasets  # noqa: F401
    except ImportError:
        raise InputError(
            "datasets of the hub and folders need the package datasets: pip install 'counterpoise[train]'"
        ) from None


@contextmanager
def _one_line_errors(source: DatasetSource) -> Iterator[None]:
    """Turns whatever `datasets` raises, for which it has paragraphs, into one line."""
    try:
        yield
    except CounterpoiseError:
        raise
    except ConnectionError as error:  # also what it raises offline
        is_offline = source.offline or hub_is_offline()
        why = "the hub may not be asked (offline)" if is_offline else "the hub cannot be reached"
        raise DataError(
            f"{source}: there is no such folder here, it is not in the cache of datasets, and {why}"
        ) from error
    except Exception as error:
        raise DataError(f"cannot read {source}: {in_one_line(error)[:500]}") from error


@contextmanager
def _quietly(offline: bool) -> Iterator[None]:
    """Silences `datasets` and, offline, keeps it from asking the hub, for which it has no argument."""
    import logging

    import datasets
    import huggingface_hub.constants
    from datasets.utils import logging as datasets_logging

    places = [datasets.config, huggingface_hub.constants]
    before = [place.HF_HUB_OFFLINE for place in places]
    verbosity = datasets_logging.get_verbosity()
    shows_progress = datasets.are_progress_bars_disabled() is False
    try:
        datasets_logging.set_verbosity(logging.CRITICAL)  # what it logs is raised too
        datasets.disable_progress_bars()
        for place in places:
            place.HF_HUB_OFFLINE = place.HF_HUB_OFFLINE or offline
        yield
    finally:
        for place, value in zip(places, before, strict=True):
            place.HF_HUB_OFFLINE = value
        datasets_logging.set_verbosity(verbosity)
        if shows_progress:
            datasets.enable_progress_bars()
