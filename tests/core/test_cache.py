from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from counterpoise.core.cache import ScoreCache, default_path


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


def test_a_file_that_is_no_database_is_reported_once_and_can_be_cleared(cache, capsys):
    cache.path.write_bytes(b"this is no database" * 100)
    assert cache.get("a", [b"x"]) == {}
    cache.put("a", {b"x": 1.0})
    assert cache.get("a", [b"x"]) == {}
    [line] = capsys.readouterr().err.splitlines()
    assert "cannot be used" in line
    assert "counterpoise cache clear" in line
    assert cache.info().problem is not None
    cache.clear()
    cache.put("a", {b"x": 1.0})
    assert cache.get("a", [b"x"]) == {b"x": 1.0}


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE checked_scores SET score = score + 1e-9",
        "UPDATE checked_scores SET score = 'text'",
        "UPDATE checked_scores SET checksum = zeroblob(8)",
        "UPDATE spaces SET name = CASE name WHEN 'a' THEN 'b' ELSE 'a' END || '!'",
    ],
)
def test_a_changed_score_is_never_used(cache, capsys, change):
    cache.put("a", {b"x": 1.0, b"y": 2.0})
    cache.put("b", {b"x": 3.0})
    with closing(sqlite3.connect(cache.path)) as connection, connection:
        connection.execute(change)
    if "name" in change:  # the scores of one model under the name of another
        assert cache.get("a!", [b"x"]) == {}
    else:
        assert cache.get("a", [b"x", b"y"]) == {}
        assert cache.get("b", [b"x"]) == {}
    [line] = capsys.readouterr().err.splitlines()
    assert "will be computed again" in line
    cache.put("a", {b"x": 1.0})
    assert cache.get("a", [b"x"]) == {b"x": 1.0}


@pytest.mark.parametrize("seed", range(40))
def test_flipped_bytes_give_the_same_score_or_none(cache, seed):
    scores = {bytes([i]): -i / 7 for i in range(200)}
    cache.put("a", scores)
    with closing(sqlite3.connect(cache.path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    rng = random.Random(seed)
    content = bytearray(cache.path.read_bytes())
    for _ in range(8):
        content[rng.randrange(len(content))] = rng.randrange(256)
    cache.path.write_bytes(content)
    damaged = ScoreCache(cache.path)
    assert damaged.get("a", list(scores)).items() <= scores.items()
    damaged.put("a", scores)
    assert ScoreCache(cache.path).get("a", list(scores)).items() <= scores.items()
    ScoreCache(cache.path).info()


def test_a_cache_of_an_earlier_version_is_recognised(cache, capsys):
    with closing(sqlite3.connect(cache.path)) as connection, connection:
        connection.execute("CREATE TABLE spaces (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL)")
        connection.execute("CREATE TABLE scores (space INTEGER, question BLOB, score REAL)")
        connection.execute("INSERT INTO spaces VALUES (1, 'a')")
        connection.execute("INSERT INTO scores VALUES (1, ?, 5.0)", [b"x"])
    assert cache.get("a", [b"x"]) == {}
    cache.put("a", {b"x": 1.0})
    assert cache.get("a", [b"x"]) == {b"x": 1.0}
    [line] = capsys.readouterr().err.splitlines()
    assert "earlier version" in line


def test_a_folder_in_its_place_stops_nothing(cache, capsys):
    cache.path.mkdir()
    assert cache.get("a", [b"x"]) == {}
    cache.put("a", {b"x": 1.0})
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert cache.info().problem is not None


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
