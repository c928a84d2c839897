"""The server as programs meet it, also those with bad intentions."""

from __future__ import annotations

import asyncio
import json
import time

import httpx
import pytest

import counterpoise as cp
import runs
import tiny
from counterpoise.audit.compare import compare
from counterpoise.web.explorer import Explorer
from counterpoise.web.limits import SENTENCE, SWAP
from explorer_server import LARGE, serving

JSON = {"Content-Type": "application/json"}


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
    explorer = Explorer(tmp_path, device="cpu")
    assert list(explorer.models()) == ["builtin", "models/gpt2"]  # never a folder of this machine
    both, found = asyncio.run(explorer.probe("He left.", ["builtin", "models/gpt2"]))
    assert [(one.model, one.kind) for one in found] == [("builtin", "masked"), ("models/gpt2", "causal")]
    assert found[1].female == pytest.approx(cp.load(model).log_likelihood([both.female])[0], abs=1e-5)
    explorer.close()


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
        (
            "POST",
            "/api/swap",
            {"json": {"text": "x", "names": "yes"}},
            422,
            "names: Input should be a valid bool",
        ),
        (
            "POST",
            "/api/swap",
            {"json": {"text": "x", "other": 1}},
            422,
            "other: Extra inputs are not permitted",
        ),
        (
            "POST",
            "/api/probe",
            {"json": {"text": "He.", "fills": "5"}},
            422,
            "fills: Input should be a valid int",
        ),
        ("DELETE", "/api/runs", {}, 405, "Method Not Allowed"),
        ("GET", "/api/nowhere", {}, 404, "there is no such page"),
        ("GET", "/api/runs?kind=nope", {}, 422, "there is no kind of run 'nope'"),
        ("GET", "/api/runs/{before}/items/own?view=nope", {}, 422, "view: Input should be"),
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
        ("/runs?q=zzz", 200, "None of 7 runs matches"),
        ("/runs?kind=corpus", 200, "None of 7 runs matches"),
        ("/runs/{before}/items/own?view=x", 422, "view: Input should be"),
        ("/runs", 200, "Damaged:"),
    ],
)
def test_pages_say_what_is_wrong(client, ids, path, status, shown):
    answer = client.get(path.format(**ids))
    assert answer.status_code == status
    assert shown in answer.text
    assert answer.headers["content-type"].startswith("text/html")


def test_a_folder_without_runs_says_so_and_the_api_page_names_its_own_address(tmp_path):
    with serving(Explorer(tmp_path)) as address:
        assert f"curl -s {address}/api/probe " in httpx.get(f"{address}/api").text
        assert "There is no run in this folder yet" in httpx.get(f"{address}/runs").text
        assert httpx.get(f"{address}/api/runs").json() == []
