"""A disk that is full at the n-th file, folder or name that is made, for every n: nothing is half-written, and the same
command mends it.

`test_interruptions.py` has disks that are full within a file. Audit hooks cannot be taken back, so each n is a child.
"""

from __future__ import annotations

import errno
import itertools
import os
import sys

import numpy as np
import pytest

import runs
from counterpoise.audit.reading import read_results
from counterpoise.cli.main import run
from counterpoise.core.errors import CounterpoiseError
from robustness.test_interruptions import child, ended

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks")
DONE, FAILED_AND_SAID, FAILED_IN_SILENCE = 0, 2, 3


def fails_at(n, folder):
    """From now on, the n-th thing that is made in a folder is not; says how many were tried."""
    tried = []

    def hook(event, arguments):
        if event not in ("open", "os.mkdir", "os.rename"):
            return
        path = arguments[0]
        if not isinstance(path, str | os.PathLike) or not os.fspath(path).startswith(str(folder)):
            return
        is_read = event == "open" and not arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if is_read or (event == "os.mkdir" and os.path.isdir(path)):
            return
        tried.append(event)
        if len(tried) == n:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    sys.addaudithook(hook)
    return tried


def in_every_step(work, folder, count_inputs):
    """Runs work in a child whose n-th step fails, for each n until there is no such step; yields n and its code."""
    for n in itertools.count(1):

        def failing(n=n):
            tried = fails_at(n, folder)
            code = work() or DONE
            return code if len(tried) < n or code else FAILED_IN_SILENCE

        code = ended(child(failing))
        if code == DONE:
            assert n > 3, "nothing was made"
            return
        count_inputs(1, "failing writes")
        yield n, code


@pytest.mark.slow
def test_a_run_in_every_step(tmp_path, count_inputs):
    results = runs.word_result(measure="own"), runs.word_result(measure="second", seed=1)
    whole = runs.save_run(tmp_path / "whole", *results)
    expected = read_results(whole)[1][0].summary.value.to_numpy()
    folder = tmp_path / "run"
    for n, code in in_every_step(lambda: runs.save_run(folder, *results) and DONE, tmp_path, count_inputs):
        assert code == FAILED_AND_SAID, n
        assert not list(tmp_path.rglob(".*.part")), n
        try:
            read_results(folder)
        except CounterpoiseError as error:
            assert "\n" not in str(error)  # noqa: PT017
        runs.save_run(folder, *results)
        np.testing.assert_array_equal(read_results(folder)[1][0].summary.value.to_numpy(), expected)
        assert not list(tmp_path.rglob(".*.part")), n
        for path in sorted(folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        folder.rmdir()


@pytest.mark.parametrize("name", ["mine.txt", "mine.csv"])
def test_a_swap_in_every_step(name, tmp_path, count_inputs):
    (tmp_path / name).write_text("text\nShe is a nurse.\n" * 20)
    out = tmp_path / "made" / f"out-{name}"
    out.parent.mkdir()

    def swap():
        return run(["swap", str(tmp_path / name), "--to", "flip", "-o", str(out), "--quiet"])

    for n, code in in_every_step(swap, out.parent, count_inputs):
        assert code == FAILED_AND_SAID, n
        assert list(out.parent.iterdir()) == [], n
    assert out.read_text() == "text\nHe is a nurse.\n" * 20


def test_the_files_of_a_gate_in_every_step(tmp_path, count_inputs):
    folder = runs.save_run(tmp_path / "run", runs.word_result())
    made = tmp_path / "made"
    made.mkdir()
    outputs = {"--junit": made / "gate.xml", "--markdown": made / "gate.md"}

    def gate():
        given = [part for option, path in outputs.items() for part in (option, str(path))]
        return run(["gate", str(folder), "--rule", "own.lean <= 9", *given])

    for n, code in in_every_step(gate, made, count_inputs):
        assert code == FAILED_AND_SAID, n
        assert set(made.iterdir()) <= {outputs["--junit"]}, n  # which is written first
        outputs["--junit"].unlink(missing_ok=True)
    assert {path.name for path in made.iterdir()} == {"gate.xml", "gate.md"}


@pytest.mark.slow
def test_a_corpus_in_every_step(tmp_path, count_inputs):
    (tmp_path / "mine.txt").write_text("She is a nurse.\nHe is a pilot.\n" * 40)

    def count(out):
        return run(["corpus", str(tmp_path / "mine.txt"), "--out", str(out)])

    assert count(tmp_path / "whole") == 0
    made = tmp_path / "made"
    for n, code in in_every_step(lambda: count(made), made, count_inputs):
        assert code == FAILED_AND_SAID, n
        assert not list(tmp_path.rglob(".*.part")), n
        assert not (made / "manifest.json").exists(), n
    for name in ("summary.json", "manifest.json", "report.html"):
        assert (made / name).stat().st_size == (tmp_path / "whole" / name).stat().st_size
