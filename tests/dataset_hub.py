"""A stand-in of the Hugging Face hub with one dataset, as much of it as the `datasets` library asks for."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

COMMIT = "c" * 40


@contextmanager
def serving_dataset(name: str, files: Mapping[str, bytes]) -> Iterator[str]:
    """The address of a hub with this dataset."""
    handler = type("Bound", (_Handler,), {"name": name, "files": files})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    name: str
    files: Mapping[str, bytes]

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, *_: Any) -> None:
        pass

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        path, api = unquote(urlsplit(self.path).path), f"/api/datasets/{self.name}"
        if path in (api, f"{api}/revision/main", f"{api}/revision/{COMMIT}"):
            siblings = [{"rfilename": name} for name in self.files]
            return self._send(200, {"id": self.name, "sha": COMMIT, "siblings": siblings})
        if path.startswith(f"{api}/tree/"):
            return self._send(200, [self._entry(name) for name in self.files])
        if path.startswith(f"{api}/paths-info/"):
            asked = json.loads(body)["paths"] if body.startswith(b"{") else []
            return self._send(200, [self._entry(name) for name in self.files if name in asked])
        if path.startswith(f"/datasets/{self.name}/resolve/"):
            content = self.files.get(path.split("/", 6)[6])
            if content is None:
                return self._send(404, {}, {"X-Error-Code": "EntryNotFound"})
            tag = hashlib.sha1(content).hexdigest()
            return self._send(200, content, {"X-Repo-Commit": COMMIT, "ETag": f'"{tag}"'})
        self._send(404, {}, {"X-Error-Code": "RepoNotFound"})

    def _entry(self, name: str) -> dict[str, Any]:
        content = self.files[name]
        return {"type": "file", "path": name, "size": len(content), "oid": hashlib.sha1(content).hexdigest()}

    def _send(self, status: int, content: Any, headers: Mapping[str, str] | None = None) -> None:
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)
