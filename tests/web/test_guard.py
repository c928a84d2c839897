"""Who may ask, under which name, and how much."""

from __future__ import annotations

import socket

import httpx
import pytest

from counterpoise.web.explorer import Explorer
from counterpoise.web.guard import Guard, hosts_of
from counterpoise.web.limits import Limits
from explorer_server import serving


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:80", "[::1]:8321", "127.0.0.1:1"])
def test_the_names_of_this_machine_are_answered(client, host):
    assert client.get("/api/runs", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil:80", "10.0.0.1", "", "a:b"]
)
def test_no_other_name_is(client, host):
    answer = client.get("/api/runs", headers={"Host": host})
    assert answer.status_code == 400
    assert answer.json()["detail"] == "this server does not go by that name"


def test_in_a_network_addresses_are_answered_and_strange_names_are_not():
    guard = Guard(None, limits=Limits(), hosts=hosts_of("0.0.0.0"))
    assert guard._is_known("192.168.1.7:8321")
    assert guard._is_known("[fe80::1]:8321")
    assert guard._is_known(socket.gethostname())
    assert not guard._is_known("evil.example:8321")


@pytest.mark.parametrize(
    ("site", "mode", "dest", "status"),
    [
        ("cross-site", "navigate", "document", 200),
        ("cross-site", "navigate", "iframe", 403),
        ("cross-site", "no-cors", "image", 403),
        ("same-site", "cors", "empty", 403),
        ("same-origin", "cors", "empty", 200),
        ("none", "navigate", "document", 200),
    ],
)
def test_other_sites_may_link_and_nothing_else(client, site, mode, dest, status):
    headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest}
    assert client.get("/api/runs", headers=headers).status_code == status


def test_every_answer_has_the_headers_of_safety(client, ids):
    for path in ("/runs", "/api/runs", "/nowhere", "/static/style.css", f"/runs/{ids['before']}/report.html"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "access-control-allow-origin" not in headers
        assert headers.get_list("content-security-policy") == [headers["content-security-policy"]]


def test_a_body_without_a_length_is_counted(client):
    def endless():
        for _ in range(200):
            yield b"x" * 8192

    answer = client.post("/api/swap", content=endless())
    assert answer.status_code == 413


@pytest.mark.parametrize("length", ["-1", "x", "9" * 30])
def test_a_length_that_is_none_is_refused(address, length):
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as raw:
        raw.sendall(f"POST /api/swap HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n".encode())
        assert raw.recv(100).split()[1] in (b"400", b"413")


def test_a_body_that_never_comes_is_given_up(folder):
    with serving(Explorer(folder, limits=Limits(seconds=0.3))) as address:
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as raw:
            raw.sendall(f"POST /api/swap HTTP/1.1\r\nHost: {host}\r\nContent-Length: 10\r\n\r\nx".encode())
            assert raw.recv(100).split()[1] == b"504"
        assert httpx.get(f"{address}/api/runs").status_code == 200
