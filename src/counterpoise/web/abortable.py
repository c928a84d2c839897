"""Work in a thread that ends when nobody waits for it any more.

A thread cannot be killed, but Python can raise an exception in it, at its next step of Python code. A long call of
compiled code is ended only when it returns; what such a call may be given is bounded elsewhere (`limits.py`).
"""

from __future__ import annotations

import asyncio
import ctypes
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class GivenUp(BaseException):
    """Nobody waits for the work any more; no `except Exception` stops this."""


class Abortable(Generic[T]):
    """A piece of work that can be given up while a thread is at it."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._thread: int | None = None  # that is at work

    def __call__(self) -> T:
        with self._lock:
            self._thread = threading.get_ident()
        try:
            return self._work()
        finally:
            self._end()

    def give_up(self) -> None:
        """Ends the work at the thread's next step, if one is at it."""
        with self._lock:
            if self._thread is not None:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._thread), ctypes.py_object(GivenUp)
                )

    def _end(self) -> None:
        with self._lock:
            self._thread = None
        for _ in range(2):  # steps at which an exception that is on its way arrives here and not later
            pass


async def in_pool(pool: ThreadPoolExecutor, work: Callable[..., T], *arguments: Any) -> T:
    """Does the work in a thread of the pool; it is given up when the request is."""
    task = Abortable(lambda: work(*arguments))
    try:
        return await asyncio.get_running_loop().run_in_executor(pool, task)
    except asyncio.CancelledError:
        task.give_up()
        raise
