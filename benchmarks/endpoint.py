"""What an audit adds to the time of the server that it asks.

    python benchmarks/endpoint.py model.gguf          llama.cpp's server (the package xllamacpp), on one thread

Baseline: the same requests, as many at once as an audit has by default, their answers received and not looked at.
Ours: `ppd` through `Endpoint`, from the templates to the summary, with every answer checked and kept on disk. On a
machine that does other things meanwhile the difference of the two is mostly noise; the processor time of ours is not.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import httpx
import timing

import counterpoise as cp
from counterpoise.core.addresses import CONCURRENCY
from counterpoise.core.cache import ScoreCache
from counterpoise.measures.base.sampling import limited
from counterpoise.models.endpoints.asking import Planned
from counterpoise.models.endpoints.endpoint import Endpoint
from counterpoise.models.endpoints.questions import EndpointQuestion

_TOP = 100  # next tokens; no question depends on the answer to another
_SERVER = """
import sys, xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path, parameters.model_alias = sys.argv[1], {"model"}
parameters.n_ctx, parameters.n_parallel, parameters.port, parameters.verbosity = 2048, 1, 0, 0
parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


def planned(endpoint: Endpoint) -> list[EndpointQuestion]:
    """What ppd asks."""
    endpoint.asker.planning = True
    try:
        cp.measures.ppd(endpoint)
    except Planned as plan:
        return list(dict.fromkeys(plan.questions))
    finally:
        endpoint.asker.planning = False
    raise AssertionError("ppd asks nothing")


def send(url: str, questions: list[EndpointQuestion]) -> None:
    with httpx.Client(timeout=60) as client, ThreadPoolExecutor(CONCURRENCY) as pool:

        def ask(question: EndpointQuestion) -> None:
            client.post(url + question.path, json=question.request("model")).raise_for_status()

        list(pool.map(ask, questions))


def audit(endpoint: Endpoint, cpu_seconds: list[float]) -> None:
    begun = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        endpoint.cache = ScoreCache(Path(folder) / "scores.sqlite")
        cp.measures.ppd(endpoint)
    cpu_seconds.append(time.process_time() - begun)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--items", type=int, default=None, help="a sample; all of ppd if not given")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    os.environ["COUNTERPOISE_PROGRESS"] = "0"
    cpu_seconds: list[float] = []
    command = [sys.executable, "-c", _SERVER, str(options.model)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = f"{process.stdout.readline().strip()}/v1"
        endpoint = Endpoint.open(url, "model")
        endpoint.capabilities = replace(endpoint.capabilities, top=_TOP)
        with limited(options.items):
            questions = planned(endpoint)
            seconds = timing.interleaved(
                {"server": lambda: send(url, questions), "audit": lambda: audit(endpoint, cpu_seconds)},
                options.repeats,
            )
        process.kill()
    overheads = [
        100 * (ours / own - 1) for own, ours in zip(seconds["server"], seconds["audit"], strict=True)
    ]
    print(f"{len(questions)} requests: {statistics.median(seconds['server']):.1f} s for the requests alone")
    print(
        f"an audit adds {statistics.median(overheads):.1f} % "
        f"(range {min(overheads):.1f} to {max(overheads):.1f}); bar: 10 %"
    )
    cpu = statistics.median(cpu_seconds)
    share = 100 * cpu / statistics.median(seconds["server"])
    print(
        f"its own processor time, sending and receiving included: {cpu:.1f} s, {share:.1f} % of the requests' time"
    )


if __name__ == "__main__":
    main()
