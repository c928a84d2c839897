"""Random bytes in every kind of cache file: the numbers stay what they were, and one line says what was damaged."""

from __future__ import annotations

import dataclasses
import random
import shutil
import sqlite3
from contextlib import closing

import numpy as np
import pytest

import counterpoise as cp
import few
from counterpoise.cli.main import run
from counterpoise.core.cache import ScoreCache, cache_folder
from counterpoise.corpus.counting.count_files import CountSettings, count_corpora
from counterpoise.data.corpus import Corpus
from counterpoise.models import vector_files
from counterpoise.models.vectors import WordVectors

BOUND = 1e-4  # what docs/runs.md promises of scores that are asked for in other batches
TIMES = [
    pytest.param(4, marks=pytest.mark.sample, id="few"),
    pytest.param(60, marks=pytest.mark.slow, id="many"),
]


def damage(path, rng):
    content = bytearray(path.read_bytes())
    for _ in range(rng.choice((1, 8, 8, 8, 200))):
        content[rng.randrange(len(content))] = rng.randrange(256)
    if not rng.randrange(6):
        del content[rng.randrange(len(content)) :]
    path.write_bytes(content)


@pytest.mark.parametrize("times", TIMES)
def test_scores(times, small, tmp_path, capsys, count_inputs):
    few.pairs().table.to_csv(tmp_path / "pairs.csv", index=False)

    def audited():
        result = cp.audit(small, measures="sld", pairs=tmp_path / "pairs.csv").results["sld"]
        return result.items.select_dtypes("number").to_numpy(), result.summary.value.to_numpy()

    whole = audited()
    path = ScoreCache().path
    assert ScoreCache().info().scores >= len(whole[0])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    kept = path.read_bytes()
    rng = random.Random(times)
    for _ in range(times):
        assert run(["cache", "clear"]) == 0
        path.write_bytes(kept)
        damage(path, rng)
        if not rng.randrange(4):
            path.with_name(f"{path.name}-wal").write_bytes(rng.randbytes(5000))
        assert run(["cache", "info"]) == 0
        capsys.readouterr()
        for now, then in zip(audited(), whole, strict=True):
            np.testing.assert_allclose(now, then, rtol=0, atol=BOUND)
        assert len(capsys.readouterr().err.splitlines()) <= 1
        count_inputs(1, "damaged caches")
    assert run(["doctor"]) == 0


@pytest.mark.parametrize("times", TIMES)
def test_word_vectors(times, tmp_path, monkeypatch, capsys, count_inputs):
    monkeypatch.setattr(vector_files, "_BIG", 1)
    words = ["he", "she", *(f"word{i}" for i in range(200))]
    rows = np.random.default_rng(0).normal(size=(len(words), 10)).astype(np.float32)
    lines = [f"{word} {' '.join(map(str, row.tolist()))}\n" for word, row in zip(words, rows, strict=True)]
    (tmp_path / "vectors.txt").write_text("".join(lines))
    expected = WordVectors.open(tmp_path / "vectors.txt").fingerprint
    [folder] = (cache_folder() / "vectors").iterdir()
    shutil.copytree(folder, tmp_path / "kept")
    rng = random.Random(times)
    for name in ("vectors.npy", "vectors.words.txt", "about.json"):
        for _ in range(times):
            shutil.rmtree(folder)
            shutil.copytree(tmp_path / "kept", folder)
            damage(folder / name, rng)
            assert run(["cache", "info"]) == 0
            capsys.readouterr()
            vectors = WordVectors.open(tmp_path / "vectors.txt")
            assert vectors.fingerprint == expected
            assert np.array_equal(vectors.lookup(words), rows)
            assert len(capsys.readouterr().err.splitlines()) <= 1
            count_inputs(1, "damaged caches")


@pytest.mark.parametrize("times", TIMES)
def test_counts(times, tmp_path, capsys, count_inputs):
    (tmp_path / "texts.txt").write_text("She is a nurse.\nHe is a pilot.\nThe nurse said she left.\n" * 20)

    def counted():
        [counts] = count_corpora(
            [Corpus.of(tmp_path / "texts.txt")], CountSettings(), keep=tmp_path / "counts"
        )
        return dataclasses.asdict(counts)

    whole = counted()
    [path] = (tmp_path / "counts").iterdir()
    kept = path.read_bytes()
    rng = random.Random(times)
    for _ in range(times):
        path.write_bytes(kept)
        damage(path, rng)
        now = counted()
        assert now.keys() == whole.keys()
        assert all(np.array_equal(now[name], whole[name]) for name in whole)
        assert len(capsys.readouterr().err.splitlines()) <= 1
        count_inputs(1, "damaged caches")
