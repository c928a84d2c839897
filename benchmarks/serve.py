"""100 people probe at the same moment: how long they wait, against answering them one at a time.

    python benchmarks/serve.py                    the built-in model

Both are the same server in a process of its own, asked over HTTP for 100 different sentences at once. The baseline
gives each probe a call of the model of its own, in the order in which they came; ours answers those that wait together.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import time

import httpx
import numpy as np
import timing

from counterpoise.web.limits import Limits

SENTENCES = [
    f"{person} told the {work} that {end}"
    for person in ("He", "She", "My father", "Her aunt", "The actress")
    for work in ("nurse", "engineer", "clerk", "doctor", "cook")
    for end in ("it was late.", "his car broke down.", "nobody came.", "she had won!")
]
_SERVER = """
import sys, tempfile, uvicorn
from counterpoise.web.app import make_app
from counterpoise.web.explorer import Explorer
from counterpoise.web.limits import Limits
explorer = Explorer(tempfile.mkdtemp(), device="cpu", limits=Limits(together=int(sys.argv[1]), seconds=600))
uvicorn.run(make_app(explorer), port=int(sys.argv[2]), log_level="error")
"""


async def waits(port: int, sentences: list[str]) -> np.ndarray:
    """Seconds until each of them has an answer."""
    limits = httpx.Limits(max_connections=len(sentences))
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=600, limits=limits) as client:

        async def ask(text: str) -> float:
            began = time.perf_counter()
            (await client.post("/api/probe", json={"text": text})).raise_for_status()
            return time.perf_counter() - began

        return np.array(await asyncio.gather(*map(ask, sentences)))


def start(together: int, port: int) -> subprocess.Popen[bytes]:
    """A server with its model loaded."""
    process = subprocess.Popen([sys.executable, "-c", _SERVER, str(together), str(port)])
    for _ in range(600):
        try:
            httpx.get(f"http://127.0.0.1:{port}/api/runs")
            break
        except httpx.ConnectError:
            time.sleep(0.1)
    asyncio.run(waits(port, ["He is here."]))
    return process


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--port", type=int, default=18321)
    options = parser.parse_args()
    ports = {"one at a time": options.port, "together": options.port + 1}
    servers = [start(1, ports["one at a time"]), start(Limits().together, ports["together"])]
    try:
        found: dict[str, list[np.ndarray]] = {name: [] for name in ports}
        for _ in range(options.repeats):  # in turns, so that a busy moment hits both
            for name, port in ports.items():
                found[name].append(asyncio.run(waits(port, SENTENCES)))
    finally:
        for server in servers:
            server.terminate()
            server.wait()
    high = {name: [float(np.percentile(one, 95)) for one in times] for name, times in found.items()}
    print(f"{len(SENTENCES)} probes of different sentences at once, all answered")
    for name, times in found.items():
        middle = np.median([np.median(one) for one in times])
        print(f"  {name:15} median {middle:6.2f} s, 95th percentile {np.median(high[name]):6.2f} s")
    print(f"  95th percentile:  {timing.ratio(high, 'one at a time', 'together')} better", flush=True)


if __name__ == "__main__":
    main()
