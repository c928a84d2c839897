"""Requests of people with bad intentions, and of machines without any: refused, or shown as text."""

from __future__ import annotations

import random
import string
from urllib.parse import quote

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from explorer_server import EVIL

pytestmark = pytest.mark.slow

CONFORMANCE = (content_type_conformance, response_schema_conformance, status_code_conformance)
NO_INPUT = ("GET /api/kinds", "GET /api/models")


def hostile(seed=0):
    """500 requests that no honest program would send: method, path and options."""
    rng = random.Random(seed)
    texts = [
        EVIL,
        "'\"><svg/onload=alert(1)>",
        "{{7*7}}${7*7}<%= 7*7 %>",
        "../../../../etc/passwd",
        "..%2f..%2fetc%2fpasswd",
        "%00",
        "\x00\x01\x1b[31m",
        "‮evil⁦",
        "💣" * 50,
        "' OR 1=1 --",
        "=cmd|' /C calc'!A0",
        "a" * 5000,
        "javascript:alert(1)",
        "\r\nSet-Cookie: a=b",
        "He [SEP] [CLS] [PAD] her",
        "",
    ]
    for n in range(500):
        text = rng.choice(texts) + "".join(rng.choices(string.printable, k=rng.randrange(8)))
        kind = n % 10
        if kind == 0:
            yield "GET", f"/runs/{quote(text, safe=rng.choice(['', '/%']))}", {}
        elif kind == 1:
            yield "GET", "/runs", {"params": {"q": text}}
        elif kind == 2:
            yield "GET", "/probe", {"params": {"text": text[:300], "model": rng.choice(["builtin", text])}}
        elif kind == 3:
            field = rng.choice(["q", "column", "sort", "low", "page", "size", "desc"])
            yield "GET", "/runs/{evil}/items/own", {"params": {field: text}}
        elif kind == 4:
            yield "POST", "/swap", {"data": {"text": text, rng.choice(["to", "terms", "other"]): text}}
        elif kind == 5:
            yield "POST", "/api/swap", {"json": {"text": text, "names": rng.choice([True, text])}}
        elif kind == 6:
            yield "POST", "/api/probe", {"content": text.encode("utf-16")[: rng.randrange(1, 400)]}
        elif kind == 7:
            body = rng.choice([b"", b"[" * 20_000, b'{"text": 1e999}', b"\xff" * 300, b"x" * (700 << 10)])
            yield "POST", rng.choice(["/api/probe", "/api/swap", "/swap"]), {"content": body}
        elif kind == 8:
            yield "GET", "/compare", {"params": {"run": [text, rng.choice(["{before}", text])]}}
        else:
            headers = {"Content-Type": rng.choice(["text/xml", "application/json; charset=utf-7", "a/b"])}
            yield "POST", "/api/probe", {"content": b'{"text": "+ADw-script+AD4-"}', "headers": headers}


def test_500_hostile_inputs_are_refused_or_shown_as_text(client, ids):
    seen: dict[int, int] = {}
    for method, path, options in hostile():
        answer = client.request(method, path.replace("{evil}", ids["evil"]), **options)
        seen[answer.status_code] = seen.get(answer.status_code, 0) + 1
        assert answer.status_code < 500, (method, path, options)
        assert "root:" not in answer.text
        if "html" in answer.headers["content-type"]:
            for harm in ("<script>alert", "<img src=x", "<svg/onload"):
                assert harm not in answer.text
            assert "script-src 'self'" in answer.headers["content-security-policy"]
        assert "set-cookie" not in answer.headers
    assert sum(seen.values()) == 500
    assert {200, 404, 413, 422} <= set(seen)


def test_text_of_runs_is_shown_as_text_everywhere(client, ids):
    for path in ("/runs", "/runs/{evil}", "/runs/{evil}/items/own", "/runs/{evil}/report.html", "/probe"):
        answer = client.get(path.format(**ids))
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text
        assert "&lt;script&gt;alert" in answer.text


def test_a_report_of_others_can_do_nothing(client, ids, folder):
    report = folder / "before" / "report.html"
    report.write_text(EVIL)
    answer = client.get(f"/runs/{ids['before']}/report.html")
    assert answer.text == EVIL
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'")
    assert "script-src" not in policy
    report.unlink()
    report.symlink_to(folder.parent / "secret" / "manifest.json")
    assert client.get(f"/runs/{ids['before']}/report.html").status_code == 422
    report.unlink()
    assert "gender bias" in client.get(f"/runs/{ids['before']}/report.html").text


def test_the_same_report_below_the_navigation_can_do_nothing_either(client, ids, folder):
    report = folder / "before" / "report.html"
    report.write_text(f"<html><body>{EVIL}</body></html>")
    answer = client.get(f"/runs/{ids['before']}")
    report.unlink()
    assert answer.text.index("<body>") < answer.text.index('aria-label="Explorer"') < answer.text.index(EVIL)
    assert answer.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert "script-src" not in answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_schemathesis_finds_nothing(address, mode):
    """Every status and answer is documented, and what violates the schema is refused."""
    schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
    tested = []
    for found in schema.get_all_operations():
        operation = found.ok()
        if mode is GenerationMode.NEGATIVE and operation.label in NO_INPUT:
            continue

        @settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(operation.as_strategy(generation_mode=mode))
        def check(case):
            answer = case.call(base_url=address, timeout=60)  # the first probe loads the model
            checks = [not_a_server_error, *CONFORMANCE]
            if answer.status_code != 413:  # schemathesis does not take this for a refusal
                checks.append(negative_data_rejection)
            case.validate_response(answer, checks=checks)

        check()
        tested.append(operation.label)
    assert len(tested) == 8 - len(NO_INPUT) * (mode is GenerationMode.NEGATIVE)
