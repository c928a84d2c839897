"""`counterpoise audit URL`: what is printed and kept, the key that is written nowhere, and a run that is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import counterpoise as cp
import tiny
from counterpoise.audit.run import Run
from counterpoise.cli.main import run
from counterpoise.core.files import read_json
from counterpoise.models import CausalLM
from counterpoise.models.endpoints.choices import CONTROLS
from served import Misbehaving, misbehaving, serving_model

KEY = "sk-do/not-write-this-anywhere-4711"
GOOD = tuple(good for good, _ in CONTROLS)
PAIRS = "stereotyped,counterpart,category\n" + "".join(
    f"The {word} said that she was tired.,The {word} said that he was tired.,{group}\n"
    for group, words in {"care": ["nurse", "nanny", "maid", "teacher"], "work": ["baker", "cook"]}.items()
    for word in words
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> CausalLM:
    return cp.load(tiny.save("gpt2-without-pad", tmp_path_factory.mktemp("served")), device="cpu")


@pytest.fixture(scope="module")
def good(model: CausalLM) -> Iterator[str]:
    with serving_model(model) as address:
        yield address


@pytest.fixture
def in_front(good: str) -> Iterator[tuple[str, type[Misbehaving]]]:
    with misbehaving(good) as server:
        yield server


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    path.write_text(PAIRS)
    return path


def audit(url: str, name: str, pairs: Path, out: Path, *more: str) -> list[str]:
    return [
        "audit",
        url,
        "--model",
        name,
        "--measures",
        "sld",
        "--pairs",
        str(pairs),
        "--out",
        str(out),
        *more,
    ]


def test_what_was_found_is_printed_and_kept(good, model, pairs, tmp_path, capsys):
    prices = ("--price-in", "2", "--price-out", "10")
    assert run(audit(good, model.name, pairs, tmp_path / "run", *prices)) == 0
    printed = capsys.readouterr()
    assert "log-probabilities of the prompt: yes, by echo" in printed.err
    assert "12 questions to ask, about " in printed.err
    assert "for the tokens" in printed.err
    assert "asked 12 questions, besides" in printed.err
    assert "likelihood of whole sentences" in " ".join(printed.out.split())
    manifest = read_json(tmp_path / "run" / "manifest.json")
    assert manifest["kind"] == "endpoint"
    assert manifest["options"]["loading"]["endpoint"] == good
    assert "log-probabilities of the prompt: yes, by echo" in manifest["options"]["loading"]["capabilities"]
    assert "log-probabilities of the prompt: yes, by echo" in (tmp_path / "run" / "report.html").read_text()
    assert run(audit(good, model.name, pairs, tmp_path / "again")) == 0
    assert "0 questions to ask (12 answered before)" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("how", ["environment", "file"])
def test_the_key_is_sent_and_written_nowhere(in_front, model, pairs, tmp_path, capsys, monkeypatch, how):
    url, server = in_front
    sent = set()

    def repeats_the_key(self, path, body):
        sent.add(self.headers["authorization"])
        if len(server.asked) % 5 == 0:
            self.reply({"error": {"message": f"bad luck, {self.headers['authorization']}"}}, 503)
        elif "messages" in body or body.get("logprobs"):
            self.reply({"error": {"message": "x" * 280 + KEY}}, 400)
        else:
            first = body["prompt"].partition("\nB: ")[0]
            answer = {
                "model": f"m by {KEY}",
                "choices": [{"text": f"{'A' if first.endswith(GOOD) else 'B'}: {KEY}"}],
            }
            if body.get("prompt_logprobs") is not None:
                unreadable = {"1": {"decoded_token": "a", "logprob": KEY}}
                answer["choices"][0]["prompt_logprobs"] = [None, unreadable]
            self.reply(json.dumps(answer).replace("/", "\\/").encode())

    server.instead = repeats_the_key
    monkeypatch.setattr("counterpoise.models.endpoints.transport._FIRST_WAIT", 0.01)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # where tracebacks of unforeseen errors go
    more: tuple[str, ...] = ()
    if how == "environment":
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
    else:
        (tmp_path / "key").write_text(f"{KEY}\n")
        more = ("--key-file", str(tmp_path / "key"))
    assert run(audit(url, model.name, pairs, tmp_path / "run", *more)) == 0
    server.instead = lambda self, path, body: self.reply({"error": {"message": KEY}}, 400)
    assert run(audit(url, "other", pairs, tmp_path / "failed", *more)) == 2
    monkeypatch.setattr("counterpoise.models.endpoints.transport._message", lambda content: 1 / 0)
    assert run(audit(url, "other", pairs, tmp_path / "unforeseen", *more)) == 1
    assert list(tmp_path.glob("*.traceback.txt"))
    assert sent == {f"Bearer {KEY}"}
    printed = capsys.readouterr()
    assert "anywhere-4711" not in printed.out + printed.err
    assert "[key]" in printed.err
    cache = Path(os.environ["COUNTERPOISE_CACHE"])
    written = [path for folder in (tmp_path, cache) for path in folder.rglob("*") if path.is_file()]
    assert any(path.suffix == ".sqlite" for path in written)
    for path in written:
        assert path.name == "key" or b"anywhere-4711" not in path.read_bytes()


def test_a_limit_takes_a_balanced_sample_and_widens_the_interval(good, model, pairs, tmp_path, capsys):
    assert run(audit(good, model.name, pairs, tmp_path / "all")) == 0
    assert run(audit(good, model.name, pairs, tmp_path / "some", "--limit", "4")) == 0
    whole, some = (Run.read(tmp_path / name).results["sld"] for name in ("all", "some"))
    assert some.items.category.value_counts().to_dict() == {"care": 2, "work": 2}
    assert set(some.items.stereotyped) <= set(whole.items.stereotyped)
    widths = [result.summary.ci_high[0] - result.summary.ci_low[0] for result in (whole, some)]
    assert widths[0] < widths[1]
    assert run(["audit", "builtin", "--measures", "sld", "--limit", "4", "--out", str(tmp_path / "no")]) == 2
    assert "--limit is for causal language models and endpoints" in capsys.readouterr().err


def test_wrong_input_is_one_line(tmp_path, capsys):
    for command, message in (
        (["audit", "http://127.0.0.1:9/v1"], "name the one to ask"),
        (["audit", "ftp://127.0.0.1/v1", "--model", "m"], "begins with http"),
        (["audit", "http://127.0.0.1:9/v1", "--model", "m", "--key-file", "nowhere"], "cannot read the key"),
        (["audit", "http://a..b/v1", "--model", "m"], "cannot be read"),
        (["audit", "http://xn--/v1", "--model", "m"], "cannot be read"),
        (["audit", "http://127.0.0.1:9/v1", "--model", "m", "--timeout", "nan"], "--timeout"),
        (["audit", "builtin", "--model", "m"], "builtin is not an address"),
        (["audit", "builtin", "--price-in", "1"], "for models behind an endpoint"),
    ):
        assert run([*command, "--out", str(tmp_path / "run")]) == 2
        printed = capsys.readouterr().err.strip()
        assert message in printed
        assert "\n" not in printed
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_killed_audit_asks_only_what_is_missing(in_front, model, pairs, tmp_path):
    url, server = in_front

    def slowly(self, path, body):
        time.sleep(0.15 if "said that" in body.get("prompt", "") else 0)
        self.reply(self.forward(path, body))

    server.instead = slowly
    command = [sys.executable, "-m", "counterpoise", *audit(url, model.name, pairs, tmp_path / "run")]
    command += ["--concurrency", "1"]

    def asked() -> list[str]:
        prompts = [body.get("prompt", "") for _, body in server.asked]
        return [prompt for prompt in prompts if "said that" in prompt]

    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while len(asked()) < 5:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    before = asked()
    server.asked.clear()
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    after = asked()
    assert len(set(before) | set(after)) == 12
    assert len(after) == len(set(after))  # nothing is asked twice
    # Of what was sent, only the question that was in the air when the process died had no answer yet.
    assert set(before) & set(after) <= {before[-1]}
