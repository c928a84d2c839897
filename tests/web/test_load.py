"""Many at once, slow ones among them, and for a long time."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import httpx
import numpy as np
import pytest

from counterpoise.web.explorer import Explorer
from counterpoise.web.limits import Limits
from explorer_server import serving

pytestmark = pytest.mark.slow

SENTENCES = [
    f"{person} told the {work} that {end}"
    for person in ("He", "She", "My father", "Her aunt", "The actress")
    for work in ("nurse", "engineer", "clerk", "doctor", "cook")
    for end in ("it was late.", "his car broke down.", "nobody came.", "she had won!")
]


async def ask_all(address, sentences, **options):
    async with httpx.AsyncClient(
        base_url=address, timeout=120, limits=httpx.Limits(max_connections=200)
    ) as client:
        return await asyncio.gather(
            *(client.post("/api/probe", json={"text": text, **options}) for text in sentences)
        )


def test_100_concurrent_probes_all_answer_and_nobody_else_waits(address, builtin):
    async def with_a_neighbour():
        probes = asyncio.ensure_future(ask_all(address, SENTENCES))
        await asyncio.sleep(0.2)
        async with httpx.AsyncClient(base_url=address, timeout=60) as client:
            assert (await client.post("/api/swap", json={"text": "He left."})).status_code == 200
            finished_first = not probes.done()
        return await probes, finished_first

    answers, finished_first = asyncio.run(with_a_neighbour())
    assert len(SENTENCES) == len(set(SENTENCES)) == 100
    assert {answer.status_code for answer in answers} == {200}
    assert finished_first
    for number in (0, 42, 99):
        found = answers[number].json()
        expected = builtin.pseudo_log_likelihood([found["male"], found["female"]])
        [line] = found["models"]
        assert [line["male"], line["female"]] == pytest.approx(expected, rel=2e-6)


def test_what_takes_too_long_is_given_up(folder, monkeypatch):
    explorer = Explorer(folder, limits=Limits(seconds=0.3))
    monkeypatch.setattr(explorer, "swap", lambda *arguments: time.sleep(1))
    with serving(explorer) as address:
        answer = httpx.post(f"{address}/api/swap", json={"text": "He left."})
        assert answer.status_code == 504
        assert "longer than 0.3 seconds" in answer.json()["detail"]
        assert httpx.get(f"{address}/api/runs").status_code == 200


def resident():
    """Megabytes of this process, in which the server runs too."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux to tell its memory")
def test_memory_is_stable_over_5000_requests(client, ids):

    rng = np.random.default_rng(0)

    def ask(n):
        number = int(rng.integers(100_000))
        kind = n % 10
        if kind == 0:
            client.post("/api/probe", json={"text": f"He is {number}.", "fills": 1}).raise_for_status()
        elif kind < 4:
            client.get(f"/api/runs/{ids['large']}/items/many", params={"page": number % 1000 + 1})
        elif kind < 6:
            client.get("/runs", params={"q": str(number)})
        elif kind < 8:
            client.get(f"/runs/nope-{number}")
        else:
            client.post("/api/swap", json={"text": f"She has {number} aunts."}).raise_for_status()

    for n in range(1000):
        ask(n)
    before = resident()
    for n in range(5000):
        ask(n)
    assert resident() - before < 40
