"""What is kept of archives, fetched from a real server on this machine."""

from __future__ import annotations

import csv
import gzip
import io
import tarfile

import pandas as pd
import pytest

from counterpoise.core.download import DownloadError, Unreachable
from counterpoise.core.errors import DataError
from counterpoise.data.thirdparty.fetch import fetch
from counterpoise.data.thirdparty.folders import fetched_folder
from counterpoise.data.thirdparty.sources import RemoteFile
from counterpoise.data.thirdparty.unpack import unpack
from toy_sources import TEXT, archive, left, sha256, source_of
from web_server import Answer


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_one_member_is_taken_and_nothing_leaves_the_folder(web, registered, kind):
    packed = archive(
        kind, {"../evil": b"evil", "/tmp/evil": b"evil", "in/f.csv": TEXT, "../../in/f.csv": b"evil"}
    )
    url = web.answer("/a.bin", Answer(packed))
    entry = {
        "name": "f.csv",
        "url": url,
        "unpack": "member",
        "member": "in/f.csv",
        "kept_sha256": sha256(TEXT),
    }
    registered(toy=source_of(entry))
    [got] = fetch("toy")
    assert got.path.read_bytes() == TEXT
    assert got.checked
    assert left(fetched_folder().parent) == ["data", "data/toy", "data/toy/f.csv"]


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_member_that_is_missing_or_another(web, registered, kind):
    url = web.answer("/a.bin", Answer(archive(kind, {"f": b"x"})))
    entry = {"name": "f", "url": url, "unpack": "member", "kept_sha256": sha256(TEXT)}
    registered(toy=source_of(entry), other=source_of({**entry, "member": "g"}))
    with pytest.raises(DataError, match=r"a\.bin has no file g"):
        fetch("other")
    with pytest.raises(DownloadError, match=f"its sha256 is {sha256(b'x')}"):
        fetch("toy")
    assert left(fetched_folder()) == []


def test_a_link_in_an_archive_is_not_followed(tmp_path):
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        link = tarfile.TarInfo("f")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    file = RemoteFile(name="f", url="http://x.org/a.tar", unpack="member")
    with pytest.raises(DataError, match="has no file f"):
        unpack(file, tmp_path / "a.tar", tmp_path / "f")


@pytest.mark.parametrize(
    "damaged", [b"no archive", gzip.compress(b"no tar", mtime=0), archive("tar", {"f": TEXT})[:-20]]
)
@pytest.mark.parametrize("how", ["member", "imdb"])
def test_a_damaged_archive_is_one_line(tmp_path, damaged, how):
    (tmp_path / "a").write_bytes(damaged)
    file = RemoteFile(name="g", url="http://x.org/a.tgz", unpack=how)
    with pytest.raises(DataError, match=r"^a\.tgz (cannot be unpacked|has no)"):
        unpack(file, tmp_path / "a", tmp_path / "g")


def test_imdb_becomes_the_table_that_we_know(data_file, web, registered):
    """The first and last reviews of each part of the known table, packed as the archive has them, come back."""
    known = pd.read_csv(data_file("imdb/imdb_50k_labelled.csv.xz"), nrows=13_000)
    some = known[(known.id < 30) | (known.id > 12_480)]
    members = {
        f"aclImdb/{row.split}/{row.sentiment}/{row.id}_{row.rating}.txt": row.review.encode()
        for row in some.sample(frac=1, random_state=0).itertuples()
    }
    members["aclImdb/train/unsup/0_0.txt"] = b"without a label"
    members["aclImdb/../../train/pos/9_9.txt"] = b"evil"
    packed = archive("tar", members)
    url = web.answer("/aclImdb_v1.tar.gz", Answer(packed))
    registered(imdb=source_of({"name": "t.csv", "url": url, "sha256": sha256(packed), "unpack": "imdb"}))
    [got] = fetch("imdb")
    expected = io.StringIO(newline="")
    writer = csv.writer(expected)
    writer.writerow(some.columns)
    writer.writerows(some.itertuples(index=False))
    assert got.path.read_bytes() == expected.getvalue().encode()


def test_an_archive_that_a_person_put_in_place_is_unpacked_without_network(registered):
    packed = archive("tar", {"aclImdb/test/neg/3_1.txt": "schlecht, très".encode()})
    entry = {
        "name": "t.csv",
        "url": "http://127.0.0.1:9/a%20b.tar.gz",
        "sha256": sha256(packed),
        "unpack": "imdb",
    }
    registered(toy=source_of(entry))
    place = fetched_folder() / "toy" / "a b.tar.gz"
    with pytest.raises(
        Unreachable, match=f"put it at {place}, then give `counterpoise catalog fetch toy` again"
    ):
        fetch("toy")
    place.parent.mkdir(parents=True)
    place.write_bytes(b"another")
    with pytest.raises(DataError, match="is not the published file"):
        fetch("toy")
    place.write_bytes(packed)
    [got] = fetch("toy")
    assert got.path.read_text(encoding="utf-8").splitlines()[1] == 'test,neg,3,1,"schlecht, très"'


def test_salaries_are_kept_without_the_names_of_people(tmp_path):
    (tmp_path / "raw").write_text(
        "Last Name,First Name,Job Title,Department,Orig Start,Date Started,Date Term.,Pay Status,2017 Annual Salary,"
        '2016 YTD Gross\nDOE, JANE L,CHIEF OF STAFF,County,29/08/05,29/08/05,,Active,115004.93,"1,15,130.65"\n'
        "ROE, JOHN,INTERN,County,18/07/16,18/07/16,,Active,7540.00,0.00\n"
        "POE, MAX,JUDGE,Courts,18/07/16,18/07/16,,Active,unknown,0.00\n"
    )
    unpack(RemoteFile(name="s", url="http://x.org/s", unpack="salaries"), tmp_path / "raw", tmp_path / "s")
    assert (tmp_path / "s").read_text().splitlines() == [
        "job_title,annual_salary",
        "CHIEF OF STAFF,115004.93",
        "INTERN,7540.0",
    ]
