"""An HTTP server on this machine that answers with JSON or bytes: what stand-ins of the hub are made of."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class JsonHandler(BaseHTTPRequestHandler):
    """A request of any method comes to `answer`, which calls `send`."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def answer(self, path: str, body: bytes) -> None:
        raise NotImplementedError

    def send(self, status: int, content: Any, headers: Mapping[str, str] | None = None) -> None:
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)

    def do_GET(self) -> None:
        self.answer(self.path, self.rfile.read(int(self.headers.get("content-length", 0))))

    do_HEAD = do_POST = do_GET

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving(handler: type[JsonHandler], **attributes: Any) -> Iterator[str]:
    """The address of a server whose handler has these attributes."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (handler,), attributes))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
