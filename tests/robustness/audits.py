"""Audits and other commands in processes that are forked from one with everything imported and no threads: killing many
takes seconds.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any


class Audits:
    """Starts audits of a model, or any commands, all with one cache, and says how they ended."""

    def __init__(self, **options: Path) -> None:
        paths = [str(Path(__file__).parents[1]), *sys.path]
        self._program = subprocess.Popen(
            [sys.executable, "-m", "robustness.audits"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
        )
        self._options = {name: str(path) for name, path in options.items()}

    def begin(self, out: Path, limit: int | None = None) -> int:
        """Starts an audit, whose files cannot grow beyond a limit; returns the id of its process."""
        return self._asked({**self._options, "out": str(out), "limit": limit})

    def begin_command(self, arguments: list[object]) -> int:
        """Starts a command; returns the id of its process."""
        asked = {"arguments": [str(part) for part in arguments], "cache": self._options["cache"]}
        return self._asked(asked)

    def end(self, process: int) -> int:
        """Waits for an audit and returns its exit code."""
        return self._asked(process)

    def close(self) -> None:
        self._program.communicate()

    def _asked(self, request: Any) -> int:
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        self._program.stdin.write(json.dumps(request) + "\n")
        self._program.stdin.flush()
        return int(self._program.stdout.readline())


def main() -> None:
    import pyarrow.parquet  # noqa: F401 (for the audits)
    import transformers.models.bert.modeling_bert  # noqa: F401

    import counterpoise.audit.auditing
    import counterpoise.measures.pairs.sld
    import counterpoise.models.masked  # noqa: F401
    from counterpoise.data.citations import all_citations

    all_citations()  # a fifth of a second, once instead of in every audit
    for line in sys.stdin:
        request = json.loads(line)
        if isinstance(request, int):
            print(os.waitstatus_to_exitcode(os.waitpid(request, 0)[1]), flush=True)
            continue
        if "arguments" in request:
            _import_commands()
        if process := os.fork():
            print(process, flush=True)
        elif "arguments" in request:
            _command(**request)
        else:
            _audit(**request)


def _import_commands() -> None:
    import counterpoise.corpus.counting.compare
    import counterpoise.report.corpus_page
    import counterpoise.report.corpus_terminal
    import counterpoise.tuning.classifier  # noqa: F401 (for the commands)


def _command(arguments: list[str], cache: str) -> None:
    from counterpoise.cli.main import run

    _be_silent()
    os.environ["COUNTERPOISE_CACHE"] = cache
    code = 70
    try:
        code = run(arguments)
    finally:
        os._exit(code)


def _be_silent() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def _audit(model: str, pairs: str, cache: str, out: str, limit: int | None) -> None:
    from counterpoise.audit.auditing import run_audit
    from counterpoise.audit.request import AuditRequest
    from counterpoise.core.errors import CounterpoiseError

    _be_silent()
    os.environ["COUNTERPOISE_CACHE"] = cache
    if limit is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    code = 70
    try:
        run_audit(AuditRequest.of(model=model, measures="sld", files={"pairs": pairs}, out=out))
        code = 0
    except (CounterpoiseError, OSError):  # either is one line on the command line
        code = 2
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
