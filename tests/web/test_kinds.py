"""One run of each kind, made by its own command: listed as what it is, with the verdict of its own page."""

from __future__ import annotations

import html
import json
import re
import shutil
from pathlib import Path

import httpx
import pytest

import checkpoints
import counterpoise as cp
import runs
import tiny
from browser import DESK, PHONE, Opened, open_sandbox
from corpora import planted
from counterpoise.audit.reading import read_results
from counterpoise.cli.main import run
from counterpoise.core.files import write_json
from counterpoise.report.answer import answer
from counterpoise.studies.audits.results import MARKER, ModelAudits
from counterpoise.web.explorer import Explorer
from counterpoise.web.folder import RunFolder
from counterpoise.web.kinds.registry import KINDS
from explorer_server import serving

pytestmark = pytest.mark.slow

TEXTS = ["She is a nurse and he is a doctor.", "The man told his wife that he was late."] * 10
TOY = Path(__file__).parents[1] / "studies" / "toy" / "toy.yaml"
STUDY = """
name: printed
title: A printed number
factors: {seed: [0]}
steps: {draw: {run: "printed_cells:draw", over: [seed]}}
gather: "printed_cells:gather"
"""
CELLS = """
from counterpoise.studies.replication.comparison import compared, table_of_lines
from counterpoise.studies.replication.findings import Findings


def draw(cell):
    return {"value": 0.5}


def gather(finished):
    lines = [compared("d of the first test", 0.5, 0.5, 0.01, kind="d")]
    Findings("A printed number", "", tables=[table_of_lines("one", "Table 1", lines)]).write(finished.folder)
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory, few_questions):
    home = tmp_path_factory.mktemp("home")
    root = home / "runs"
    (home / "posts.txt").write_text("\n".join(planted(1.0, 600, 1)) + "\n")
    (home / "mine.txt").write_text("\n".join(TEXTS))
    (home / "printed.yaml").write_text(STUDY)
    (home / "printed_cells.py").write_text(CELLS)
    model = str(tiny.save("roberta", home / "elsewhere" / "tiny"))
    small = ["--preset", "plain", "--reminders", "2", "--epochs", "1", "--device", "cpu", "--no-control"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COUNTERPOISE_CACHE", str(home / "cache"))
        patch.delenv("COUNTERPOISE_DATA", raising=False)  # the damage report reads less text without it
        for arguments in (
            ["audit", "builtin", "--measures", "ppd,sld", "--out", str(root / "audit")],
            ["compare", str(root / "audit"), model, "--measures", "ppd,sld", "--out", str(root / "compared")],
            ["corpus", str(home / "posts.txt"), "--out", str(root / "corpus")],
            ["debias", model, "--corpus", str(home / "mine.txt"), "--out", str(root / "fair"), *small],
            ["study", str(TOY), "--workers", "1", "--out", str(root / "toy")],
            ["study", str(home / "printed.yaml"), "--workers", "1", "--out", str(root / "printed")],
        ):
            assert run(arguments) == 0, arguments
    curve = checkpoints.made(root / "training", {0: 0.0, 500: 1.0})
    models = ModelAudits(root / "many", {}, curve.rows, curve.firsts, {"torn": "cannot load it"}, (), (), 0)
    for audits in (curve, models):
        audits.report()
        write_json(audits.folder / MARKER, audits.document())
        write_json(audits.folder / "study.json", {"study": {"name": "audits"}})
    return root


@pytest.fixture(scope="module")
def entries(served):
    return {entry.path: entry for entry in RunFolder(served).entries()}


@pytest.fixture(scope="module")
def address(served):
    with serving(Explorer(served, device="cpu")) as url:
        yield url


@pytest.fixture(scope="module")
def client(address):
    with httpx.Client(base_url=address, timeout=60) as found:
        yield found


def test_every_run_is_listed_as_what_it_is(entries):
    assert {path: entry.kind for path, entry in entries.items()} == {
        "audit": "audit",
        "compared": "comparison",
        "compared/2-tiny": "audit",  # made for the comparison
        "corpus": "corpus",
        "fair": "debias",
        "toy": "study",
        "printed": "study",
        "training": "curve",
        "training/checkpoint-0": "audit",
        "training/checkpoint-500": "audit",
        "many": "models",
    }
    assert not any(entry.problem for entry in entries.values())
    assert all(entry.finished and entry.verdict and entry.subject for entry in entries.values())
    assert {entry.kind for entry in entries.values()} == set(KINDS)


def text_of(page):
    """The words of a page, however they are marked up."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).replace("\xa0", " ").split())


@pytest.mark.parametrize("path", ["audit", "compared", "corpus", "fair", "printed"])
def test_the_verdict_is_that_of_the_page(client, entries, path):
    page = client.get(f"/runs/{entries[path].id}")
    assert page.status_code == 200
    verdict = entries[path].verdict.partition(" And ")[0]  # a comparison says how many more there are
    assert verdict in text_of(page.text)


def test_the_verdict_of_an_audit_is_that_of_its_results_with_all_items(served, entries):
    assert entries["audit"].verdict == answer(read_results(served / "audit")[1])[0]


def test_what_each_is_about(entries):
    subjects = {path: entry.subject for path, entry in entries.items()}
    assert subjects["audit"] == "builtin"
    assert subjects["compared"] == "builtin and tiny"
    assert subjects["compared/2-tiny"] == "tiny"  # not the folder in which it lies
    assert subjects["corpus"] == "posts.txt"
    assert subjects["fair"] == "tiny, trained on mine.txt (cds)"
    assert subjects["printed"] == "A printed number"
    assert subjects["training"] == "2 checkpoints, steps 0 to 500"
    assert entries["many"].verdict == "1 more could not be audited."
    assert entries["printed"].verdict.startswith(
        "Of 1 comparisons with printed numbers 1 reproduces the number"
    )


def test_a_study_without_a_page_shows_its_table(client, entries):
    page = client.get(f"/runs/{entries['toy'].id}").text
    assert "All rows of the finished cells are in its table." in page
    table = client.get(f"/runs/{entries['toy'].id}/items/table")
    assert table.status_code == 200
    assert "seed" in table.text
    assert client.get(f"/runs/{entries['toy'].id}/report.html").status_code == 404


def test_no_page_names_a_folder_of_this_machine(client, served, entries):
    pages = ["/runs", "/probe", "/compare", "/api/runs", "/api/models"]
    pages += [f"/runs/{entry.id}" for entry in entries.values()]
    pages += [f"/runs/{entry.id}/items" for entry in entries.values()]
    for page in pages:
        shown = client.get(page).text
        assert str(served) not in shown, page
        assert str(served.parent / "elsewhere") not in shown, page


def test_the_api_lists_kinds_and_runs_of_a_kind(client, entries):
    kinds = client.get("/api/kinds").json()
    assert [kind["name"] for kind in kinds] == list(KINDS)
    assert {"name": "study", "label": "Study", "marker": "study.json", "page": "study.html"} in kinds
    for name in KINDS:
        lines = client.get("/api/runs", params={"kind": name}).json()
        assert {line["path"] for line in lines} == {
            path for path, entry in entries.items() if entry.kind == name
        }
        for line in lines:
            assert client.get(f"/api/runs/{line['id']}").json()["run"] == line


def test_only_audits_are_offered_for_comparison(client, entries):
    offered = set(re.findall(r'name="run" value="([^"]+)"', client.get("/compare").text))
    assert offered == {entry.id for entry in entries.values() if entry.kind == "audit"}
    refused = client.get("/api/compare", params={"run": [entries["audit"].id, entries["fair"].id]})
    assert refused.status_code == 422
    assert "fair is no audit but a run of another kind: debias" in refused.json()["detail"]


def test_a_debiased_model_of_the_folder_can_be_probed(client, served):
    answer = client.post("/api/probe", json={"text": "He is a nurse.", "models": ["fair"]})
    [found] = answer.json()["models"]
    assert (found["model"], found["kind"]) == ("fair", "masked")
    expected = cp.load(served / "fair", device="cpu").pseudo_log_likelihood(["He is a nurse."])[0]
    assert found["male"] == pytest.approx(expected, abs=1e-4)


def test_pages_that_were_not_written_are_made(tmp_path, served):
    for name in ("audit", "fair", "printed"):
        shutil.copytree(served / name, tmp_path / name)
    for page in ("audit/report.html", "fair/debias.html", "printed/study.html"):
        (tmp_path / page).unlink()
    explorer = Explorer(tmp_path, device="cpu")
    for entry in explorer.folder.entries():
        page = explorer.report(entry.id)
        assert entry.verdict in text_of(page)
    explorer.close()


@pytest.mark.parametrize(
    ("path", "name", "content", "problem"),
    [
        ("fair", "debias.json", "{", "cannot read fair/debias.json"),
        ("fair", "debias.json", "[]", "its debias.json cannot be understood (TypeError)"),
        ("fair", "debias.json", '{"made_from": {}}', "its debias.json cannot be understood (KeyError)"),
        (
            "compared",
            "comparison.json",
            '{"models": 5}',
            "its comparison.json cannot be understood (TypeError)",
        ),
        ("compared", "compare.html", None, "compare.html is missing"),
        ("printed", "study.json", "{}", "printed/study.json is damaged"),
        ("printed", "findings.json", "{}", "its study.json cannot be understood (KeyError)"),
        ("printed", "findings.json", "[", "cannot read printed/findings.json"),
    ],
)
def test_damaged_ones_are_listed_with_the_reason(tmp_path, served, path, name, content, problem):
    shutil.copytree(served / path, tmp_path / path)
    (tmp_path / path / name).unlink()
    if content is not None:
        (tmp_path / path / name).write_text(content)
    runs.save_run(tmp_path / "good", runs.word_result())
    found = {entry.path: entry for entry in RunFolder(tmp_path).entries()}
    assert found[path].problem.startswith(problem)
    assert not found["good"].problem
    assert str(tmp_path) not in found[path].problem


@pytest.mark.parametrize("path", ["fair", "compared", "printed"])
def test_files_that_lead_out_are_not_read(tmp_path, served, path):
    shutil.copytree(served / path, tmp_path / "served" / path)
    marker = {"fair": "debias.json", "compared": "comparison.json", "printed": "findings.json"}[path]
    (tmp_path / "served" / path / marker).rename(tmp_path / marker)
    (tmp_path / "served" / path / marker).symlink_to(tmp_path / marker)
    found = {entry.path: entry for entry in RunFolder(tmp_path / "served").entries()}
    assert found[path].problem == f"{marker} leads out of the folder"


def test_a_run_that_changes_is_described_again(tmp_path, served):
    shutil.copytree(served / "fair", tmp_path / "fair")
    folder = RunFolder(tmp_path)
    [before] = folder.entries()
    document = json.loads((tmp_path / "fair" / "debias.json").read_text())
    document["proof"]["verdict"][0] = "Nothing became better."
    (tmp_path / "fair" / "debias.json").write_text(json.dumps(document))
    folder._listed = -float("inf")
    [after] = folder.entries()
    assert before.verdict != after.verdict == "Nothing became better."


@pytest.mark.parametrize("path", ["audit", "compared", "corpus", "fair", "printed", "toy"])
def test_every_page_serves_everyone(browser, address, entries, path):
    context = browser.new_context(viewport=DESK, base_url=address)
    context.route(f"{address}/runs/**", open_sandbox)
    page = context.new_page()
    found = Opened(page)
    page.on("console", lambda message: found.complaints.append(message.text))
    page.goto(f"/runs/{entries[path].id}", wait_until="networkidle")
    assert found.overflow() <= 0
    assert found.violations() == []
    page.emulate_media(color_scheme="dark")
    assert found.violations() == []
    page.set_viewport_size(PHONE)
    assert found.overflow() <= 0
    assert page.locator("header nav a").count() == 5
    page.click("header nav >> text=Runs")
    page.wait_for_url("**/runs")
    assert found.complaints == []
    context.close()
