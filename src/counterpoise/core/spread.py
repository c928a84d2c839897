"""The same work on many items: one after another, in processes, or on a Ray cluster. Results come in order."""

from __future__ import annotations

import logging
import multiprocessing
import os
import pickle
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any, Literal, TypeVar, get_args

from counterpoise.core.errors import CounterpoiseError, InputError, in_one_line, unknown
from counterpoise.core.ray_cluster import connected, why_given_up

Engine = Literal["local", "ray"]
ATTEMPTS = 3  # of work whose worker or node dies: it will kill the next one too
_BLOCKS = 2000  # at most so many tasks on Ray; with more items a task has several
Item = TypeVar("Item")
Value = TypeVar("Value")


def spread(
    work: Callable[[Item], Value],
    items: Sequence[Item],
    *,
    engine: str = "local",
    processes: int = 1,
    address: str | None = None,
) -> Iterator[Value]:
    """What the work makes of each item. It must be a function of a module, or a partial of one, so that it can travel.

    On Ray a worker or node that dies is survived: its item is done again elsewhere. All nodes must see the same files.

    >>> list(spread(abs, [-1, 2]))
    [1, 2]
    """
    if engine not in get_args(Engine):
        raise unknown("engine", engine, get_args(Engine))
    if engine == "ray":
        return _on_ray(work, items, address, None if processes == 1 else processes)
    if address is not None:
        raise InputError("--address is that of a Ray cluster; add --engine ray")
    processes = min(processes, len(items))
    return map(work, items) if processes <= 1 else _in_processes(work, items, processes)


def _in_processes(work: Callable[[Item], Value], items: Sequence[Item], processes: int) -> Iterator[Value]:
    context = multiprocessing.get_context("spawn")  # fork is unsafe beside threads, e.g. of a progress bar
    with ProcessPoolExecutor(processes, context, _begin_worker) as pool:
        try:
            yield from pool.map(work, items)
        except BrokenProcessPool as error:
            raise CounterpoiseError(
                "a worker process died: out of memory, or it was started by a script whose main part is not under "
                '`if __name__ == "__main__":`'
            ) from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _begin_worker() -> None:
    """Bars are for the process that started this one, and so is what is said after Ctrl-C."""
    os.environ["COUNTERPOISE_PROGRESS"] = "0"
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(128 + number))


def _on_ray(
    work: Callable[[Item], Value], items: Sequence[Item], address: str | None, cpus: int | None
) -> Iterator[Value]:
    """By Ray Data: a task for each item. Items and results travel pickled: Arrow would make lists of tuples."""
    if not items:
        return
    with connected(address, cpus) as ray:
        from ray import data

        pickled = [{"item": pickle.dumps(item)} for item in items]
        listed = data.from_items(pickled, override_num_blocks=min(len(items), _BLOCKS))
        with warnings.catch_warnings():
            # Up to Ray 2.63 attempts can be limited so; without that, an item that kills its worker is tried for ever.
            warnings.simplefilter("ignore", DeprecationWarning)
            spreading = listed.map(partial(_on_worker, work), num_cpus=1, max_retries=ATTEMPTS - 1)
        spreading.context.execution_options.preserve_order = True
        spreading.context.enable_progress_bars = False
        logging.getLogger("ray.data").setLevel(logging.CRITICAL)  # what goes wrong is said by the error
        try:
            for result in _results(ray, spreading):
                error, value = pickle.loads(result)
                if error is not None:
                    raise error
                yield value
        except ray.exceptions.RayError as failure:
            raise CounterpoiseError(f"on the Ray cluster {why_given_up(failure, ATTEMPTS)}") from failure


def _results(ray: Any, spreading: Any) -> Iterator[bytes]:
    """Not by rows: Ray reads those in threads that may outlive the cluster, and start another."""
    from ray.data.block import BlockAccessor

    for bundle in spreading.iter_internal_ref_bundles():
        for block in ray.get(bundle.block_refs):
            yield from BlockAccessor.for_block(block).to_arrow()["result"].to_pylist()


def _on_worker(work: Callable[[Any], Any], row: dict[str, Any]) -> dict[str, Any]:
    """The error or the value: Ray would make a whole page of an error that is meant as one line."""
    os.environ["COUNTERPOISE_PROGRESS"] = "0"
    error, value = None, None
    try:
        value = work(pickle.loads(row["item"]))
    except CounterpoiseError as raised:
        error = CounterpoiseError(str(raised))
    except Exception as raised:
        error = CounterpoiseError(in_one_line(raised))
    return {"result": pickle.dumps((error, value))}
