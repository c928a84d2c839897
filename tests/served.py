"""Servers on this machine for tests of endpoints: our own, one that misbehaves on purpose, and llama.cpp's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from counterpoise.models import CausalLM
from counterpoise.web.model_server import LIMITS, make_model_app
from counterpoise.web.server import server_config


@contextmanager
def serving_model(model: CausalLM) -> Iterator[str]:
    """Serves a model in a thread and yields the address of its endpoint."""
    server = uvicorn.Server(server_config(make_model_app(model), LIMITS, port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    [listening] = server.servers[0].sockets
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
    finally:
        server.should_exit = True
        thread.join(10)


_CLIENT = httpx.Client(timeout=60)

Answer = Callable[["Misbehaving", str, dict[str, Any]], None]


class Misbehaving(BaseHTTPRequestHandler):
    """Forwards requests to a good server; a test says what happens instead."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body in one packet
    good: str
    instead: Answer | None = None
    asked: list[tuple[str, dict[str, Any]]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        type(self).asked.append((self.path, body))
        if type(self).instead is not None:
            type(self).instead(self, self.path, body)
        else:
            self.reply(self.forward(self.path, body))

    def forward(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """What the good server answers."""
        answer = _CLIENT.post(self.good.removesuffix("/v1") + path, json=body)
        return answer.json() | ({"status": answer.status_code} if answer.is_error else {})

    def reply(self, document: Any, status: int = 200, **headers: str) -> None:
        raw = document if isinstance(document, bytes) else json.dumps(document).encode()
        if isinstance(document, dict):
            status = document.get("status", status)
        self.send_response(status)
        self.send_header("content-length", str(len(raw)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(raw)
        self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        pass


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Clients that hang up are part of the tests."""


@contextmanager
def misbehaving(good: str) -> Iterator[tuple[str, type[Misbehaving]]]:
    """Yields the address of a server in front of a good one, and the class whose `instead` a test sets."""
    handler = type("Handler", (Misbehaving,), {"good": good, "asked": [], "instead": None})
    server = _QuietServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", handler
    finally:
        server.shutdown()
        server.server_close()


def only_next(top: int) -> Answer:
    """A server like llama.cpp's: echo and prompt_logprobs are ignored, and there are at most `top` next tokens."""

    def instead(self: Misbehaving, path: str, body: dict[str, Any]) -> None:
        body.pop("echo", None)
        body.pop("prompt_logprobs", None)
        if body.get("logprobs", 0) > top:
            self.reply({"error": {"message": f"logprobs may be {top} at most"}}, 400)
        else:
            self.reply(self.forward(path, body))

    return instead


def smollm2() -> Path:
    """The GGUF file that COUNTERPOISE_SMOLLM2 names, or that of the data folder."""
    named, data = os.environ.get("COUNTERPOISE_SMOLLM2"), os.environ.get("COUNTERPOISE_DATA")
    path = Path(named) if named else next(iter((Path(data or "") / "smollm2").glob("*.gguf")), None)
    if path is None or not path.is_file():
        pytest.skip("needs smollm2: COUNTERPOISE_SMOLLM2 names no file")
    return path


_LLAMA_SERVER = """
import sys, xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path, parameters.model_alias = sys.argv[1], {"smollm2"}
parameters.n_ctx, parameters.n_parallel, parameters.port, parameters.verbosity = 2048, 1, 0, 0
parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


@contextmanager
def llama_server(model: Path) -> Iterator[str]:
    """llama.cpp's own server with a model, in a process of its own; yields the address of its endpoint."""
    pytest.importorskip("xllamacpp", reason="needs xllamacpp")
    process = subprocess.Popen(
        [sys.executable, "-c", _LLAMA_SERVER, str(model)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), "llama.cpp's server did not start"
        yield f"{address}/v1"
    finally:
        process.kill()
        process.wait(10)
