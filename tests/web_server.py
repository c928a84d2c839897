"""A real web server on this machine, for tests of downloads: what it answers is written down beforehand."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Answer:
    body: bytes = b""
    status: int = 200
    announced: int | None = None  # the Content-Length, where it is not that of the body
    headers: dict[str, str] = field(default_factory=dict)
    until: threading.Event | None = (
        None  # after the body the answer goes on, but nothing comes before this is set
    )


@dataclass
class Web:
    """Answers by path, one after another, the last one for ever; and what was asked for."""

    url: str
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, path: str, *answers: Answer) -> str:
        self.answers[path] = list(answers)
        return self.url + path

    def take(self, path: str, agent: str) -> Answer:
        with self._lock:
            self.asked.append(path)
            self.agents.append(agent)
            waiting = self.answers.get(path, [Answer(status=404)])
            return waiting.pop(0) if len(waiting) > 1 else waiting[0]


@contextmanager
def serving() -> Iterator[Web]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            given = web.take(self.path, self.headers.get("User-Agent", ""))
            self.send_response(given.status)
            length = len(given.body) if given.announced is None else given.announced
            if length >= 0:  # -1: the length is not announced
                self.send_header("Content-Length", str(length))
            for name, value in given.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(given.body)
            if given.until is not None:
                self.wfile.flush()
                given.until.wait(30)

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    web = Web(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
