"""What the pages and the API share: the folder, the tables, the models, and the threads that do the work.

Whatever takes time is done outside of the thread that answers requests: in pools of their own for swaps, for
tables, and for reports and comparisons, which take seconds; and in the thread of a model.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal, TypeVar

from counterpoise.audit.compare import Comparison, compare_runs
from counterpoise.core.errors import InputError
from counterpoise.models.loading import BUILTIN
from counterpoise.report.compare_page import render_comparison
from counterpoise.report.html import render
from counterpoise.text.edits import Edit, apply
from counterpoise.text.gendered_versions import GenderedVersions, gendered_versions
from counterpoise.text.swap import Swapper, Target
from counterpoise.web.folder import RunFolder
from counterpoise.web.limits import COMPARED, SENTENCE, SWAP, Limits
from counterpoise.web.probing import Probe, Wanted
from counterpoise.web.tables import Page, Query, Tables, select
from counterpoise.web.workers import Loader, Models, language_model

Terms = Literal["all", "pro", "weat", "german"]
T = TypeVar("T")

_KEPT = 8  # pages and comparisons in memory
_POOLS = {"quick": 4, "tables": 3, "slow": 2}  # threads


@dataclass(frozen=True)
class Swapped:
    """A text, its swap, and what was changed."""

    text: str
    swapped: str
    edits: tuple[Edit, ...]


class Explorer:
    """The server behind its pages."""

    def __init__(
        self,
        root: str | Path,
        models: Sequence[str] = (),
        *,
        device: str = "auto",
        offline: bool = True,
        limits: Limits | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.folder = RunFolder(root)
        self.tables = Tables(self.limits.tables)
        self._given = {
            name: partial(language_model, name, device, offline or name == BUILTIN)
            for name in dict.fromkeys([BUILTIN, *models])
        }
        self._device = device
        self._models = Models(self.limits)
        self._pools = {name: ThreadPoolExecutor(size, name) for name, size in _POOLS.items()}
        self._kept: dict[Hashable, Any] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        self._models.close()
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)

    async def quick(self, work: Callable[..., T], *arguments: Any) -> T:
        """Work of a moment."""
        return await asyncio.get_running_loop().run_in_executor(self._pools["quick"], work, *arguments)

    async def slow(self, work: Callable[..., T], *arguments: Any) -> T:
        """Work of seconds; a few at a time, so that the rest goes on."""
        return await asyncio.get_running_loop().run_in_executor(self._pools["slow"], work, *arguments)

    # Runs

    async def items(self, id: str, measure: str, query: Query) -> Page:
        """A page of the items of a measure."""

        def work() -> Page:
            return select(self.tables.read(self.folder.scores(id, measure)), query)

        return await asyncio.get_running_loop().run_in_executor(self._pools["tables"], work)

    def report(self, id: str) -> str:
        """The page that came with a run, or a new one where there is none or the run has gone on since."""
        entry = self.folder.entry(id)
        path = entry.folder / "report.html"
        if path.exists() and path.stat().st_mtime >= (entry.folder / "manifest.json").stat().st_mtime:
            return self.folder.inside(path).read_text(encoding="utf-8", errors="replace")
        return self._once(("report", id, self.folder.stamp(id)), lambda: render(self.folder.open(id)[0]))

    def comparison(self, ids: Sequence[str]) -> Comparison:
        if not 2 <= len(set(ids)) == len(ids) <= COMPARED:
            raise InputError(f"choose two to {COMPARED} different runs to compare")
        key = "comparison", tuple((id, self.folder.stamp(id)) for id in ids)
        return self._once(key, lambda: compare_runs([self.folder.open(id) for id in ids]))

    def comparison_page(self, ids: Sequence[str]) -> str:
        found = self.comparison(ids)
        key = "page", tuple((id, self.folder.stamp(id)) for id in ids)
        return self._once(key, lambda: render_comparison(found))

    def _once(self, key: Hashable, work: Callable[[], T]) -> T:
        """What the work gave last time, if that is still kept."""
        with self._lock:
            if key in self._kept:
                self._kept[key] = self._kept.pop(key)
                found: T = self._kept[key]
                return found
        made = work()
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > _KEPT:
                del self._kept[next(iter(self._kept))]
        return made

    # Words

    def models(self) -> dict[str, Loader]:
        """The models that may be probed: those given, and those of runs if they are in the folder or the local cache.

        What a run calls its model is not to be trusted: it may come from elsewhere, and must not make this server
        read other folders or ask the network.
        """
        allowed: dict[str, Loader] = dict(self._given)
        for entry in self.folder.entries():
            if entry.model and entry.model not in allowed and self._is_at_hand(entry.model):
                allowed[entry.model] = partial(language_model, entry.model, self._device, True)
        return allowed

    def elsewhere(self) -> list[str]:
        """Models of runs that may not be probed."""
        allowed = self.models()
        return sorted({entry.model for entry in self.folder.entries() if entry.model} - allowed.keys())

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
        """Both versions of a sentence and what each model makes of them."""
        check_text(text, SENTENCE)
        if not 1 <= len(models) <= 2:
            raise InputError("choose one model or two")
        allowed = await self.quick(self.models)
        both = gendered_versions(_swapper(terms, names, False), text)
        waiting = [self._models.ask(name, allowed, Wanted(both, fills)) for name in models]
        return both, await asyncio.gather(*map(asyncio.wrap_future, waiting))

    def swap(
        self, text: str, to: Target, terms: Terms = "all", names: bool = False, guard: bool = False
    ) -> Swapped:
        check_text(text, SWAP)
        edits = _swapper(terms, names, guard).edits(text, to)
        return Swapped(text, apply(text, edits), tuple(edits))


def check_text(text: str, most: int) -> str:
    """Refuses a text that is empty or too long.

    >>> check_text(" ", 10)
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: the text is empty
    """
    if not text.strip():
        raise InputError("the text is empty")
    if len(text) > most:
        raise InputError(f"the text has {len(text):,} characters, and {most:,} are the most")
    return text


@lru_cache(maxsize=32)
def _swapper(terms: Terms, names: bool, guard: bool) -> Swapper:
    return Swapper(terms, names, guard=guard)
