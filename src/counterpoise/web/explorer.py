"""What the pages and the API share: the folder, the tables, the models, and the threads that do the work.

Whatever takes time is done outside the thread that answers requests: probes in the thread of their model; swaps,
tables, and reports and comparisons, which take seconds, in thread pools of their own.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from typing import Any, Literal, TypeVar

from cachetools import LRUCache

from counterpoise.audit.compare import Comparison, compare_runs
from counterpoise.core.errors import CounterpoiseError, InputError, RunError
from counterpoise.models.loading import BUILTIN
from counterpoise.report.compare_page import render_comparison
from counterpoise.text.edits import Edit, apply
from counterpoise.text.gendered_versions import GenderedVersions, gendered_versions
from counterpoise.text.swap import Swapper, Target
from counterpoise.web.abortable import in_pool
from counterpoise.web.folder import RunFolder
from counterpoise.web.item_views import ItemView, item_view
from counterpoise.web.kinds.audits import AUDIT
from counterpoise.web.kinds.base import name_of_model, one_line
from counterpoise.web.kinds.registry import KINDS
from counterpoise.web.limits import COMPARED, SENTENCE, SWAP, Limits
from counterpoise.web.probing import Probe, ProbeInput
from counterpoise.web.tables import TableCache, TablePage, TableQuery, select
from counterpoise.web.workers import Loader, WorkerPool, load_to_probe

Terms = Literal["all", "pro", "weat", "german"]
T = TypeVar("T")

_FOLDERS = re.compile(r"(?<![\w.:/~-])/(?:[^/\s'\"]+/)+")  # that lead to a file or folder, from the root
_CACHED_PAGES = 8  # reports and comparisons
_POOLS = {"quick": 4, "tables": 3, "slow": 2}  # threads


@dataclass(frozen=True)
class Swapped:
    """A text, its swapped version, and the edits between them."""

    text: str
    swapped: str
    edits: tuple[Edit, ...]


class Explorer:
    """Everything that the explorer serves: runs, tables, comparisons, probes and swaps."""

    def __init__(
        self,
        root: str | Path,
        models: Sequence[str] = (),
        *,
        device: str = "auto",
        offline: bool = True,
        further: Mapping[str, Any] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.folder = RunFolder(root)
        self.tables = TableCache(self.limits.tables)
        self._given = list(dict.fromkeys([BUILTIN, *models]))
        self._offline = offline
        self._device = device
        self._further = further or {}  # other options of `counterpoise.load`, of the models that were given
        self._workers = WorkerPool(self.limits)
        self._pools = {name: ThreadPoolExecutor(size, name) for name, size in _POOLS.items()}
        self._cache: LRUCache[Hashable, Any] = LRUCache(_CACHED_PAGES)
        self._lock = threading.Lock()

    def close(self) -> None:
        self._workers.close()
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)

    async def quick(self, work: Callable[..., T], *arguments: Any) -> T:
        """Does work that takes a moment."""
        return await in_pool(self._pools["quick"], work, *arguments)

    async def slow(self, work: Callable[..., T], *arguments: Any) -> T:
        """Does work that takes seconds; only a few at a time, so that the rest goes on."""
        return await in_pool(self._pools["slow"], work, *arguments)

    # Runs

    async def items(self, run_id: str, name: str, query: TableQuery) -> TablePage:
        """A page of a table of a run, such as the items of a measure, with all columns."""

        def work() -> TablePage:
            return select(self.tables.read(self.folder.table(run_id, name)), query)

        return await in_pool(self._pools["tables"], work)

    async def compared_items(self, run_id: str, name: str, query: TableQuery) -> tuple[ItemView, TablePage]:
        """A page of the items of a measure as a reader sees them: texts, both versions, and the difference."""

        def work() -> tuple[ItemView, TablePage]:
            view = self._item_view(run_id, name)
            return view, select(view.table, query)

        return await in_pool(self._pools["tables"], work)

    def _item_view(self, run_id: str, name: str) -> ItemView:
        path = self.folder.table(run_id, name)
        stat = path.stat()

        def work() -> ItemView:
            items = self.tables.read(path)
            if self.folder.entry(run_id).kind != AUDIT.name:
                return ItemView(items)
            results = {result.measure: result for result in self.folder.summaries(run_id)[1]}
            return item_view(items, results[name])

        return self._cached(("items", path, stat.st_mtime_ns, stat.st_size), work)

    def report(self, run_id: str) -> str | None:
        """The page that came with a run, or a new one if there is none or the run was continued since.

        None for a run that has nothing but tables, such as a study of one's own.
        """
        page = self.folder.page(run_id)
        entry = self.folder.entry(run_id)
        render = KINDS[entry.kind].render
        if page is not None or render is None:
            return page
        try:
            return self._cached(
                ("report", run_id, (entry.folder / KINDS[entry.kind].marker).stat().st_mtime_ns),
                lambda: render(self.folder.files, entry.folder),
            )
        except CounterpoiseError:
            if entry.tables and entry.kind != AUDIT.name:
                return None
            raise
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise RunError(f"the page of {entry.path} cannot be made ({type(error).__name__})") from error

    def comparison(self, run_ids: Sequence[str]) -> Comparison:
        """Runs side by side."""
        if not 2 <= len(set(run_ids)) == len(run_ids) <= COMPARED:
            raise InputError(f"choose two to {COMPARED} different runs to compare")
        key = "comparison", tuple((run_id, self.folder.stamp(run_id)) for run_id in run_ids)
        return self._cached(key, lambda: compare_runs([self.folder.open(run_id) for run_id in run_ids]))

    def comparison_page(self, run_ids: Sequence[str]) -> str:
        """The page that shows runs side by side."""
        comparison = self.comparison(run_ids)
        key = "page", tuple((run_id, self.folder.stamp(run_id)) for run_id in run_ids)
        return self._cached(key, lambda: render_comparison(comparison))

    def _cached(self, key: Hashable, work: Callable[[], T]) -> T:
        """The cached result of the work; done outside the lock, so that it holds nobody up."""
        with self._lock:
            if key in self._cache:
                cached: T = self._cache[key]
                return cached
        result = work()
        with self._lock:
            self._cache[key] = result
        return result

    # Words

    def models(self) -> dict[str, Loader]:
        """The models that may be probed: those given, and those of runs if they are in the folder or the local cache.

        The model that a run names is not trusted: the run may come from someone else, and must not make this server
        read other folders or use the network.
        """
        of_runs = dict.fromkeys(entry.model for entry in self.folder.entries() if entry.model)
        at_hand = [name for name in of_runs if name not in self._given and self._is_at_hand(name)]
        allowed: dict[str, Loader] = {}
        for name in [*self._given, *at_hand]:
            is_given = name in self._given
            offline = self._offline or not is_given or name == BUILTIN
            label = _unused(name_of_model(name, self.folder.root), allowed)
            further = self._further if is_given and name != BUILTIN else {}
            allowed[label] = partial(load_to_probe, name, self._device, offline, is_given, further)
        return allowed

    def elsewhere(self) -> list[str]:
        """Models of runs that may not be probed."""
        of_runs = {entry.model for entry in self.folder.entries() if entry.model}
        missing = (name for name in of_runs - {*self._given} if not self._is_at_hand(name))
        return sorted({name_of_model(name, self.folder.root) for name in missing})

    def without_folders(self, text: str) -> str:
        """A message without the folders of this machine: neither the one served nor those of models."""
        for name in {*self._given, *(entry.model for entry in self.folder.entries())}:
            if Path(name).is_absolute():
                text = text.replace(name, name_of_model(name, self.folder.root))
        return self.folder.files.without_root(text)

    def error_line(self, text: str) -> str:
        """An error in one line, of absolute paths only their last part."""
        return one_line(_FOLDERS.sub("", self.without_folders(text)))

    def _is_at_hand(self, name: str) -> bool:
        from huggingface_hub import try_to_load_from_cache
        from huggingface_hub.errors import HFValidationError

        try:
            if Path(name).exists():
                return Path(name).resolve().is_relative_to(self.folder.root)
            return isinstance(try_to_load_from_cache(name, "config.json"), str)
        except (HFValidationError, OSError, ValueError):
            return False

    async def probe(
        self, text: str, models: Sequence[str], terms: Terms = "all", names: bool = False, fills: int = 5
    ) -> tuple[GenderedVersions, list[Probe]]:
        """Both versions of a sentence, and what each model makes of them."""
        check_text(text, SENTENCE)
        if not 1 <= len(models) <= 2:
            raise InputError("choose one model or two")
        allowed = await self.quick(self.models)
        swapper = _swapper(terms, names, False)
        versions = gendered_versions(swapper, text)
        asked = ProbeInput(versions, fills, neutral=swapper.swap(text, "remove"))
        waiting = [self._workers.ask(name, allowed, asked) for name in models]
        probes = await asyncio.gather(*map(asyncio.wrap_future, waiting))
        # A model's own name may be a folder of this machine.
        return versions, [replace(probe, model=name) for probe, name in zip(probes, models, strict=True)]

    def swap(
        self, text: str, to: Target, terms: Terms = "all", names: bool = False, guard: bool = False
    ) -> Swapped:
        """A text with its gendered words swapped."""
        check_text(text, SWAP)
        edits = _swapper(terms, names, guard).edits(text, to)
        return Swapped(text, apply(text, edits), tuple(edits))


def _unused(label: str, used: Collection[str]) -> str:
    """The label, numbered if there is one like it already.

    >>> _unused("model", {"model", "model (2)"})
    'model (3)'
    """
    numbered = (f"{label} ({n})" if n > 1 else label for n in count(1))
    return next(each for each in numbered if each not in used)


def check_text(text: str, max_length: int) -> str:
    """Refuses a text that is empty or too long.

    >>> check_text(" ", 10)
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: the text is empty
    """
    if not text.strip():
        raise InputError("the text is empty")
    if len(text) > max_length:
        raise InputError(f"the text has {len(text):,} characters, and {max_length:,} are the most")
    return text


@lru_cache(maxsize=32)
def _swapper(terms: Terms, names: bool, guard: bool) -> Swapper:
    return Swapper(terms, names, guard=guard)
