from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

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
def test_on_ray():
    """In order, tuples as tuples; an error is one line, and so is an item that kills each of its workers."""
    pytest.importorskip("ray", reason="needs ray")
    assert list(spread(double, [(1, 2), "he", 3], engine="ray", processes=2)) == [(1, 2, 1, 2), "hehe", 6]
    assert list(spread(double, [], engine="ray")) == []
    with pytest.raises(CounterpoiseError, match=r"^bad is bad$"):
        list(spread(double, [1, "bad", 3], engine="ray", processes=2))
    with pytest.raises(CounterpoiseError, match=r"^TypeError: unsupported operand"):
        list(spread(double, [1, None], engine="ray", processes=2))
    with pytest.raises(CounterpoiseError, match="a worker or node of the Ray cluster died 3 times"):
        list(spread(double, [1, "deadly"], engine="ray", processes=2))
