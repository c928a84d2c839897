"""A file through the swap, batch by batch and in several processes: memory stays flat whatever the file's
size.
"""

from __future__ import annotations

import contextlib
import csv
import json
import multiprocessing
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from counterpoise.core.errors import CounterpoiseError
from counterpoise.core.progress import progress
from counterpoise.io.record_types import Batch, Copy, RecordOptions
from counterpoise.io.records import make
from counterpoise.io.streams import STANDARD, reading, writing
from counterpoise.text.edits import Edit
from counterpoise.text.swap import Swapper
from counterpoise.text.versions import Method, coin, versions

_AHEAD = 3  # batches read ahead for each process


@dataclass
class SwapCounts:
    """What was done to a file."""

    documents: int = 0
    changed: int = 0
    words: int = 0
    edits: int = 0
    guarded: int = 0
    unsure: int = 0
    broken: int = 0
    changes: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, other: SwapCounts) -> None:
        for name in ("documents", "changed", "words", "edits", "guarded", "unsure", "broken"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.changes.update(other.changes)


@dataclass(frozen=True)
class Job:
    """What each process must know; the swapper itself is built there."""

    method: Method
    seed: int
    swapper: dict[str, Any]
    keep_edits: bool


@dataclass(frozen=True)
class SwappedBatch:
    copies: list[list[Copy]]
    counts: SwapCounts
    edits: list[tuple[int, str, Edit]]  # document, version, edit


def swap_file(
    job: Job,
    format_name: str,
    options: RecordOptions,
    out: str,
    edits_out: str | None = None,
    processes: int = 1,
) -> SwapCounts:
    """Swaps a file into another; the outputs appear whole or not at all."""
    total = SwapCounts()
    format_ = make(format_name, options)
    with contextlib.ExitStack() as stack:
        stream, beneath = stack.enter_context(reading(options.path))
        target = stack.enter_context(writing(out))
        log = stack.enter_context(_edit_log(edits_out)) if edits_out else None
        size = None if options.path == STANDARD else Path(options.path).stat().st_size
        advance = stack.enter_context(progress("swapping", size, unit="bytes"))
        read = 0
        for batch, swapped in _in_order(job, format_.read(stream), processes):
            format_.write(target, batch, swapped.copies)
            total.add(swapped.counts)
            if log:
                log(swapped.edits)
            if size is not None:
                now = beneath.tell()
                advance(now - read)
                read = now
        format_.finish(target)
    total.broken = options.broken
    return total


def swap_batch(job: Job, swapper: Swapper, first: int, texts: list[str]) -> SwappedBatch:
    """The versions of each text; `first` is the number of the first document, on which its coin depends."""
    counts = SwapCounts(documents=len(texts))
    copies: list[list[Copy]] = []
    log: list[tuple[int, str, Edit]] = []
    for number, text in enumerate(texts, start=first):
        versions_of_text = versions(swapper, text, job.method, coin(job.seed, number))
        copies.append([Copy(version.name, version.text) for version in versions_of_text])
        counts.changed += any(version.text != text for version in versions_of_text)
        counts.words += len(text.split())
        for version in versions_of_text:
            counts.guarded += version.guarded
            counts.unsure += version.unsure
            counts.edits += len(version.edits)
            counts.changes.update((edit.old.lower(), edit.new.lower()) for edit in version.edits)
            if job.keep_edits:
                log += [(number, version.name, edit) for edit in version.edits]
    return SwappedBatch(copies, counts, log)


_worker: tuple[Job, Swapper] | None = None


def _start_worker(job: Job) -> None:
    global _worker
    _worker = (job, Swapper(**job.swapper))


def _work(first: int, texts: list[str]) -> SwappedBatch:
    assert _worker is not None
    return swap_batch(*_worker, first, texts)


def _in_order(job: Job, batches: Iterable[Batch], processes: int) -> Iterator[tuple[Batch, SwappedBatch]]:
    """Batches with their results, in order; only a few are held at any time."""
    first = 0
    if processes == 1:
        swapper = Swapper(**job.swapper)
        for batch in batches:
            yield batch, swap_batch(job, swapper, first, batch.texts)
            first += len(batch.texts)
        return
    context = multiprocessing.get_context("spawn")  # fork is unsafe beside threads, e.g. of a progress bar
    waiting: deque[tuple[Batch, Future[SwappedBatch]]] = deque()
    with ProcessPoolExecutor(processes, context, _start_worker, (job,)) as pool:
        try:
            for batch in batches:
                waiting.append((batch, pool.submit(_work, first, batch.texts)))
                first += len(batch.texts)
                if len(waiting) > _AHEAD * processes:
                    ready, future = waiting.popleft()
                    yield ready, future.result()
            while waiting:
                ready, future = waiting.popleft()
                yield ready, future.result()
        except BrokenProcessPool as error:
            raise CounterpoiseError("a worker process died (out of memory?); try fewer with -j") from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


@contextlib.contextmanager
def _edit_log(path: str) -> Iterator[Callable[[list[tuple[int, str, Edit]]], None]]:
    """Writes edits as JSON lines or CSV, by the file's name."""
    names = ("document", "version", "start", "end", "old", "new")
    as_json = ".jsonl" in Path(path).name
    with writing(path) as stream:
        if not as_json:
            _write_csv(stream, [names])

        def log(edits: list[tuple[int, str, Edit]]) -> None:
            rows = [(document, version, *edit) for document, version, edit in edits]
            if as_json:
                for row in rows:
                    line = json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False)
                    stream.write(line.encode() + b"\n")
            else:
                _write_csv(stream, rows)

        yield log


def _write_csv(stream: IO[bytes], rows: Iterable[Iterable[Any]]) -> None:
    import io

    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    stream.write(buffer.getvalue().encode())
