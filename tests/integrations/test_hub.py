"""Pushing a card to a stand-in of the hub: what is sent, to the byte, what stays, and what goes wrong."""

from __future__ import annotations

import base64

import pytest
import yaml
from huggingface_hub import ModelCard

import runs
from counterpoise.cli.main import run
from counterpoise.core.errors import HubError, InputError
from counterpoise.integrations.hub import push_card
from counterpoise.report.card import BEGIN, END
from hub_server import TOKEN, Hub, serving_hub

REPO = "someone/model"
SCORES = ".eval_results/counterpoise.yaml"
THEIRS = """---
license: mit  # theirs
tags: [a, "b"]
model-index:
- name: Their model
  results:
  - task: {type: fill-mask}
    dataset: {name: Theirs, type: their/data}
    metrics: [{type: accuracy, value: 0.9}]
# below
language: en
---

# Their model

Text.
"""


@pytest.fixture
def folder(tmp_path):
    return runs.save_run(tmp_path / "run", runs.word_result("/home/me/secret-place/model"))


@pytest.fixture
def hub(monkeypatch):
    with serving_hub(Hub(REPO, {"README.md": THEIRS.encode()})) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
        yield hub


def test_one_commit_with_the_card_and_the_scores(hub, folder):
    pushed = push_card(folder, REPO, benchmark="lab/bench")
    [lines] = hub.commits
    assert pushed.changed
    assert pushed.url == f"{hub.address}/{REPO}/commit/{hub.sha}"
    assert [line["key"] for line in lines] == ["header", "file", "file"]
    assert lines[0]["value"]["parentCommit"] == "0" * 40
    sent = {line["value"]["path"]: base64.b64decode(line["value"]["content"]) for line in lines[1:]}
    assert sent == hub.files
    assert set(sent) == {"README.md", SCORES}
    card = sent["README.md"].decode()
    # What was there is there, character by character, but for their results, which are written anew.
    assert card.startswith('---\nlicense: mit  # theirs\ntags: [a, "b"]\nmodel-index:\n')
    assert "\n# below\nlanguage: en\n---\n\n# Their model\n\nText.\n\n" + BEGIN in card
    assert card.endswith(f"{END}\n")
    assert "secret-place" not in card
    [entry] = yaml.safe_load(card.split("---\n")[1])["model-index"]
    assert entry["name"] == "Their model"
    assert entry["results"][0] == yaml.safe_load(THEIRS.split("---\n")[1])["model-index"][0]["results"][0]
    measured = runs.word_result().overall
    assert [metric["value"] for metric in entry["results"][1]["metrics"]] == pytest.approx(
        measured.value.tolist()
    )
    assert ModelCard(card).data.eval_results[0].metric_value == 0.9  # as the hub's own library reads it


def test_the_same_again_changes_nothing(hub, folder, capsys):
    command = ["report", str(folder), "--format", "card", "--push", REPO]
    assert run(command) == 0
    assert "pushed: http" in capsys.readouterr().out
    before = hub.files["README.md"]
    assert run(command) == 0
    assert f"nothing to push, it is there: {hub.address}/{REPO}" in capsys.readouterr().out
    assert len(hub.commits) == 1
    assert hub.files == {"README.md": before}


def test_another_run_takes_the_place_of_the_first(hub, folder, tmp_path):
    push_card(folder, REPO, benchmark="lab/bench")
    other = runs.save_run(tmp_path / "other", runs.word_result(measure="sld", seed=1))
    push_card(other, REPO)
    card = hub.files["README.md"].decode()
    assert card.count(BEGIN) == card.count(END) == 1
    metrics = [result.metric_type for result in ModelCard(card).data.eval_results]
    assert set(metrics) == {"accuracy", "sld"}
    assert set(hub.files) == {"README.md"}  # the scores of the first are gone
    push_card(folder, REPO, benchmark="lab/bench")
    again = hub.files["README.md"]
    hub.files = {"README.md": THEIRS.encode()}
    push_card(folder, REPO, benchmark="lab/bench")
    assert hub.files["README.md"] == again  # whatever came between


def test_a_repository_without_a_card(hub, folder):
    hub.files = {"config.json": b"{}"}
    push_card(folder, REPO)
    card = hub.files["README.md"].decode()
    assert ModelCard(card).data.model_name == "model"
    assert card.split("---\n", 2)[2].strip().startswith(BEGIN)


def test_a_pull_request_is_opened_once(hub, folder):
    first = push_card(folder, REPO, create_pr=True, benchmark="lab/bench")
    assert first.url == f"{hub.address}/{REPO}/discussions/1"
    assert hub.files == {"README.md": THEIRS.encode()}
    second = push_card(folder, REPO, create_pr=True, benchmark="lab/bench")
    assert (second.url, second.changed) == (first.url, False)
    assert push_card(folder, REPO, create_pr=True, benchmark="lab/other").url.endswith("/discussions/2")


def test_nothing_is_asked_without_push(hub, folder):
    assert run(["report", str(folder), "--format", "card"]) == 0
    assert hub.asked == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "status", "message"),
    [
        ("/api/models/someone/model", 404, "there is no such model on the hub, or the token may not see it"),
        ("/api/models/someone/model", 401, "the hub does not accept the token"),
        (
            "/api/models/someone/model/commit",
            403,
            "the token may not write there; --create-pr opens a pull request",
        ),
        ("/api/models/someone/model/commit", 412, "the repository was changed at the same moment"),
        ("/api/models/someone/model/commit", 418, "the hub refused it (418): "),
    ],
)
def test_a_refusal_is_one_line_and_the_files_are_there(hub, folder, capsys, place, status, message):
    hub.fails[place] = status
    assert run(["report", str(folder), "--format", "card", "--push", REPO, "--benchmark", "lab/bench"]) == 2
    out, err = capsys.readouterr()
    assert f"cannot push to {REPO}: {message}" in err
    assert err.count("\n") == 1
    assert out.split() == [str(folder / "model-card.md"), str(folder / SCORES)]
    assert TOKEN not in out + err
    assert not any(TOKEN.encode() in path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert hub.files == {"README.md": THEIRS.encode()}


def test_no_hub_no_token_and_no_name(hub, folder, monkeypatch):
    with pytest.raises(InputError, match=r"'a/b/c' is no name of a repository"):
        push_card(folder, "a/b/c")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(HubError, match="HF_HUB_OFFLINE"):
        push_card(folder, REPO)
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(HubError, match=f"cannot push to {REPO}: the hub cannot be reached"):
        push_card(folder, REPO)
    monkeypatch.delenv("HF_TOKEN")
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(folder / "none"))
    with pytest.raises(HubError, match="there is no token"):
        push_card(folder, REPO)


def test_a_card_that_cannot_be_merged_is_left_alone(hub, folder):
    for damaged in (b"\xff", b"---\nmodel-index: 5\n---\n", b"---\n[\n---\n", f"a\n{BEGIN}\nb".encode()):
        hub.files = {"README.md": damaged}
        with pytest.raises(HubError, match=f"cannot push to {REPO}: "):
            push_card(folder, REPO)
    assert hub.commits == []
