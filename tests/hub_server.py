"""A stand-in of the Hugging Face hub on this machine: one model's repository, with commits and pull requests."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from json_server import JsonHandler, serving

TOKEN = "hf_secretSECRETsecret"


@dataclass
class Hub:
    """What the stand-in holds, and what it was sent; `fails` maps the beginning of a path to the status it answers."""

    repo: str
    files: dict[str, bytes] = field(default_factory=dict)
    address: str = ""
    fails: dict[str, int] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    commits: list[list[dict[str, Any]]] = field(default_factory=list)
    requests: dict[str, dict[str, bytes]] = field(default_factory=dict)  # pull requests, by their reference
    titles: list[str] = field(default_factory=list)

    @property
    def sha(self) -> str:
        return f"{len(self.commits):040x}"

    def at(self, revision: str) -> dict[str, bytes] | None:
        return self.requests.get(revision, self.files if revision in ("main", self.sha) else None)

    def commit(self, lines: list[dict[str, Any]], create_pr: bool) -> dict[str, Any]:
        files = dict(self.files)
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                assert value["encoding"] == "base64"
                files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "deletedFile":
                del files[value["path"]]
        self.commits.append(lines)
        answer = {"commitUrl": f"{self.address}/{self.repo}/commit/{self.sha}", "commitOid": self.sha}
        if not create_pr:
            self.files = files
            return answer
        self.titles.append(lines[0]["value"]["summary"])
        self.requests[f"refs/pr/{len(self.titles)}"] = files
        return {**answer, "pullRequestUrl": f"{self.address}/{self.repo}/discussions/{len(self.titles)}"}


@contextmanager
def serving_hub(hub: Hub) -> Iterator[Hub]:
    with serving(_Handler, hub=hub) as hub.address:
        yield hub


class _Handler(JsonHandler):
    hub: Hub

    def answer(self, path: str, body: bytes) -> None:
        url = urlsplit(path)
        path, hub = unquote(url.path), self.hub
        hub.asked.append(f"{self.command} {path}")
        for start, status in hub.fails.items():
            if path.startswith(start):
                return self.send(status, {"error": f"no, {self.headers['authorization']}"})
        if self.headers["authorization"] != f"Bearer {TOKEN}":
            return self.send(401, {"error": "Invalid credentials in Authorization header"})
        api = f"/api/models/{hub.repo}"
        if path == api:
            siblings = [{"rfilename": name} for name in hub.files]
            return self.send(200, {"id": hub.repo, "sha": hub.sha, "siblings": siblings})
        if path == "/api/validate-yaml":
            return self.send(200, {"errors": [], "warnings": []})
        if path == f"{api}/discussions":
            return self.send(200, self._discussions())
        if path.startswith(f"{api}/preupload/"):
            wanted = [file["path"] for file in json.loads(body)["files"]]
            modes = [{"path": name, "uploadMode": "regular", "shouldIgnore": False} for name in wanted]
            return self.send(200, {"files": modes})
        if path.startswith(f"{api}/commit/"):
            lines = [json.loads(line) for line in body.splitlines()]
            return self.send(200, hub.commit(lines, "create_pr" in parse_qs(url.query)))
        if path.startswith(f"/{hub.repo}/resolve/"):
            return self._send_file(path.removeprefix(f"/{hub.repo}/resolve/"))
        self.send(404, {"error": "not found"}, {"X-Error-Code": "RepoNotFound"})

    def _discussions(self) -> dict[str, Any]:
        found = [
            {
                "num": number,
                "title": title,
                "status": "open",
                "isPullRequest": True,
                "author": {"name": "someone"},
                "createdAt": "2026-01-01T00:00:00.000Z",
                "repo": {"name": self.hub.repo, "type": "model"},
            }
            for number, title in enumerate(self.hub.titles, start=1)
        ]
        return {"discussions": found, "count": len(found), "start": 0, "numClosedDiscussions": 0}

    def _send_file(self, place: str) -> None:
        names = [
            name for name in (*self.hub.files, ".eval_results/counterpoise.yaml") if place.endswith(name)
        ]
        files = self.hub.at(place.removesuffix(f"/{names[0]}")) if names else None
        if files is None or names[0] not in files:
            return self.send(404, {"error": "no such file"}, {"X-Error-Code": "EntryNotFound"})
        content = files[names[0]]
        headers = {
            "X-Repo-Commit": self.hub.sha,
            "ETag": f'"{abs(hash(content)):x}"',
            "Accept-Ranges": "bytes",
        }
        self.send(200, content, headers)
