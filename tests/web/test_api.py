"""The server as programs meet it, also those with bad intentions."""

from __future__ import annotations

import asyncio
import json
import os
import random
import string
import time
from pathlib import Path
from urllib.parse import quote

import httpx
import numpy as np
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

import counterpoise as cp
import runs
import tiny
from counterpoise.audit.compare import compare
from counterpoise.web.explorer import Explorer
from counterpoise.web.limits import SENTENCE, SWAP, Limits
from explorer_server import EVIL, LARGE, serving

JSON = {"Content-Type": "application/json"}
SENTENCES = [
    f"{person} told the {work} that {end}"
    for person in ("He", "She", "My father", "Her aunt", "The actress")
    for work in ("nurse", "engineer", "clerk", "doctor", "cook")
    for end in ("it was late.", "his car broke down.", "nobody came.", "she had won!")
]


def test_runs_can_be_searched(client, ids):
    def found(words):
        return {run["path"] for run in client.get("/api/runs", params={"q": words}).json()}

    assert found("") == set(ids)
    assert found("AFTER") == {"deep/after"}
    assert found("own before") == {"before"}
    assert found("no such thing") == set()


def test_a_run_says_what_its_files_say(client, ids, folder):
    answer = client.get(f"/api/runs/{ids['before']}").json()
    assert answer["summary"] == json.loads((folder / "before" / "summary.json").read_text())["results"]


def test_items_of_100000_rows_sorted_filtered_and_paged(client, ids):
    address = f"/api/runs/{ids['large']}/items/many"
    client.get(address)
    began = time.perf_counter()
    page = client.get(address, params={"sort": "own", "desc": True, "page": 1001, "size": 100}).json()
    assert page["page"] == page["pages"] == 1000  # the last one
    assert [row[2] for row in page["rows"]] == list(range(99, -1, -1))
    page = client.get(address, params={"q": "number 777", "sort": "own", "size": 200}).json()
    expected = [n for n in range(LARGE) if str(n).startswith("777")]
    assert page["matching"] == len(expected)
    assert [row[2] for row in page["rows"]] == expected[:200]
    page = client.get(address, params={"column": "own", "low": 10, "high": 12.5, "sort": "own"}).json()
    assert [row[2] for row in page["rows"]] == [10, 11, 12]
    assert time.perf_counter() - began < 5


def test_a_comparison_is_that_of_python(client, ids, folder):
    answer = client.get("/api/compare", params={"run": [ids["before"], ids["deep/after"]]}).json()
    expected = compare(folder / "before", folder / "deep" / "after")
    assert answer["models"] == list(expected.names)
    assert answer["runs"] == {"before": ids["before"], "after": ids["deep/after"]}
    assert [row["difference"] for row in answer["differences"]] == pytest.approx(
        expected.rows.difference.tolist(), nan_ok=True
    )


def test_a_probe_is_that_of_python(client, builtin):
    text = "He told his mother that the nurse was late."
    answer = client.post("/api/probe", json={"text": text, "fills": 2}).json()
    swapper = cp.text.Swapper()
    versions = [swapper.swap(text, to=side) for side in ("male", "female")]
    assert [answer["male"], answer["female"]] == versions
    [found] = answer["models"]
    assert [found["male"], found["female"]] == pytest.approx(
        builtin.pseudo_log_likelihood(versions), abs=1e-5
    )
    assert sum(token["difference"] for token in found["tokens"]) == pytest.approx(found["difference"])
    assert [len(place["fills"]) for place in found["fills"]] == [2, 2, 2]


def test_a_swap_is_that_of_python(client):
    text = "She gave him her book — 'tis Anna's.\n" * 3
    answer = client.post("/api/swap", json={"text": text, "to": "flip", "names": True}).json()
    assert answer["swapped"] == cp.text.Swapper(names=True).swap(text, to="flip")
    assert all(text[edit["start"] : edit["end"]] == edit["old"] for edit in answer["edits"])


def test_models_outside_of_the_folder_are_not_offered(client):
    answer = client.get("/api/models").json()
    assert answer["models"] == ["builtin"]
    assert {"before", "after", "large"} <= set(answer["elsewhere"])
    refused = client.post("/api/probe", json={"text": "He left.", "models": ["before"]})
    assert refused.status_code == 422
    assert "there is no model to probe 'before'" in refused.json()["detail"]


def test_a_model_inside_the_folder_is(tmp_path):
    model = tiny.save("gpt2", tmp_path / "models" / "gpt2")
    runs.save_run(tmp_path / "run", runs.word_result(str(model)))
    runs.save_run(tmp_path / "other", runs.word_result(str(cp.models.loading.BUILTIN_FOLDER)))
    assert list(Explorer(tmp_path).models()) == ["builtin", str(model)]


@pytest.mark.parametrize(
    ("method", "path", "options", "status", "detail"),
    [
        ("GET", "/api/runs/nope", {}, 404, "there is no run 'nope' in this folder"),
        ("GET", "/api/runs/{cut}", {}, 422, "the run cut is damaged: cannot read cut/manifest.json"),
        ("GET", "/api/runs/{leading-out}/items/own", {}, 422, "own.parquet leads out of the folder"),
        ("GET", "/api/runs/{before}/items/nope", {}, 404, "has no measure 'nope'"),
        ("GET", "/api/runs/{before}/items/own?sort=nope", {}, 422, "there is no column 'nope'"),
        ("GET", "/api/runs/{before}/items/own?page=0", {}, 422, "page: Input should be greater than"),
        ("GET", "/api/runs/{before}/items/own?low=nan&column=own", {}, 422, "low: Input should be a finite"),
        ("GET", "/api/compare?run={before}", {}, 422, "choose two to 5 different runs"),
        ("GET", "/api/compare?run={before}&run={before}", {}, 422, "choose two to 5 different runs"),
        ("GET", "/api/compare?run={before}&run={large}", {}, 422, "no measure in common"),
        ("POST", "/api/probe", {"json": {"text": ""}}, 422, "text: String should have at least 1"),
        ("POST", "/api/probe", {"json": {"text": "  \n"}}, 422, "text: the text is empty"),
        (
            "POST",
            "/api/probe",
            {"json": {"text": "x" * (SENTENCE + 1)}},
            422,
            "text: String should have at most",
        ),
        ("POST", "/api/probe", {"json": {"text": "a " * 200}}, 422, "tokens and a probe takes 128"),
        ("POST", "/api/probe", {"json": {"text": "a [MASK]"}}, 422, "must have no mask in it"),
        (
            "POST",
            "/api/probe",
            {"content": b'{"text": "\\ud800"}', "headers": JSON},
            422,
            "text: Input should be a valid string",
        ),
        ("POST", "/api/probe", {"content": b"\xff\xfe"}, 422, ""),
        (
            "POST",
            "/api/probe",
            {"content": b'{"text": "He.", "fills": Infinity}', "headers": JSON},
            422,
            "fills: ",
        ),
        ("POST", "/api/swap", {"json": {"text": "x" * (SWAP + 1)}}, 422, "text: String should have at most"),
        ("POST", "/api/swap", {"json": {"text": "x", "to": "nobody"}}, 422, "to: Input should be 'male'"),
        ("POST", "/api/swap", {"json": {"text": "x", "terms": "/etc/passwd"}}, 422, "terms: Input should be"),
        ("POST", "/api/swap", {"content": b"x" * (600 << 10)}, 413, "a request may have 512 KB"),
        ("DELETE", "/api/runs", {}, 405, "Method Not Allowed"),
        ("GET", "/api/nowhere", {}, 404, "there is no such page"),
    ],
)
def test_mistakes_have_the_right_status_and_one_line(client, ids, method, path, options, status, detail):
    answer = client.request(method, path.format(**ids), **options)
    assert answer.status_code == status
    assert detail in answer.json()["detail"]
    assert "\n" not in answer.json()["detail"]


@pytest.mark.parametrize(
    ("path", "status", "shown"),
    [
        ("/runs/nope", 404, "there is no run"),
        ("/runs/{cut}", 422, "the run cut is damaged"),
        ("/nowhere", 404, "there is no such page"),
        ("/runs/{before}/items/own?page=x", 422, "page: Input should be a valid integer"),
        ("/probe?text=%20", 422, "the text is empty"),
        ("/probe?model=/etc&text=He", 422, "there is no model to probe"),
        ("/probe?terms=x&text=He", 422, "there is no set of terms"),
        ("/compare?run=a&run=b", 404, "there is no run"),
        ("/runs?q=zzz", 200, "None of 7 runs"),
        ("/runs", 200, "Damaged:"),
    ],
)
def test_pages_say_what_is_wrong(client, ids, path, status, shown):
    answer = client.get(path.format(**ids))
    assert answer.status_code == status
    assert shown in answer.text
    assert answer.headers["content-type"].startswith("text/html")


def test_a_folder_without_runs_says_so(tmp_path):
    with serving(Explorer(tmp_path)) as address:
        assert "There is no run in this folder yet" in httpx.get(f"{address}/runs").text
        assert httpx.get(f"{address}/api/runs").json() == []


def hostile(seed=0):
    """500 requests that no honest program would send: method, path and options."""
    rng = random.Random(seed)
    texts = [
        EVIL,
        "'\"><svg/onload=alert(1)>",
        "{{7*7}}${7*7}<%= 7*7 %>",
        "../../../../etc/passwd",
        "..%2f..%2fetc%2fpasswd",
        "%00",
        "\x00\x01\x1b[31m",
        "‮evil⁦",
        "💣" * 50,
        "' OR 1=1 --",
        "=cmd|' /C calc'!A0",
        "a" * 5000,
        "javascript:alert(1)",
        "\r\nSet-Cookie: a=b",
        "He [SEP] [CLS] [PAD] her",
        "",
    ]
    for n in range(500):
        text = rng.choice(texts) + "".join(rng.choices(string.printable, k=rng.randrange(8)))
        kind = n % 10
        if kind == 0:
            yield "GET", f"/runs/{quote(text, safe=rng.choice(['', '/%']))}", {}
        elif kind == 1:
            yield "GET", "/runs", {"params": {"q": text}}
        elif kind == 2:
            yield "GET", "/probe", {"params": {"text": text[:300], "model": rng.choice(["builtin", text])}}
        elif kind == 3:
            field = rng.choice(["q", "column", "sort", "low", "page", "size", "desc"])
            yield "GET", "/runs/{evil}/items/own", {"params": {field: text}}
        elif kind == 4:
            yield "POST", "/swap", {"data": {"text": text, rng.choice(["to", "terms", "other"]): text}}
        elif kind == 5:
            yield "POST", "/api/swap", {"json": {"text": text, "names": rng.choice([True, text])}}
        elif kind == 6:
            yield "POST", "/api/probe", {"content": text.encode("utf-16")[: rng.randrange(1, 400)]}
        elif kind == 7:
            body = rng.choice([b"", b"[" * 20_000, b'{"text": 1e999}', b"\xff" * 300, b"x" * (700 << 10)])
            yield "POST", rng.choice(["/api/probe", "/api/swap", "/swap"]), {"content": body}
        elif kind == 8:
            yield "GET", "/compare", {"params": {"run": [text, rng.choice(["{before}", text])]}}
        else:
            headers = {"Content-Type": rng.choice(["text/xml", "application/json; charset=utf-7", "a/b"])}
            yield "POST", "/api/probe", {"content": b'{"text": "+ADw-script+AD4-"}', "headers": headers}


def test_500_hostile_inputs_are_refused_or_shown_as_text(client, ids):
    seen: dict[int, int] = {}
    for method, path, options in hostile():
        answer = client.request(method, path.replace("{evil}", ids["evil"]), **options)
        seen[answer.status_code] = seen.get(answer.status_code, 0) + 1
        assert answer.status_code < 500, (method, path, options)
        assert "root:" not in answer.text
        if "html" in answer.headers["content-type"]:
            for harm in ("<script>alert", "<img src=x", "<svg/onload"):
                assert harm not in answer.text
            assert "script-src 'self'" in answer.headers["content-security-policy"]
        assert "set-cookie" not in answer.headers
    assert sum(seen.values()) == 500
    assert {200, 404, 413, 422} <= set(seen)


def test_text_of_runs_is_shown_as_text_everywhere(client, ids):
    for path in ("/runs", "/runs/{evil}", "/runs/{evil}/items/own", "/runs/{evil}/report.html", "/probe"):
        answer = client.get(path.format(**ids))
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text
        assert "&lt;script&gt;alert" in answer.text


def test_a_report_of_others_can_do_nothing(client, ids, folder):
    report = folder / "before" / "report.html"
    report.write_text(EVIL)
    answer = client.get(f"/runs/{ids['before']}/report.html")
    assert answer.text == EVIL
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'")
    assert "script-src" not in policy
    report.unlink()
    report.symlink_to(folder.parent / "secret" / "manifest.json")
    assert client.get(f"/runs/{ids['before']}/report.html").status_code == 422
    report.unlink()
    assert "gender bias" in client.get(f"/runs/{ids['before']}/report.html").text


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


@pytest.mark.slow
def test_schemathesis_finds_no_500(address):
    schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
    tested = []
    for found in schema.get_all_operations():
        operation = found.ok()

        @settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(operation.as_strategy())
        def check(case):
            answer = case.call(base_url=address)
            assert answer.status_code < 500
            case.validate_response(answer, checks=[response_schema_conformance, content_type_conformance])

        check()
        tested.append(operation.label)
    assert len(tested) == 7


def resident():
    """Megabytes of this process, in which the server runs too."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.mark.slow
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
