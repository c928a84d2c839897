"""The explorer as a real server on this machine, over a folder with all sorts of runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import uvicorn

import runs
from counterpoise.measures.base.skipped import skipped_table
from counterpoise.web.app import make_app
from counterpoise.web.explorer import Explorer
from counterpoise.web.server import server_config

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>"
LARGE = 100_000


@contextmanager
def serving(explorer: Explorer) -> Iterator[str]:
    """Serves in a thread and yields the address."""
    config = server_config(make_app(explorer), explorer.limits, port=0, log_level="error", lifespan="on")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    [listening] = server.servers[0].sockets
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)


def make_runs(folder: Path) -> Path:
    """Two runs to compare, one of 100,000 items, one with what a person with bad intentions would write, and damaged
    ones: a manifest cut short, a file of items that is none, and items that lead out of the folder."""
    runs.save_run(folder / "before", runs.word_result("before", lean=1.5))
    runs.save_run(folder / "deep" / "after", runs.word_result("after", lean=0.3, seed=1))
    runs.save_run(folder / "large", large_result())
    evil = runs.word_result(f"model {EVIL}", seed=2)
    evil = replace(
        evil,
        items=evil.items.assign(text=EVIL + evil.items.text),
        skipped=skipped_table([EVIL], [EVIL]),
        warnings=(EVIL,),
        citation=EVIL,
    )
    runs.save_run(folder / "evil", evil, left_out={EVIL: EVIL})
    runs.save_run(folder / "cut", runs.word_result("cut"))
    manifest = folder / "cut" / "manifest.json"
    manifest.write_text(manifest.read_text()[:200])
    runs.save_run(folder / "garbled", runs.word_result("garbled"))
    (folder / "garbled" / "scores" / "own.parquet").write_bytes(b"no parquet")
    secret = folder.parent / "secret"
    runs.save_run(secret, runs.word_result("secret"))
    runs.save_run(folder / "leading-out", runs.word_result("out"))
    out = folder / "leading-out" / "scores" / "own.parquet"
    out.unlink()
    out.symlink_to(secret / "scores" / "own.parquet")
    (folder / "linked").symlink_to(secret)
    return folder


def large_result() -> object:
    """A measure with 100,000 items, whose numbers are a permutation of 0 to 99,999."""
    result = runs.word_result("large", measure="many")
    numbers = np.random.default_rng(0).permutation(LARGE)
    items = pd.DataFrame(
        {
            "text": [f"[MASK] is number {n} of all." for n in numbers],
            "word": [f"word{n % 997}" for n in numbers],
            "own": numbers.astype(float),
        }
    )
    return replace(result, items=items)
