"""A stand-in of the Hugging Face hub with one dataset, as much of it as the `datasets` library asks for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote, urlsplit

from json_server import JsonHandler, serving

COMMIT = "c" * 40


@contextmanager
def serving_dataset(name: str, files: Mapping[str, bytes]) -> Iterator[str]:
    """The address of a hub with this dataset."""
    with serving(_Handler, name=name, files=files) as address:
        yield address


class _Handler(JsonHandler):
    name: str
    files: Mapping[str, bytes]

    def answer(self, path: str, body: bytes) -> None:
        path, api = unquote(urlsplit(path).path), f"/api/datasets/{self.name}"
        if path in (api, f"{api}/revision/main", f"{api}/revision/{COMMIT}"):
            siblings = [{"rfilename": name} for name in self.files]
            return self.send(200, {"id": self.name, "sha": COMMIT, "siblings": siblings})
        if path.startswith(f"{api}/tree/"):
            return self.send(200, [self._entry(name) for name in self.files])
        if path.startswith(f"{api}/paths-info/"):
            asked = json.loads(body)["paths"] if body.startswith(b"{") else []
            return self.send(200, [self._entry(name) for name in self.files if name in asked])
        if path.startswith(f"/datasets/{self.name}/resolve/"):
            content = self.files.get(path.split("/", 6)[6])
            if content is None:
                return self.send(404, {}, {"X-Error-Code": "EntryNotFound"})
            tag = hashlib.sha1(content).hexdigest()
            return self.send(200, content, {"X-Repo-Commit": COMMIT, "ETag": f'"{tag}"'})
        self.send(404, {}, {"X-Error-Code": "RepoNotFound"})

    def _entry(self, name: str) -> dict[str, Any]:
        content = self.files[name]
        return {"type": "file", "path": name, "size": len(content), "oid": hashlib.sha1(content).hexdigest()}
