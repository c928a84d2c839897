"""A measured corpus is listed as one, with its leading fact."""

from __future__ import annotations

import json
import shutil

import httpx
import pytest

import runs
from corpora import planted
from counterpoise.cli.main import run
from counterpoise.core.errors import RunError
from counterpoise.web.explorer import Explorer
from counterpoise.web.folder import RunFolder
from explorer_server import serving

FACT = "% of gendered pronouns are male ("


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    root = tmp_path_factory.mktemp("served")
    (root / "texts").mkdir()
    text = root / "texts" / "<b>posts.txt"
    text.write_text("\n".join(planted(1.0, 600, 1)) + "\n")
    assert run(["corpus", str(text), "--out", str(root / "runs" / "corp")]) == 0
    runs.save_run(root / "runs" / "audit", runs.word_result("one"))
    return root / "runs"


@pytest.fixture(scope="module")
def client(served):
    with serving(Explorer(served, device="cpu")) as url, httpx.Client(base_url=url, timeout=60) as found:
        yield found


def test_a_corpus_is_listed_with_its_leading_fact(served):
    entries = {entry.path: entry for entry in RunFolder(served).entries()}
    corpus = entries["corp"]
    assert (corpus.kind, corpus.problem, corpus.corpora) == ("corpus", "", ("<b>posts.txt",))
    assert FACT in corpus.verdict
    assert corpus.matches("posts corpus pronouns")
    assert entries["audit"].kind == "audit"


def test_its_page_opens_and_it_is_not_offered_for_comparison(client):
    line = next(line for line in client.get("/api/runs").json() if line["kind"] == "corpus")
    listed = client.get("/runs").text
    assert "Damaged" not in listed
    assert "&lt;b&gt;posts.txt" in listed
    assert FACT in listed
    assert f'value="{line["id"]}"' not in listed
    assert FACT in client.get(f"/runs/{line['id']}").text.replace("\u00a0", " ")
    assert FACT in client.get(f"/runs/{line['id']}/report.html").text.replace("\u00a0", " ")
    assert "corp" not in client.get("/compare").text.partition("<fieldset>")[2].partition("</fieldset>")[0]


def test_its_numbers_are_in_the_api(client, served):
    line = next(line for line in client.get("/api/runs").json() if line["kind"] == "corpus")
    rows = client.get(f"/api/runs/{line['id']}").json()["summary"]
    assert rows == json.loads((served / "corp" / "summary.json").read_text())["results"]
    answer = client.get("/api/compare", params={"run": [line["id"], line["id"] + "x"]})
    assert answer.status_code in (404, 422)
    assert client.get(f"/runs/{line['id']}/items/own").status_code == 404


def test_a_corpus_is_no_audit(served):
    folder = RunFolder(served)
    [corpus] = [entry for entry in folder.entries() if entry.kind == "corpus"]
    with pytest.raises(RunError, match="corp is no audit but a run of another kind: corpus"):
        folder.open(corpus.id)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("summary.json", "{"),
        ("summary.json", "[]"),
        ("summary.json", '{"schema": 1, "findings": [5]}'),
        ("manifest.json", '{"kind": "corpus"'),
        ("report.html", None),
        ("summary.json", None),
    ],
)
def test_a_damaged_one_says_so(tmp_path, served, name, content):
    shutil.copytree(served / "corp", tmp_path / "corp")
    path = tmp_path / "corp" / name
    path.unlink()
    if content is not None:
        path.write_text(content)
    [entry] = RunFolder(tmp_path).entries()
    assert entry.problem


def test_a_corpus_measured_before_findings_were_kept_is_listed_by_name(tmp_path, served):
    shutil.copytree(served / "corp", tmp_path / "corp")
    for name, dropped in (("manifest.json", ("kind", "finished")), ("summary.json", ("findings",))):
        path = tmp_path / "corp" / name
        content = json.loads(path.read_text())
        path.write_text(json.dumps({key: value for key, value in content.items() if key not in dropped}))
    [entry] = RunFolder(tmp_path).entries()
    assert (entry.kind, entry.problem, entry.verdict) == ("corpus", "", "")
