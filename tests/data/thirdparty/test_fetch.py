"""Data sets fetched from a real server on this machine."""

from __future__ import annotations

import json
import lzma
import signal
import subprocess
import sys
import threading
import time

import pytest

from counterpoise.cli.main import run
from counterpoise.core.download import DownloadError, Unreachable
from counterpoise.core.errors import DataError, InputError
from counterpoise.data.thirdparty.fetch import Fetched, fetch
from counterpoise.data.thirdparty.folders import fetched_folder, find_file
from toy_sources import ABOUT, TEXT, left, sha256, source_of
from web_server import Answer


def test_a_set_is_fetched_checked_and_found(web, registered):
    url = web.answer("/f.txt", Answer(TEXT))
    registered(toy=source_of({"name": "sub/f.txt", "url": url, "size": len(TEXT), "sha256": sha256(TEXT)}))
    [got] = fetch("toy")
    assert got == Fetched(got.path, "fetched", sha256(TEXT), True)
    assert got.path.read_bytes() == TEXT
    assert find_file("toy", "other.txt", "sub/f.txt") == got.path
    assert left(fetched_folder()) == ["toy", "toy/sub", "toy/sub/f.txt"]
    [again] = fetch("toy")
    assert again.outcome == "there already"
    assert web.asked == ["/f.txt"]


def test_a_file_that_was_damaged_is_fetched_again(web, registered):
    registered(toy=source_of({"name": "f", "url": web.answer("/f", Answer(TEXT)), "sha256": sha256(TEXT)}))
    [got] = fetch("toy")
    got.path.write_bytes(b"damaged")
    [again] = fetch("toy")
    assert again.outcome == "fetched"
    assert got.path.read_bytes() == TEXT


def test_a_wrong_checksum_keeps_nothing(web, registered, capsys):
    registered(toy=source_of({"name": "f", "url": web.answer("/f", Answer(b"x")), "sha256": sha256(TEXT)}))
    with pytest.raises(
        DownloadError, match=f"its sha256 is {sha256(b'x')}, not {sha256(TEXT)}; it was not kept"
    ):
        fetch("toy")
    assert left(fetched_folder()) == []
    assert run(["catalog", "fetch", "toy"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer(TEXT[:100], announced=len(TEXT)), "broke off after 100 of"),
        (Answer(status=404), "answers 404"),
        (Answer(status=503), "answers 503"),
    ],
)
def test_a_failed_download_keeps_nothing(web, registered, answer, message):
    url = web.answer("/f", answer)
    registered(toy=source_of({"name": "f", "url": url, "size": len(TEXT), "sha256": sha256(TEXT)}))
    with pytest.raises(DownloadError, match=message):
        fetch("toy")
    assert left(fetched_folder()) == []


def test_what_was_there_stays_when_a_download_fails(web, registered):
    url = web.answer("/f", Answer(TEXT), Answer(status=404))
    registered(toy=source_of({"name": "f", "url": url, "sha256": sha256(TEXT)}))
    [got] = fetch("toy")
    got.path.write_bytes(b"changed by hand")
    with pytest.raises(DownloadError, match="404"):
        fetch("toy")
    assert got.path.read_bytes() == b"changed by hand"


def test_without_network_it_says_where_to_put_which_file(registered, capsys):
    closed = "http://127.0.0.1:9/data/f.txt"  # port 9: nobody listens
    registered(toy=source_of({"name": "f.txt", "url": closed, "sha256": sha256(TEXT)}))
    place = fetched_folder() / "toy" / "f.txt"
    with pytest.raises(Unreachable, match=f"{closed} cannot be reached .* put it at {place}$"):
        fetch("toy")
    assert run(["catalog", "fetch"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    place.parent.mkdir(parents=True)
    place.write_bytes(TEXT)
    assert [file.outcome for file in fetch("toy")] == ["there already"]


def test_a_file_without_checksum_is_refused_unless_accepted(web, registered, capsys):
    registered(
        toy=source_of(
            {"name": "f", "url": web.answer("/f", Answer(TEXT)), "sha256": sha256(TEXT)},
            {"name": "g", "url": web.answer("/g", Answer(b"g"))},
        ),
        all_unknown=source_of({"name": "g", "url": web.url + "/g"}),
    )
    assert [file.outcome for file in fetch("toy")] == ["fetched", "left out"]
    with pytest.raises(DataError, match=r"no checksum of A set is known.*--accept-unverified"):
        fetch("all_unknown")
    assert "/g" not in web.asked
    assert run(["catalog", "fetch", "toy", "--accept-unverified"]) == 0
    shown = capsys.readouterr().out
    assert "toy/f: there already" in shown
    assert f"toy/g: fetched, 1 bytes, not checked, sha256 {sha256(b'g')}" in shown


def test_one_failure_does_not_stop_the_other_sets(web, registered, capsys):
    registered(
        a=source_of({"name": "f", "url": web.url + "/nothing", "sha256": sha256(TEXT)}),
        b=source_of({"name": "f", "url": web.answer("/f", Answer(TEXT)), "sha256": sha256(TEXT)}),
        c=source_of(by_hand="ask for it"),
    )
    assert run(["catalog", "fetch"]) == 2
    shown = capsys.readouterr()
    assert "b/f: fetched, 19,000 bytes, checked" in shown.out
    assert "404" in shown.err
    assert shown.err.endswith("could not be fetched: a\n")


def test_one_server_that_is_down_does_not_stop_the_others(web, registered, capsys):
    registered(
        a=source_of({"name": "f", "url": web.answer("/f", Answer(TEXT)), "sha256": sha256(TEXT)}),
        b=source_of({"name": "f", "url": "http://127.0.0.1:9/f", "sha256": sha256(TEXT)}),
        c=source_of({"name": "f", "url": web.url + "/f", "sha256": sha256(TEXT)}),
    )
    assert run(["catalog", "fetch"]) == 2
    shown = capsys.readouterr()
    assert "c/f: fetched" in shown.out
    assert "127.0.0.1:9/f cannot be reached" in shown.err
    assert shown.err.endswith("could not be fetched: b\n")


def test_into_a_folder_of_ones_own(web, registered, tmp_path):
    registered(toy=source_of({"name": "f", "url": web.answer("/f", Answer(TEXT)), "sha256": sha256(TEXT)}))
    assert run(["catalog", "fetch", "toy", "--data", str(tmp_path / "mine")]) == 0
    assert left(tmp_path / "mine") == ["toy", "toy/f"]
    assert not fetched_folder().exists()


def test_what_lies_in_the_data_folder_is_not_fetched(web, registered, tmp_path, monkeypatch):
    registered(toy=source_of({"name": "f", "url": web.answer("/f", Answer(TEXT)), "sha256": sha256(TEXT)}))
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "f.xz").write_bytes(lzma.compress(TEXT))
    monkeypatch.setenv("COUNTERPOISE_DATA", str(tmp_path))
    assert [file.outcome for file in fetch("toy")] == ["there already"]
    assert web.asked == []


def test_a_folder_that_cannot_be_made(registered, tmp_path):
    registered(toy=source_of({"name": "f", "url": "http://127.0.0.1:9/f", "sha256": sha256(TEXT)}))
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="cannot make the folder"):
        fetch("toy", tmp_path / "file" / "folder")


def test_by_hand_and_unknown_names(capsys):
    with pytest.raises(
        DataError, match=r"Jigsaw .* log in at https://www\.kaggle\.com/.*put it in .*data/jigsaw$"
    ):
        fetch("jigsaw")
    with pytest.raises(InputError, match="did you mean 'gap'"):
        fetch("gapp")
    assert run(["catalog", "fetch", "gap", "gapp"]) == 2  # said before anything is fetched
    assert "there is no dataset 'gapp'" in capsys.readouterr().err


# Two processes, and one that is stopped: the registry is replaced inside them.
SCRIPT = """
import sys, json
from counterpoise.data.thirdparty import sources as registry
value = registry.DataSource.model_validate(json.loads(sys.argv[1]))
registry.sources = lambda: {"toy": value}
from counterpoise.cli.main import run
sys.exit(run(["catalog", "fetch", "toy"]))
"""


def start(source: dict[str, object]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, json.dumps(source)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_processes_at_once(web, monkeypatch):
    monkeypatch.delenv("COUNTERPOISE_DATA", raising=False)
    url = web.answer("/f", Answer(TEXT))
    toy = {**ABOUT, "files": [{"name": "f", "url": url, "size": len(TEXT), "sha256": sha256(TEXT)}]}
    both = [start(toy), start(toy)]
    for process in both:
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, "")
        assert "toy/f: " in out
    assert (fetched_folder() / "toy" / "f").read_bytes() == TEXT
    assert left(fetched_folder()) == ["toy", "toy/f"]


def test_stopped_in_the_middle_nothing_is_left(web, monkeypatch):
    monkeypatch.delenv("COUNTERPOISE_DATA", raising=False)
    let_go = threading.Event()
    url = web.answer("/f", Answer(TEXT * 100, announced=len(TEXT) * 200, until=let_go))
    process = start({**ABOUT, "files": [{"name": "f", "url": url, "sha256": sha256(TEXT)}]})
    try:
        for _ in range(3000):
            if any(path.stat().st_size for path in fetched_folder().glob(".fetching-*/*")):
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        let_go.set()
        process.kill()
        process.wait()
    assert (process.returncode, err) == (130, "counterpoise: stopped; nothing half-fetched is left\n")
    assert left(fetched_folder()) == []
