from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import types

import psutil
import pytest

from counterpoise.core.errors import CounterpoiseError, DataError, InputError
from counterpoise.core.spread import spread


def double(item):
    if item == "bad":
        raise DataError("bad is bad")
    if item == "deadly":
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * item


@pytest.mark.parametrize("processes", [1, 2])
def test_results_come_in_order(processes):
    assert list(spread(double, range(20), processes=processes)) == list(range(0, 40, 2))
    assert list(spread(double, [], processes=processes)) == []


def test_an_error_is_that_of_the_work():
    with pytest.raises(DataError, match="bad is bad"):
        list(spread(double, [1, "bad", 3], processes=2))


def test_a_process_that_dies_is_one_line():
    with pytest.raises(CounterpoiseError, match="a worker process died"):
        list(spread(double, [1, "deadly"], processes=2))


@pytest.mark.slow
def test_workers_say_nothing_after_ctrl_c(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import time\n"
        "from counterpoise.core.spread import spread\n"
        "if __name__ == '__main__':\n"
        "    print('begun', flush=True)\n"
        "    try:\n"
        "        list(spread(time.sleep, [60, 60], processes=2))\n"
        "    except KeyboardInterrupt:\n"
        "        raise SystemExit(130) from None\n"
    )
    process = subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout.readline() == b"begun\n"
    while (
        len(psutil.Process(process.pid).children()) < 3
    ):  # two workers, and what looks after their resources
        time.sleep(0.05)
    time.sleep(2)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors == b""


def test_mistakes():
    with pytest.raises(InputError, match="there is no engine 'dask'"):
        spread(double, [1], engine="dask")
    with pytest.raises(InputError, match="add --engine ray"):
        spread(double, [1], address="head:6379")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("items", "error"),
    [
        ([1, "bad", 3], r"^bad is bad$"),
        ([1, None], r"^TypeError: unsupported operand"),
        ([1, "deadly"], r"^on the Ray cluster a worker or node died 3 times \(WorkerCrashedError\)$"),
    ],
)
def test_an_error_on_ray_is_one_line(items, error):
    """And it leaves nothing behind: a thread that asks Ray for something would start a cluster of its own."""
    pytest.importorskip("ray", reason="needs ray")
    before = set(threading.enumerate())
    with pytest.raises(CounterpoiseError, match=error):
        list(spread(double, items, engine="ray", processes=2))
    assert set(threading.enumerate()) <= before


@pytest.mark.slow
def test_work_that_a_node_does_not_know_is_one_line(monkeypatch):
    pytest.importorskip("ray", reason="needs ray")
    newer = types.ModuleType("of_a_newer_version")
    exec("def work(item): return item", newer.__dict__)
    monkeypatch.setitem(sys.modules, newer.__name__, newer)
    with pytest.raises(
        CounterpoiseError, match=r"No module named 'of_a_newer_version'\); all nodes need this"
    ):
        list(spread(newer.work, [1, 2], engine="ray", processes=2))


@pytest.mark.slow
def test_on_ray():
    """In order, and tuples are tuples."""
    pytest.importorskip("ray", reason="needs ray")
    assert list(spread(double, [(1, 2), "he", 3], engine="ray", processes=2)) == [(1, 2, 1, 2), "hehe", 6]
    assert list(spread(double, range(100), engine="ray", processes=2)) == list(range(0, 200, 2))
    assert list(spread(double, [], engine="ray")) == []
