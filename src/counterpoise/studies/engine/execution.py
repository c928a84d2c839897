"""Carrying out one cell in a worker, on this machine or another.

A cell is computed in a temporary folder that is renamed once it is complete: a worker that is killed leaves nothing
that could be mistaken for a result. The folder holds

    cell.json       what the cell is, what it returned, how long it took
    files/          the files that its function wrote
    log.txt         what it printed
    missing.json    in place of cell.json where there is no result: why, with traceback.txt
    dropped.json    beside cell.json where its weights were deleted (weights.py)
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import shutil
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Protocol

from counterpoise.core.errors import CounterpoiseError, InputError, in_one_line
from counterpoise.core.files import read_json, write_json, write_text
from counterpoise.studies.engine.cells import Cell, FinishedCell, LeftOut

EndState = Literal["done", "failed", "left out", "disk full"]

DROPPED = "dropped.json"
_FULL_BELOW = 1 << 16  # free bytes: a disk with less counts as full


@dataclass(frozen=True)
class Task:
    """A cell as it is sent to a worker. `place` is where its folder will be, `needs` are those of needed cells."""

    key: str
    run: str
    step: str
    factors: Mapping[str, Any]
    settings: Mapping[str, Any]
    needs: Mapping[str, tuple[Path, ...]]
    place: Path
    modules: Path | None = None  # where its function is looked for first
    cpus: float = 1
    gpus: float = 0


@dataclass(frozen=True)
class Outcome:
    """What became of a cell; `reason` is one line."""

    key: str
    state: EndState
    reason: str = ""
    seconds: float = 0.0


class Engine(Protocol):
    """Where cells run. `submit` any number of them; `wait` returns those that have ended since."""

    workers: int

    def submit(self, task: Task) -> None: ...

    def wait(self, seconds: float) -> list[Outcome]: ...

    def running(self) -> int:
        """How many are running now, not merely queued."""
        ...

    def __enter__(self) -> Engine: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def carry_out(task: Task, threads: int = 1) -> Outcome:
    """Runs the cell's function and keeps its result and files; every error in it becomes an outcome."""
    start = time.perf_counter()
    if _is_whole(task.place):  # by a worker that was believed dead
        return Outcome(task.key, "done")
    aside = None
    try:
        task.place.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(dir=task.place.parent, prefix=f".{task.key[:12]}.", suffix=".part"))
        aside.chmod(0o755)  # mkdtemp makes folders private
        (aside / "files").mkdir()
        result = _run(task, aside, threads)
        seconds = time.perf_counter() - start
        record = {
            "key": task.key,
            "step": task.step,
            "factors": dict(task.factors),
            "result": result,
            "seconds": round(seconds, 3),
            "finished": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
            "host": socket.gethostname(),
        }
        write_json(aside / "cell.json", record)
        _settle(aside, task.place)
        return Outcome(task.key, "done", seconds=seconds)
    except Exception as error:
        seconds = time.perf_counter() - start
        reason = " ".join(str(error).split()) or type(error).__name__
        if is_disk_full(error, task.place.parent):
            return Outcome(task.key, "disk full", reason, seconds)
        if not isinstance(
            error, CounterpoiseError
        ):  # ours say all that is needed; of others the kind matters
            reason = f"{type(error).__name__}: {reason}"
        outcome = Outcome(task.key, "left out" if isinstance(error, LeftOut) else "failed", reason, seconds)
        with contextlib.suppress(OSError, CounterpoiseError):  # the runner tells the reason all the same
            keep_reason(task, outcome, traceback.format_exc(), aside)
        return outcome
    finally:
        if aside is not None:
            shutil.rmtree(aside, ignore_errors=True)


def keep_reason(task: Task, outcome: Outcome, trace: str, aside: Path | None = None) -> None:
    """Writes the reason, the traceback and the log into the folder of a cell without a result."""
    task.place.mkdir(parents=True, exist_ok=True)
    if aside is not None and (aside / "log.txt").exists():
        (aside / "log.txt").replace(task.place / "log.txt")
    write_text(task.place / "traceback.txt", trace)
    write_json(task.place / "missing.json", {"state": outcome.state, "reason": outcome.reason})


def read_finished(place: Path) -> FinishedCell:
    """A finished cell, read back."""
    record = read_json(place / "cell.json")
    return FinishedCell(record["factors"], record["result"], place / "files")


def is_dropped(place: Path) -> bool:
    """Whether a finished cell is without its weights, wholly or, after an interruption, partly."""
    return (place / DROPPED).is_file()


def _is_whole(place: Path) -> bool:
    """Whether a cell is finished with all its files."""
    return (place / "cell.json").is_file() and not is_dropped(place)


def find_function(name: str, modules: Path | None) -> Callable[..., Any]:
    """The function that a study names as module:function; its module may be next to the study's file."""
    module_name, _, function_name = name.partition(":")
    if modules is not None:
        _look_first_in(modules, module_name)
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise InputError(f"the function {name} cannot be found: {error}") from error
    except Exception as error:  # a module of the user's may raise anything
        raise InputError(
            f"the module {module_name} cannot be read: {in_one_line(error)}{_where(error)}"
        ) from error
    function = getattr(module, function_name, None)
    if not callable(function):
        raise InputError(f"the module {module_name} has no function {function_name!r}")
    return function  # type: ignore[no-any-return]


def _look_first_in(folder: Path, module_name: str) -> None:
    """Lets a folder's own module win over one of the same name that another study of this process has loaded."""
    sys.path[:] = [str(folder), *(place for place in sys.path if place != str(folder))]
    package = module_name.partition(".")[0]
    own = [place for place in (folder / f"{package}.py", folder / package / "__init__.py") if place.is_file()]
    loaded = getattr(sys.modules.get(package), "__file__", None)
    if own and loaded is not None and Path(loaded).resolve() != own[0].resolve():
        for name in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
            del sys.modules[name]
        importlib.invalidate_caches()


def _where(error: BaseException) -> str:
    """The line that raised an error."""
    trace = traceback.extract_tb(error.__traceback__)
    return f" ({Path(trace[-1].filename).name}, line {trace[-1].lineno})" if trace else ""


def is_disk_full(error: BaseException | None, folder: Path) -> bool:
    """Whether an error comes from a full disk: by its number, by a library's message, or by the space that is left.

    >>> is_disk_full(OSError(28, "No space left on device"), Path(".")), is_disk_full(ValueError("28"), Path("."))
    (True, False)
    """
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        if "No space left on device" in str(error):
            return True
        error = error.__cause__ or error.__context__
    with contextlib.suppress(OSError):  # numpy and torch only say that less was written than they wanted
        return shutil.disk_usage(folder).free < _FULL_BELOW
    return False


def _run(task: Task, aside: Path, threads: int) -> dict[str, Any]:
    with _printing_to(aside / "log.txt"):
        _use_threads(threads)
        needs = {step: [read_finished(place) for place in places] for step, places in task.needs.items()}
        cell = Cell(
            task.step, task.factors, task.settings, aside / "files", needs, study_folder=task.place.parents[2]
        )
        result = find_function(task.run, task.modules)(cell)
    if not isinstance(result, Mapping):
        raise InputError(f"{task.run} returned {type(result).__name__}, not a mapping")
    for row in result_rows(result):
        for name, value in {"step": task.step, **task.factors}.items():
            if name in row and row[name] != value:
                raise InputError(
                    f"{task.run} returned {name}={row[name]!r}, and in its rows {name} is {value!r}; call it otherwise"
                )
    return dict(result)


def result_rows(result: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The rows of the table that a cell returned.

    >>> result_rows({"rows": [{"a": 1}, {"a": 2}], "note": "kept, and in no row"})
    [{'a': 1}, {'a': 2}]
    """
    rows = result.get("rows", [result])
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise InputError("a cell's rows must be a list of mappings")
    return rows


def _settle(aside: Path, place: Path) -> None:
    """Moves the folder to its place, over whatever an earlier failure left there."""
    if _is_whole(place):
        return
    for path in (aside / "files").rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())  # a power cut after the renaming must not leave empty files
    (place / "cell.json").unlink(missing_ok=True)  # first: a cell without its weights must not look whole
    shutil.rmtree(place, ignore_errors=True)
    try:
        aside.rename(place)
    except OSError:  # another was quicker, whose node had been believed dead
        if not _is_whole(place):
            raise


def _use_threads(threads: int) -> None:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(threads)  # for libraries that are not loaded yet
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(threads)


@contextlib.contextmanager
def _printing_to(path: Path) -> Iterator[None]:
    """Redirects all output to a file, also that of native libraries: it would break up the live table."""
    with path.open("w", buffering=1, encoding="utf-8") as log:
        saved = [os.dup(number) for number in (1, 2)]
        try:
            for number in (1, 2):
                os.dup2(log.fileno(), number)
            with contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
                yield
        finally:
            for number, old in zip((1, 2), saved, strict=True):
                os.dup2(old, number)
                os.close(old)
