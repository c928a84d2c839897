"""Downloads from a real server on this machine."""

from __future__ import annotations

import contextlib
import hashlib
import socket
import threading
import urllib.request

import pytest

from counterpoise.core import download as downloads
from counterpoise.core.download import DownloadError, Unreachable, download
from web_server import Answer, serving

BODY = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def web():
    with serving() as started:
        yield started


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    """What was waited for, without waiting."""
    waited: list[float] = []
    monkeypatch.setattr(downloads.time, "sleep", waited.append)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return waited


def test_a_good_download(web, tmp_path, waits):
    got = download(web.answer("/f", Answer(BODY)), tmp_path / "f", size=len(BODY), sha256=SHA256)
    assert (got.size, got.sha256) == (len(BODY), SHA256)
    assert (tmp_path / "f").read_bytes() == BODY
    assert waits == []
    assert "Python-urllib" not in web.agents[0]  # some servers turn that away


def test_without_size_and_checksum_both_are_told(web, tmp_path):
    got = download(web.answer("/f", Answer(BODY, announced=-1)), tmp_path / "f")
    assert (got.size, got.sha256) == (len(BODY), SHA256)


def test_another_file_is_said_and_not_asked_for_again(web, tmp_path, waits):
    url = web.answer("/f", Answer(b"x" * len(BODY)))
    other = hashlib.sha256(b"x" * len(BODY)).hexdigest()
    with pytest.raises(DownloadError, match=rf"its sha256 is {other}, not {SHA256}"):
        download(url, tmp_path / "f", size=len(BODY), sha256=SHA256)
    assert (web.asked, waits) == (["/f"], [])


def test_another_size_is_said_before_the_download(web, tmp_path):
    url = web.answer("/f", Answer(BODY + b"more"))
    with pytest.raises(DownloadError, match=f"it has {len(BODY) + 4} bytes, not {len(BODY)}"):
        download(url, tmp_path / "f", size=len(BODY), sha256=SHA256)
    assert (tmp_path / "f").read_bytes() == b""


def test_an_endless_answer_is_cut(web, tmp_path):
    url = web.answer("/f", Answer(BODY * 20, announced=-1))
    with pytest.raises(DownloadError, match=f"more than {len(BODY)} bytes"):
        download(url, tmp_path / "f", size=len(BODY))
    assert (tmp_path / "f").stat().st_size <= len(BODY)


@pytest.mark.parametrize("size", [len(BODY), None])
def test_a_body_that_breaks_off_is_tried_again(web, tmp_path, waits, size):
    url = web.answer("/f", Answer(BODY[:1000], announced=len(BODY)), Answer(BODY))
    assert download(url, tmp_path / "f", size=size).sha256 == SHA256
    assert (tmp_path / "f").read_bytes() == BODY
    assert waits == [1.0]


def test_a_body_that_always_breaks_off(web, tmp_path, waits):
    url = web.answer("/f", Answer(BODY[:1000], announced=len(BODY)))
    with pytest.raises(DownloadError, match=f"broke off after 1000 of {len(BODY)} bytes"):
        download(url, tmp_path / "f", size=len(BODY), sha256=SHA256)
    assert len(web.asked) == 4
    assert waits == [1.0, 2.0, 4.0]


def test_not_found_is_final(web, tmp_path, waits):
    with pytest.raises(DownloadError, match="answers 404 Not Found") as raised:
        download(web.url + "/nothing", tmp_path / "f")
    assert not isinstance(raised.value, Unreachable)
    assert (len(web.asked), waits) == (1, [])


def test_unavailable_and_then_fine(web, tmp_path, waits):
    busy = Answer(status=503)
    asked_to_wait = Answer(status=429, headers={"Retry-After": "7"})
    url = web.answer("/f", busy, asked_to_wait, Answer(BODY))
    assert download(url, tmp_path / "f", sha256=SHA256).size == len(BODY)
    assert waits == [1.0, 7.0]


def test_a_server_cannot_make_us_wait_for_hours(web, tmp_path, waits):
    url = web.answer("/f", Answer(status=503, headers={"Retry-After": "99999"}), Answer(BODY))
    download(url, tmp_path / "f")
    assert waits == [60.0]


@pytest.mark.parametrize("number", ["²", "9" * 5000, "-1", "x"])
def test_odd_numbers_in_headers_are_no_numbers(web, tmp_path, waits, number):
    busy = Answer(status=503, headers={"Retry-After": number})
    assert download(web.answer("/f", busy, Answer(BODY)), tmp_path / "f", sha256=SHA256).size == len(BODY)
    assert waits == [60.0 if number[0] == "9" else 1.0]
    url = web.answer("/g", Answer(BODY, announced=-1, headers={"Content-Length": number}))
    if number[0] != "9":
        assert download(url, tmp_path / "g").sha256 == SHA256
        return
    with pytest.raises(DownloadError, match="more than 8192 MB"):
        download(url, tmp_path / "g")


@pytest.mark.parametrize("place", ["http://[bad", "http://a]b/"])
def test_a_redirect_to_no_address_is_one_line(web, tmp_path, place):
    url = web.answer("/old", Answer(status=302, headers={"Location": place}))
    with pytest.raises(DownloadError, match=r"/old is no address, or leads to none \("):
        download(url, tmp_path / "f")


def test_redirects_are_followed(web, tmp_path):
    web.answer("/new", Answer(BODY))
    url = web.answer("/old", Answer(status=302, headers={"Location": "/new"}))
    assert download(url, tmp_path / "f").sha256 == SHA256


def test_a_closed_port(tmp_path, waits):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(Unreachable, match=r"cannot be reached \(Connection refused\)"):
        download(f"http://127.0.0.1:{port}/f", tmp_path / "f")
    assert waits == [1.0, 2.0, 4.0]


def test_a_server_that_hangs(tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "_TIMEOUT", 0.1)
    monkeypatch.setattr(downloads, "WAITS", ())
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/f"
        with pytest.raises(Unreachable, match="timed out"):
            download(url, tmp_path / "f")


def test_a_proxy_is_respected(web, tmp_path, monkeypatch):
    web.answer("http://example.org/f", Answer(BODY))  # a proxy is asked for the whole address
    monkeypatch.setenv("http_proxy", web.url)
    assert download("http://example.org/f", tmp_path / "f", sha256=SHA256).size == len(BODY)


def test_a_full_disk_is_no_network_failure(web, waits):
    with pytest.raises(OSError, match="No space left"):
        download(web.answer("/f", Answer(BODY)), "/dev/full")
    assert waits == []


def test_a_body_of_unknown_size_is_bounded(web, tmp_path, monkeypatch):
    url = web.answer("/f", Answer(BODY, announced=-1))
    monkeypatch.setenv("COUNTERPOISE_MAX_DOWNLOAD", "0.1")
    with pytest.raises(DownloadError, match=r"more than 0\.1 MB; the variable COUNTERPOISE_MAX_DOWNLOAD"):
        download(url, tmp_path / "f")
    monkeypatch.setenv("COUNTERPOISE_MAX_DOWNLOAD", "1")
    assert download(url, tmp_path / "f").sha256 == SHA256


def test_a_size_that_is_announced_is_bounded_too(web, tmp_path, monkeypatch):
    monkeypatch.setenv("COUNTERPOISE_MAX_DOWNLOAD", "0.1")
    with pytest.raises(DownloadError, match="COUNTERPOISE_MAX_DOWNLOAD"):
        download(web.answer("/f", Answer(BODY)), tmp_path / "f")
    assert (tmp_path / "f").stat().st_size == 0
    assert download(web.answer("/f", Answer(BODY)), tmp_path / "f", size=len(BODY)).sha256 == SHA256


@pytest.mark.parametrize(
    "begin",
    [
        b"HTTP/1.0 200 OK\r\n\r\n",
        b"HTTP/1.0 200 OK\r\nX: ",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;",
    ],
    ids=["body", "headers", "chunk"],
)
def test_a_server_that_drips_is_given_up(begin, tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "PATIENCE", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drip():
            connection, _ = listening.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(begin)
                with contextlib.suppress(OSError):
                    while True:
                        connection.sendall(b".")
                        dripped.wait(0.05)

        dripped = threading.Event()
        threading.Thread(target=drip, daemon=True).start()
        with pytest.raises(DownloadError, match="is given up"):
            download(f"http://127.0.0.1:{listening.getsockname()[1]}/f", tmp_path / "f")


def test_https_is_never_left_for_http():
    handler = downloads._NoDowngrade()
    request = urllib.request.Request("https://example.org/f")
    with pytest.raises(DownloadError, match="not encrypted"):
        handler.redirect_request(request, None, 302, "Found", {}, "http://example.org/f")
    onward = handler.redirect_request(request, None, 302, "Found", {}, "https://example.com/f")
    assert onward.full_url == "https://example.com/f"
