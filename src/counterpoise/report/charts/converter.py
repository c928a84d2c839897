"""Draws charts in a child process, so that no chart can end an audit or the explorer.

vl-convert is compiled code that aborts the whole process on some inputs. One child is started with the first chart and
draws all that follow; when it dies or hangs, the next chart gets a new one.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import subprocess
import sys
import threading
import time
from functools import cache
from pathlib import Path
from typing import Any

from counterpoise.core.errors import CounterpoiseError

SECONDS = 60.0  # after which a chart is given up; ordinary ones take a tenth of a second
_ATTEMPTS = 2  # the child may have been killed for a reason that has nothing to do with the chart
_PROGRAM = Path(__file__).with_name("converter_process.py")
# What XML 1.0 does not allow in a document; vl-convert aborts on it.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class ChartError(CounterpoiseError):
    """A chart cannot be drawn."""


def convert(spec: dict[str, Any], format: str, **options: Any) -> bytes:
    """A Vega-Lite specification as a picture: svg, pdf or png."""
    return _converter(os.getpid()).convert(without_control_characters(spec), format, options)


def without_control_characters(value: Any) -> Any:
    """A specification in which every text can be part of an XML document; other characters become U+FFFD.

    >>> without_control_characters({"label": ["a\\x00b", 1.5]})
    {'label': ['a\ufffdb', 1.5]}
    """
    if isinstance(value, str):
        return _NOT_XML.sub("\ufffd", value)
    if isinstance(value, dict):
        return {
            without_control_characters(key): without_control_characters(item) for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [without_control_characters(item) for item in value]
    return value


class Converter:
    """The child process; one chart at a time, whichever thread asks for it."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        atexit.register(self.close)

    def convert(self, spec: dict[str, Any], format: str, options: dict[str, Any]) -> bytes:
        request = json.dumps({"format": format, "spec": spec, "options": options}).encode()
        with self._lock:
            answer = self._answer(request)
        status, content = answer
        if status != "drawn":
            raise ChartError(
                f"a chart cannot be drawn: {' '.join(content.decode(errors='replace').split())[:300]}"
            )
        return content

    def _answer(self, request: bytes) -> tuple[str, bytes]:
        for _ in range(_ATTEMPTS):
            child, began = self._running(), time.monotonic()
            watch = threading.Timer(self._seconds, child.kill)
            watch.start()
            try:
                answer = _ask(child, request)
            except BaseException:  # an answer that was not read to its end must not be taken for the next one
                self._end()
                raise
            finally:
                watch.cancel()
            if answer is not None:
                return answer
            self._end()
            if time.monotonic() - began >= self._seconds:
                raise ChartError(f"a chart cannot be drawn: it took longer than {self._seconds:g} seconds")
        raise ChartError(f"a chart cannot be drawn: the drawing process ended {_ATTEMPTS} times")

    def close(self) -> None:
        """Ends the child, unless this process is a fork of the one that started it."""
        if os.getpid() == self._owner:
            with self._lock:
                self._end()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self._end()
            self._child = subprocess.Popen(
                [sys.executable, "-I", str(_PROGRAM)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            assert self._child.stdin is not None
            self._child.stdin.write(json.dumps(sys.path).encode() + b"\n")
        return self._child

    def _end(self) -> None:
        if self._child is None:
            return
        child, self._child = self._child, None
        child.kill()
        child.communicate()  # closes the pipes and waits for the end


def _ask(child: subprocess.Popen[bytes], request: bytes) -> tuple[str, bytes] | None:
    """The status and the content of an answer; None if the child ended before it was complete."""
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        child.stdin.write(request + b"\n")
        child.stdin.flush()
        header = child.stdout.readline()
        if not header.endswith(b"\n"):
            return None
        answer = json.loads(header)
        content = child.stdout.read(answer["bytes"])
    except OSError:  # a broken pipe
        return None
    return (answer["status"], content) if len(content) == answer["bytes"] else None


@cache
def _converter(process_id: int) -> Converter:
    """The converter of this process: one that was inherited through a fork belongs to the parent."""
    return Converter()
