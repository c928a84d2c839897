"""Files that claim or hold more than a machine can take are one line, at once."""

from __future__ import annotations

import gzip
import io
import os
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import runs
from counterpoise.audit.run import Run
from counterpoise.audit.run_options import RunOptions
from counterpoise.core.errors import DataError, RunError
from counterpoise.corpus.counting.counts import CorpusCounts
from counterpoise.data.thirdparty.sources import RemoteFile
from counterpoise.data.thirdparty.unpack import unpack
from counterpoise.data.user.texts import read_texts
from counterpoise.models.vectors import WordVectors
from counterpoise.web.folder import RunFolder
from robustness.commands import attempt, command
from robustness.hostile_tables import repeated_text


@pytest.fixture
def short_lines(monkeypatch):
    monkeypatch.setenv("COUNTERPOISE_MAX_LINE", "1")


@pytest.mark.parametrize("suffix", ["txt", "csv", "jsonl"])
@pytest.mark.parametrize("program", ["swap", "corpus"])
def test_a_line_that_never_ends(suffix, program, tmp_path, short_lines):
    path = tmp_path / f"mine.{suffix}.gz"
    path.write_bytes(gzip.compress(b"text\n" + b"x" * 5_000_000))
    more = ["--to", "male", "-o", tmp_path / f"out.{suffix}"] if program == "swap" else []
    outcome = command([program, path, *more])
    assert outcome.trace is None
    if suffix != "jsonl":  # whose first line is none
        assert "line 2: a line has more than 1 MB; the variable COUNTERPOISE_MAX_LINE" in outcome.message
    assert not (tmp_path / f"out.{suffix}").exists()


def test_a_cell_of_many_lines_that_is_too_long(tmp_path, short_lines):
    (tmp_path / "mine.csv").write_text('text\n"' + "x\n" * 600_000 + '"\n')
    outcome = command(["swap", tmp_path / "mine.csv", "--to", "male", "-o", tmp_path / "out.csv"])
    assert (
        "mine.csv, line 500002: a line has more than 1 MB; the variable COUNTERPOISE_MAX_LINE"
        in outcome.message
    )


@pytest.mark.parametrize("given", ["-1", "0", "nan", "inf", "x", ""])
def test_a_limit_that_is_none_is_one_line(given, tmp_path, monkeypatch):
    monkeypatch.setenv("COUNTERPOISE_MAX_LINE", given)
    (tmp_path / "mine.txt").write_text("She is a nurse.\n")
    outcome = command(["swap", tmp_path / "mine.txt", "--to", "male", "-o", tmp_path / "out.txt"])
    assert outcome.trace is None
    assert outcome.message.startswith("COUNTERPOISE_MAX_LINE must be a number of megabytes")


@pytest.mark.parametrize("name", ["manifest.json", "summary.json", "skipped.parquet", "scores/own.parquet"])
@pytest.mark.parametrize("program", ["report", "compare", "gate", "resume", "explorer"])
def test_a_pipe_in_a_run_is_not_waited_for(name, program, tmp_path):
    folder = runs.save_run(tmp_path / "run", runs.word_result())
    other = runs.save_run(tmp_path / "other", runs.word_result("other", seed=1))
    (folder / "report.html").write_text("<body>page</body>")
    (folder / name).unlink()
    os.mkfifo(folder / name)
    if program == "explorer":
        explored = RunFolder(tmp_path)
        entry = next(entry for entry in explored.entries() if entry.path == "run")
        outcome = attempt(lambda: explored.open(entry.id))
    elif program == "resume":
        outcome = attempt(lambda: resume(folder))
    else:
        more = {
            "gate": ["--rule", "own.lean <= 9"],
            "compare": [other, "--out", tmp_path / "out"],
            "report": [],
        }
        outcome = command([program, folder, *more[program]])
    assert outcome.trace is None
    # Without a manifest, `compare` takes the folder for a model.
    assert (
        "is not a model" if program == "compare" and name == "manifest.json" else name.rpartition("/")[2]
    ) in outcome.message


def resume(folder):
    with Run.start(folder, RunOptions("one", "one-0", "float32", ("own",), "corrected", 0, None)):
        pass


def test_a_pipe_among_kept_counts_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "counts.npz")
    with pytest.raises(RunError, match=r"counts\.npz is not an ordinary file"):
        CorpusCounts.load(tmp_path / "counts.npz")


@pytest.mark.parametrize(
    "arguments",
    [
        ["swap", "/dev/zero", "--to", "male"],
        ["corpus", "/dev/zero"],
        ["corpus", "mine.txt", "--professions", "/dev/zero"],
        ["audit", "http://127.0.0.1:9", "--model", "m", "--key-file", "/dev/zero"],
        ["audit", "builtin", "--measures", "weat", "--words", "/dev/zero"],
        ["audit", "builtin", "--measures", "sld", "--pairs", "/dev/zero"],
        ["train", "/dev/zero", "--out", "nowhere"],
        ["catalog", "validate", "/dev/zero"],
        ["gate", "nowhere", "--rules", "/dev/zero"],
        ["study", "run", "/dev/zero"],
    ],
)
def test_devices_are_not_read(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.txt").write_text("She is a nurse.\n")
    outcome = command(arguments)
    assert outcome.trace is None
    assert "/dev/zero" in outcome.message or arguments[:2] == ["gate", "nowhere"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("v.txt", b"3 1000000000\nhe 1 2 3\n", "claims 1,000,000,000 numbers for each word"),
        ("v.bin", b"3 1000000000\nhe \x00\x00\x00\x00", "claims 1,000,000,000 numbers for each word"),
        ("v.txt", b"he " + b"1 " * 200_000 + b"\n", "at most 100,000 are read"),
        ("v.txt", b"he" + b"1" * 20_000_000, "COUNTERPOISE_MAX_LINE"),
        ("v.bin", b"3 4\n" + b"x" * 20_000_000, "COUNTERPOISE_MAX_LINE"),
    ],
)
def test_vectors_that_claim_too_much(name, content, message, tmp_path, short_lines):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        WordVectors.open(tmp_path / name)


def test_an_array_whose_header_claims_too_much(tmp_path):
    buffer = io.BytesIO()
    header = {"descr": "<f4", "fortran_order": False, "shape": (10**9, 300)}
    np.lib.format.write_array_header_1_0(buffer, header)
    (tmp_path / "v.npy").write_bytes(buffer.getvalue() + b"\0" * 1000)
    (tmp_path / "v.words.txt").write_text("he\n")
    with pytest.raises(DataError, match=r"cannot read .*v\.npy"):
        WordVectors.open(tmp_path / "v.npy")


def test_a_small_parquet_file_of_a_large_table(tmp_path, monkeypatch):
    path = tmp_path / "mine.parquet"
    pd.DataFrame({"text": [""] * 2_000_000}).to_parquet(path)
    assert path.stat().st_size < 100_000
    monkeypatch.setenv("COUNTERPOISE_MAX_TABLE", "1")
    with pytest.raises(DataError, match=r"mine\.parquet: the table has more than 1 MB"):
        read_texts(path)


def test_a_text_that_all_rows_of_a_parquet_file_repeat_is_counted_in_each(tmp_path, monkeypatch):
    once = pa.DictionaryArray.from_arrays(pa.array([0] * 5_000, pa.int32()), pa.array(["x" * 1000]))
    pq.write_table(pa.table({"text": once}), tmp_path / "mine.parquet", store_schema=False)
    assert (tmp_path / "mine.parquet").stat().st_size < 10_000
    monkeypatch.setenv("COUNTERPOISE_MAX_TABLE", "4")
    with pytest.raises(DataError, match=r"mine\.parquet: the table has more than 4 MB"):
        read_texts(tmp_path / "mine.parquet")
    monkeypatch.setenv("COUNTERPOISE_MAX_TABLE", "6")
    assert len(read_texts(tmp_path / "mine.parquet").table) == 5_000


def test_items_of_a_run_that_would_fill_the_memory(tmp_path):
    runs.save_run(tmp_path / "run", runs.word_result())
    repeated_text(tmp_path / "run" / "scores" / "own.parquet")
    outcome = command(["gate", tmp_path / "run", "--rule", "own.lean <= 9"])
    assert outcome.trace is None
    assert "own.parquet: the table has more than 1024 MB" in outcome.message


def test_an_encrypted_archive_is_one_line(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("f.txt", "text")
    content = bytearray((tmp_path / "a.zip").read_bytes())
    content[6] |= 1  # the flag for encryption, in the file's header and in the index
    content[content.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "a.zip").write_bytes(content)
    file = RemoteFile(name="f.txt", url="https://example.org/a.zip", sha256="0" * 64, size=1, unpack="member")
    with pytest.raises(DataError, match="encrypted"):
        unpack(file, tmp_path / "a.zip", tmp_path / "f.txt")
