"""Runs made to harm the explorer: it answers each with a line, quickly, and goes on answering everybody else."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import threading
import time
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import numpy as np
import pandas as pd
import pytest

import runs
import tiny
from counterpoise.web.abortable import Abortable, GivenUp
from counterpoise.web.explorer import Explorer
from counterpoise.web.limits import Limits
from explorer_server import serving
from robustness.hostile_tables import empty_rows, many_columns, repeated_text

SAFE = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer"}
SECONDS = 10  # in which any of these is answered


def resident() -> float:
    """Megabytes of this process, in which the server runs too."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@contextmanager
def explored(folder, **options):
    """A client of an explorer of the folder, and the ids of its runs."""
    explorer = Explorer(folder, device="cpu", **options)
    with serving(explorer) as address, httpx.Client(base_url=address, timeout=60) as client:
        ids = {run["path"]: run["id"] for run in client.get("/api/runs").json()}
        yield client, ids


def asked(client, path):
    """An answer that came in time and with the safety headers, whatever it says."""
    began = time.monotonic()
    answer = client.get(path)
    assert time.monotonic() - began < SECONDS, path
    assert SAFE.items() <= dict(answer.headers).items(), path
    assert "default-src 'none'" in answer.headers["content-security-policy"], path
    return answer


def every_view(client, run_id, measure="own"):
    """What all the views of a run answer, by path."""
    paths = ["/runs", "/api/runs", f"/runs/{run_id}", f"/runs/{run_id}/report.html", f"/api/runs/{run_id}"]
    paths += [
        f"/runs/{run_id}/items",
        f"/runs/{run_id}/items/{measure}",
        f"/api/runs/{run_id}/items/{measure}",
    ]
    paths += [f"/runs/{run_id}/items/{measure}?view=all", f"/compare?run={run_id}&run={run_id}x"]
    return {path: asked(client, path) for path in paths}


@pytest.mark.slow
@pytest.mark.parametrize("bomb", [empty_rows, repeated_text, many_columns])
def test_a_table_that_would_fill_the_memory_is_refused_with_a_line(tmp_path, bomb):
    runs.save_run(tmp_path / "bomb", runs.word_result("bomb"))
    runs.save_run(tmp_path / "good", runs.word_result("good"))
    bomb(tmp_path / "bomb" / "scores" / "own.parquet")
    assert (tmp_path / "bomb" / "scores" / "own.parquet").stat().st_size < 4 << 20
    before = resident()
    with explored(tmp_path) as (client, ids):
        answers = every_view(client, ids["bomb"])
        items = answers[f"/api/runs/{ids['bomb']}/items/own"]
        assert items.status_code == 422
        assert "own.parquet has " in items.json()["detail"]
        assert client.get(f"/runs/{ids['good']}").status_code == 200
    assert {answer.status_code for answer in answers.values()} <= {200, 404, 422}
    assert resident() - before < 600


@pytest.mark.parametrize("name", ["summary.json", "manifest.json"])
@pytest.mark.parametrize("depth", [900, 100_000])
def test_deep_json_is_a_line(tmp_path, name, depth):
    runs.save_run(tmp_path / "deep", runs.word_result("deep"))
    document = json.loads((tmp_path / "deep" / name).read_text())
    text = json.dumps({**document, "deep": "HERE", "versions": document.get("versions")})
    if "results" in document:
        document["results"][0]["source"]["deep"] = "HERE"
        text = json.dumps(document)
    (tmp_path / "deep" / name).write_text(text.replace('"HERE"', "[" * depth + "]" * depth))
    with explored(tmp_path) as (client, ids):
        for path, answer in every_view(client, ids["deep"]).items():
            assert answer.status_code in (200, 404, 422), (path, answer.text[:300])


@pytest.mark.parametrize("depth", [100, 260, 900, 100_000])
def test_a_deep_summary_of_a_corpus_is_a_line(tmp_path, depth):
    manifest = {"schema": 1, "kind": "corpus", "corpora": ["a"], "finished": "2020-01-01"}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "report.html").write_text("<body>page</body>")
    row = f'{{"a": {"[" * depth}{"]" * depth}}}'
    (tmp_path / "summary.json").write_text(
        f'{{"schema": 1, "corpora": [{{"name": "a"}}], "results": [{row}]}}'
    )
    with explored(tmp_path) as (client, ids):
        [run_id] = ids.values()
        for path in ("/runs", f"/runs/{run_id}", f"/api/runs/{run_id}"):
            assert asked(client, path).status_code in (200, 422)
        assert re.search(r"summary\.json.* nested", client.get(f"/api/runs/{run_id}").json()["detail"])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["audit", "corpus"])
def test_a_summary_of_anything_at_all_is_a_line(tmp_path, kind):
    odd = [None, 7, "text", [], [[]], {"results": 3}, {"schema": 1}, {"schema": 1, "results": [1]}]
    odd += [{"schema": 2, "results": [{"measure": "own"}]}, {"schema": 2, "results": {"a": {"b": 1}}}]
    odd += [{"schema": 2, "corpora": 5}, {"schema": 2, "corpora": [{}]}, {"schema": 2, "results": [[1]]}]
    for number, document in enumerate(odd):
        folder = runs.save_run(tmp_path / f"run{number}", runs.word_result("odd"))
        if kind == "corpus":
            manifest = {"schema": 1, "kind": "corpus", "corpora": ["a"], "finished": "2020-01-01"}
            (folder / "manifest.json").write_text(json.dumps(manifest))
            (folder / "report.html").write_text("<body>page</body>")
        (folder / "summary.json").write_text(json.dumps(document))
    with explored(tmp_path) as (client, ids):
        for run_id in ids.values():
            for path, answer in every_view(client, run_id).items():
                assert answer.status_code in (200, 404, 422), (path, answer.text[:300])


def test_control_characters_in_labels_are_drawn(tmp_path):
    result = runs.word_result("a\x00\x01\x0b\x1b[31m model")
    words = result.items.word.map(lambda word: f"\x00\x01\x0b\x1b[31m{word}")
    summary = result.summary.assign(
        group=[
            f"\x1b[31m{group}\x00" if level == "word" else group
            for group, level in zip(result.summary.group, result.summary.level, strict=True)
        ]
    )
    runs.save_run(tmp_path / "odd", replace(result, items=result.items.assign(word=words), summary=summary))
    with explored(tmp_path) as (client, ids):
        page = asked(client, f"/runs/{ids['odd']}/report.html")
        assert page.status_code == 200
        assert "<svg" in page.text


def test_an_error_that_nobody_foresaw_is_a_line_with_the_safety_headers(tmp_path, monkeypatch, caplog):
    def fail(*arguments):
        raise ZeroDivisionError("secret of the server")

    explorer = Explorer(tmp_path)
    monkeypatch.setattr(explorer.folder, "entries", fail)
    with serving(explorer) as address, httpx.Client(base_url=address) as client:
        for path in ("/runs", "/api/runs"):
            answer = asked(client, path)
            assert answer.status_code == 500
            assert "an error in Counterpoise itself" in answer.json()["detail"]
            assert "secret" not in answer.text


def test_errors_of_compare_show_no_folder_of_this_machine(tmp_path):
    for name in ("a", "b"):
        runs.save_run(tmp_path / "served" / name, runs.word_result(f"/elsewhere/on/this/machine/{name}"))
    (tmp_path / "served" / "b" / "summary.json").write_text('{"schema": 2, "results": []}')
    with explored(tmp_path / "served") as (client, ids):
        for path in ("/compare", "/api/compare"):
            text = client.get(path, params={"run": [ids["a"], ids["b"]]}).text
            assert str(tmp_path) not in text
            assert "/elsewhere/on" not in text


def test_errors_name_files_without_the_folders_they_are_in(tmp_path):
    explorer = Explorer(tmp_path)
    error = "cannot read '/srv/private/models/a.bin': see /home/me/b, and https://docs.example/a/b or and/or"
    assert explorer.error_line(error) == "cannot read 'a.bin': see b, and https://docs.example/a/b or and/or"


def test_a_model_that_claims_a_million_layers_stops_nobody(tmp_path):
    for claim in ({"num_hidden_layers": 10**6}, {"vocab_size": 10**9}, {"num_labels": 10**8}):
        folder = tiny.save("bert", tmp_path / "models" / next(iter(claim)))
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | claim))
        runs.save_run(tmp_path / folder.name, runs.word_result(str(folder)))
    with explored(tmp_path) as (client, _):
        assert set(client.get("/api/models").json()["models"]) >= {"models/num_hidden_layers", "builtin"}
        for name, reason in (
            ("num_hidden_layers", "claims 1,000,000 layers"),
            ("vocab_size", "1,000,000,000"),
            ("num_labels", "claims 100,000,000 labels"),
        ):
            began = time.monotonic()
            refused = client.post("/api/probe", json={"text": "He left.", "models": [f"models/{name}"]})
            assert time.monotonic() - began < SECONDS
            assert refused.status_code == 422
            assert reason in refused.json()["detail"]
            assert str(tmp_path) not in refused.text
        assert client.post("/api/probe", json={"text": "He left."}).status_code == 200


def test_what_was_given_up_is_not_worked_on_any_more(tmp_path, monkeypatch):
    """A 504 frees the thread: the next request gets it, though the work would have gone on for ever."""
    explorer = Explorer(tmp_path, limits=Limits(seconds=0.5))
    steps = []

    def endless(*arguments):
        while True:
            steps.append(1)
            time.sleep(0.001)

    swap = explorer.swap
    monkeypatch.setattr(explorer, "swap", endless)
    with serving(explorer) as address, httpx.Client(base_url=address) as client:

        async def many():
            async with httpx.AsyncClient(base_url=address, timeout=30) as several:
                sent = (several.post("/api/swap", json={"text": "He left."}) for _ in range(8))
                return await asyncio.gather(*sent)

        assert {answer.status_code for answer in asyncio.run(many())} == {504}
        time.sleep(0.3)
        worked = len(steps)
        time.sleep(0.3)
        assert len(steps) == worked
        monkeypatch.setattr(explorer, "swap", swap)
        assert client.post("/api/swap", json={"text": "He left."}).json()["swapped"] == "She left."


def test_giving_up_ends_only_the_work_it_is_meant_for():
    for delay in np.linspace(0, 0.004, 60):  # also at the very moment when the work ends by itself
        outcome = []
        task = Abortable(lambda: [time.sleep(0) for _ in range(2000)])

        def work(task=task, outcome=outcome):
            try:
                outcome.append(bool(task()))
            except GivenUp:
                outcome.append(False)
            outcome.append("still alive")

        thread = threading.Thread(target=work)
        thread.start()
        time.sleep(delay)
        task.give_up()
        thread.join()
        assert outcome in ([True, "still alive"], [False, "still alive"])


HALF_A_HEAD = b"GET /api/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
HALF_A_BODY = b"POST /api/swap HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{"


@pytest.mark.slow
@pytest.mark.parametrize("sent", [b"", HALF_A_HEAD, HALF_A_BODY], ids=["nothing", "head", "body"])
def test_a_thousand_connections_that_ask_for_nothing_hold_up_nobody(tmp_path, sent):
    with serving(Explorer(tmp_path, limits=Limits(request_seconds=2.0))) as address:
        host, port = address.removeprefix("http://").split(":")
        idle = []
        try:
            for number in range(1000):
                idle.append(socket.create_connection((host, int(port)), timeout=10))
                idle[-1].sendall(sent)
                time.sleep(0.001)
                if number % 250 == 249:
                    assert httpx.get(f"{address}/api/runs").status_code == 200
            time.sleep(2.5)
            with closing(idle[-1]) as last:
                assert last.recv(10) == b""  # it had two seconds
        finally:
            for connection in idle:
                connection.close()


@pytest.mark.slow
def test_a_connection_may_be_used_again(tmp_path):
    with serving(Explorer(tmp_path, limits=Limits(request_seconds=1.0))) as address:
        host, port = address.removeprefix("http://").split(":")
        request = b"GET /api/runs HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            for _ in range(4):  # two seconds in all, never one without a request
                connection.sendall(request)
                answer = b""
                while not answer.endswith(b"\r\n\r\n[]"):
                    answer += connection.recv(4096)
                assert answer.startswith(b"HTTP/1.1 200")
                time.sleep(0.5)
            connection.sendall(request[:20])
            assert connection.recv(4096) == b""


def test_somebody_elses_page_runs_nothing(tmp_path):
    runs.save_run(tmp_path / "page", runs.word_result("page"))
    (tmp_path / "page" / "report.html").write_text("<body><script>alert(1)</script></body>")
    with explored(tmp_path) as (client, ids):
        for path in (f"/runs/{ids['page']}", f"/runs/{ids['page']}/report.html"):
            policy = asked(client, path).headers["content-security-policy"]
            assert policy.startswith("sandbox; default-src 'none'")
            assert "allow-scripts" not in policy
            assert "script-src" not in policy


def test_odd_cells_are_shown(tmp_path):
    runs.save_run(tmp_path / "odd", runs.word_result("odd"))
    odd = pd.DataFrame(
        {"text": ["a\x00b", None, "\x1b[31m"], "own": [np.inf, np.nan, -0.0], "x": [[1], [], None]}
    )
    odd.to_parquet(tmp_path / "odd" / "scores" / "own.parquet")
    with explored(tmp_path) as (client, ids):
        for path, answer in every_view(client, ids["odd"]).items():
            assert answer.status_code in (200, 404, 422), (path, answer.text[:300])
