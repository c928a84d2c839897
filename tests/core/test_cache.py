from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from counterpoise.core.cache import ScoreCache, default_path
from counterpoise.core.errors import CounterpoiseError


@pytest.fixture
def cache(tmp_path):
    return ScoreCache(tmp_path / "scores.sqlite")


def test_scores_come_back_exactly_and_by_space(cache):
    scores = {bytes([i // 256, i % 256]): -i / 7 for i in range(2000)}
    cache.put("a", scores)
    cache.put("b", {b"\0\0": 5.0})
    assert cache.get("a", list(scores)) == scores
    assert cache.get("b", list(scores)) == {b"\0\0": 5.0}
    assert cache.get("c", list(scores)) == {}


def test_info_counts_and_clear_forgets(cache):
    assert cache.info().scores == 0
    cache.put("a", {b"x": 1.0, b"y": 2.0})
    assert cache.info().spaces == {"a": 2}
    cache.clear()
    assert cache.get("a", [b"x"]) == {}
    assert cache.info().scores == 0


def test_two_processes_write_at_once(cache):
    code = (
        "import sys; from counterpoise.core.cache import ScoreCache\n"
        "for i in range(50): ScoreCache(sys.argv[1]).put('a', {f'{sys.argv[2]}{i}'.encode(): float(i)})"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(cache.path), name]) for name in "pq"]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert cache.info().scores == 100


def test_a_damaged_file_is_one_clear_line_and_can_be_cleared(cache):
    cache.path.write_bytes(b"this is no database" * 100)
    with pytest.raises(CounterpoiseError, match="counterpoise cache clear"):
        cache.get("a", [b"x"])
    cache.clear()
    cache.put("a", {b"x": 1.0})
    assert cache.get("a", [b"x"]) == {b"x": 1.0}


@pytest.mark.skipif(sys.platform != "linux", reason="the folders of Linux")
@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, "/home/ada/.cache/counterpoise"),
        ({"XDG_CACHE_HOME": "/fast"}, "/fast/counterpoise"),
        ({"XDG_CACHE_HOME": "/fast", "COUNTERPOISE_CACHE": "/mine"}, "/mine"),
    ],
)
def test_where_the_cache_is(monkeypatch, variables, expected):
    for name in ("XDG_CACHE_HOME", "COUNTERPOISE_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/ada", **variables}.items():
        monkeypatch.setenv(name, value)
    assert default_path() == Path(expected) / "scores.sqlite"


def test_answers_are_stored_one_by_one_beside_scores(tmp_path):
    cache = ScoreCache(tmp_path / "scores.sqlite")
    cache.put("model", {b"1": -1.0})
    with cache.storing_answers("endpoint") as store:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda i: store(b"%d" % i, f"answer {i}"), range(50)))
        # Others see them at once, and can write in the meantime.
        assert ScoreCache(cache.path).get_answers("endpoint", [b"7", b"99"]) == {b"7": "answer 7"}
        cache.put("model", {b"2": -2.0})
    assert cache.get_answers("model", [b"7"]) == {}
    assert cache.info().spaces == {"endpoint": 50, "model": 2}
