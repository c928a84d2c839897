"""Kills at random moments and disks that are full at any byte: nothing is half-written, and the same command mends it.

Commands run in forked children, which have everything imported, so that hundreds of them take seconds.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import sys
import time
import traceback

import numpy as np
import pytest

import few
import runs
from counterpoise.audit.reading import read_results
from counterpoise.cli.main import run
from counterpoise.core.errors import CounterpoiseError
from robustness.audits import Audits

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, and limits the size of files")
TEXT = "She is a nurse and he is a pilot.\n" * 4000
NAMES = ("mine.txt", "mine.csv")
FEW = pytest.param(3, marks=pytest.mark.sample)
# Failing writes in `make test`; `test_failing_steps.py` has some more, `test_counts.py` says how many there must be.
WRITES = {"swap": 80, "run": 85, "audit": 39}
BOUND = 1e-4  # what docs/runs.md promises of scores that are asked for in other batches


def child(work, limit=None):
    """Starts work in a forked process, whose files cannot grow beyond a limit; returns its id."""
    process = os.fork()
    if process:
        return process
    code = 70
    try:
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        if limit is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        code = work()
    except (CounterpoiseError, OSError):  # either is one line on the command line
        code = 2
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code if isinstance(code, int) else 0)


def ended(process):
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def swap(folder, name):
    arguments = ["swap", folder / name, "--to", "flip", "-o", folder / f"out-{name}", "--quiet"]
    return run([str(part) for part in arguments])


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine.txt").write_text(TEXT)
    (tmp_path / "mine.csv").write_text("text\n" + TEXT)
    (tmp_path / "whole").mkdir()
    for name in NAMES:
        assert swap(tmp_path, name) == 0
        (tmp_path / f"out-{name}").rename(tmp_path / "whole" / f"out-{name}")
    return tmp_path


@pytest.mark.parametrize("kills", [FEW, pytest.param(65, marks=pytest.mark.slow)])
def test_a_killed_swap_leaves_nothing_or_all(kills, folder, count_inputs):
    rng = random.Random(kills)
    began = time.monotonic()
    assert ended(child(lambda: swap(folder, NAMES[0]))) == 0
    longest = time.monotonic() - began
    for number in range(kills):
        name = NAMES[number % 2]
        out = folder / f"out-{name}"
        out.unlink(missing_ok=True)
        process = child(lambda name=name: swap(folder, name))
        time.sleep(rng.uniform(0, longest))
        os.kill(process, signal.SIGKILL)
        ended(process)
        assert not out.exists() or out.read_bytes() == (folder / "whole" / out.name).read_bytes()
    count_inputs(kills, "kills")
    for name in NAMES:
        assert swap(folder, name) == 0
        assert (folder / f"out-{name}").read_bytes() == (folder / "whole" / f"out-{name}").read_bytes()
    assert not list(folder.glob(".*.part"))


@pytest.mark.parametrize("writes", [FEW, pytest.param(WRITES["swap"], marks=pytest.mark.slow)])
def test_a_full_disk_is_one_line_and_nothing_half_written(writes, folder, count_inputs):
    size = max(path.stat().st_size for path in (folder / "whole").iterdir())
    rng = random.Random(writes)
    for number in range(writes):
        name = NAMES[number % 2]
        out = folder / f"out-{name}"
        out.unlink(missing_ok=True)
        code = ended(child(lambda name=name: swap(folder, name), rng.randrange(size)))
        assert code == 2
        assert not out.exists()
        assert not list(folder.glob(".*.part"))
    count_inputs(writes, "failing writes")


@pytest.mark.parametrize("writes", [FEW, pytest.param(WRITES["run"], marks=pytest.mark.slow)])
def test_a_run_survives_a_full_disk(writes, tmp_path, count_inputs):
    """A run that could not be written stays readable as far as it was, or is none."""
    first, second = runs.word_result(measure="own"), runs.word_result(measure="second", seed=1)
    rng = random.Random(writes)
    for number in range(writes):
        folder = tmp_path / f"run{number}"
        code = ended(
            child(lambda folder=folder: runs.save_run(folder, first, second) and 0, rng.randrange(40_000))
        )
        assert code in (0, 2)
        assert not list(folder.rglob(".*.part"))
        try:
            read_results(folder)
        except CounterpoiseError as error:
            assert code == 2 and str(error).count("\n") == 0  # noqa: PT017, PT018
    count_inputs(writes, "failing writes")


@pytest.fixture
def audits(small_folder, tmp_path):
    few.pairs().table.to_csv(tmp_path / "pairs.csv", index=False)
    started = Audits(model=small_folder, pairs=tmp_path / "pairs.csv", cache=tmp_path / "cache")
    yield started
    started.close()


def numbers(folder):
    """What a finished run says."""
    run, [result] = read_results(folder)
    assert run.is_complete
    assert not list(folder.rglob(".*.part"))
    return result.summary.value.to_numpy()


@pytest.mark.parametrize("kills", [FEW, pytest.param(39, marks=pytest.mark.slow)])
def test_killed_audits_end_as_if_nothing_had_happened(kills, audits, tmp_path, count_inputs):
    assert audits.end(audits.begin(tmp_path / "whole")) == 0
    whole = numbers(tmp_path / "whole")
    shutil.rmtree(tmp_path / "cache")
    began = time.monotonic()
    assert audits.end(audits.begin(tmp_path / "again")) == 0
    longest = time.monotonic() - began
    rng = random.Random(kills)
    for number in range(kills):
        folder = tmp_path / f"run{number // 3}"  # each is killed three times
        if number % 3 == 0:
            shutil.rmtree(tmp_path / "cache", ignore_errors=True)
        process = audits.begin(folder)
        time.sleep(rng.uniform(0, longest))
        os.kill(process, signal.SIGKILL)  # it may be done; its number is not given away before `end`
        assert audits.end(process) in (0, -signal.SIGKILL)
        if number % 3 == 2:
            assert audits.end(audits.begin(folder)) == 0
            np.testing.assert_allclose(numbers(folder), whole, rtol=0, atol=BOUND)
    count_inputs(kills, "kills")


@pytest.mark.parametrize("writes", [FEW, pytest.param(WRITES["audit"], marks=pytest.mark.slow)])
def test_audits_with_a_full_disk_lose_nothing(writes, audits, tmp_path, count_inputs):
    """Also the cache, which then cannot be written either, leads to no other numbers."""
    assert audits.end(audits.begin(tmp_path / "whole")) == 0
    whole = numbers(tmp_path / "whole")
    written = [tmp_path / "cache", tmp_path / "whole"]
    size = max(path.stat().st_size for folder in written for path in folder.rglob("*"))
    rng = random.Random(writes)
    for number in range(writes):
        folder = tmp_path / f"run{number}"
        shutil.rmtree(tmp_path / "cache")
        assert audits.end(audits.begin(folder, rng.randrange(size))) in (0, 2)
        assert audits.end(audits.begin(folder)) == 0
        np.testing.assert_allclose(numbers(folder), whole, rtol=0, atol=BOUND)
    count_inputs(writes, "failing writes")


def killed_at_random(commands, arguments, kills, longest):
    """Kills a command several times, each time after as long as the last one may have needed."""
    rng = random.Random(kills)
    for _ in range(kills):
        process = commands.begin_command(arguments)
        time.sleep(rng.uniform(0, longest))
        os.kill(process, signal.SIGKILL)  # it may be done; its number is not given away before `end`
        assert commands.end(process) in (0, -signal.SIGKILL)


def timed(commands, arguments):
    began = time.monotonic()
    assert commands.end(commands.begin_command(arguments)) == 0
    return time.monotonic() - began


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    started = Audits(cache=tmp_path_factory.mktemp("cache"))
    yield started
    started.close()


@pytest.mark.slow
def test_a_killed_training_ends_in_the_same_weights(commands, small_folder, tmp_path, count_inputs):
    (tmp_path / "texts.csv").write_text("text,label\n" + "a good film,pos\na bad film,neg\n" * 16)
    options = ["--base", small_folder, "--epochs", 3, "--batch-size", 4, "--device", "cpu"]

    def train(out):
        return ["train", tmp_path / "texts.csv", *options, "--out", tmp_path / out]

    timed(commands, train("first"))  # which imports what the others need
    longest = timed(commands, train("whole"))
    killed_at_random(commands, train("again"), 5, longest / 2)
    count_inputs(5, "kills")
    assert commands.end(commands.begin_command(train("again"))) == 0
    for name in ("model.safetensors", "config.json"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert not list(tmp_path.rglob(".*.part"))
    assert not (tmp_path / "again.training").exists()


@pytest.mark.slow
def test_a_killed_count_of_a_corpus_ends_in_the_same_numbers(commands, tmp_path, count_inputs):
    (tmp_path / "mine.txt").write_text("She is a nurse.\nHe is a pilot.\nThe nurse said she left.\n" * 3000)

    def count(out):
        return ["corpus", tmp_path / "mine.txt", "--out", tmp_path / out]

    timed(commands, count("first"))
    longest = timed(commands, count("whole"))
    killed_at_random(commands, count("again"), 6, longest)
    count_inputs(6, "kills")
    assert commands.end(commands.begin_command(count("again"))) == 0
    written = sorted(path.relative_to(tmp_path / "whole") for path in (tmp_path / "whole").rglob("*"))
    assert sorted(path.relative_to(tmp_path / "again") for path in (tmp_path / "again").rglob("*")) == written
    for name in ("summary.json", *(name for name in written if name.suffix in (".npz", ".parquet"))):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
