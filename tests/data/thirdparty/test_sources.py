"""The registry of datasets, and what is told about it."""

from __future__ import annotations

import lzma

import pytest

import build_docs
from counterpoise.cli.main import run
from counterpoise.data.spec import citation
from counterpoise.data.thirdparty.folders import at_hand
from counterpoise.data.thirdparty.sources import RemoteFile, fetchable, sources
from toy_sources import sha256, source_of


def test_every_entry_is_whole():
    for name, source in sources().items():
        assert citation(source.cite), name
        assert source.home.startswith("https://"), name
        assert len({file.name for file in source.files}) == len(source.files), name
        for file in source.files:
            assert file.pip or file.place.startswith("https://"), file.name
    assert {"gap", "crows-pairs", "stereoset", "winobias", "winogender", "eec", "mt-gender", "imdb"} <= set(
        fetchable()
    )


def test_which_files_cannot_be_checked():
    """A file without checksum is a debt; this list is not to grow unnoticed."""
    assert {
        f"{name}/{file.name}"
        for name, source in sources().items()
        for file in source.files
        if not file.can_be_checked
    } == {
        "crows-pairs/crows_pairs_EN_revised.csv",
        "kurita/job_titles_salaries.csv",
        "kurita/onet_technology_skills.txt",
        "weat/WEAT.json",
    }


def test_the_known_checksums_are_those_of_the_published_files(data_file):
    """Hashed here a second time, from the data folder."""
    checked, checkable = 0, 0
    root = data_file("SOURCES.md").parent
    at_hand_here = {name: source for name, source in sources().items() if (root / name).is_dir()}
    for name, source in at_hand_here.items():
        for file in source.files:
            checkable += file.can_be_checked
            plain, packed = root / name / file.name, root / name / f"{file.name}.xz"
            expected = file.kept_sha256 or (None if file.unpack else file.sha256)
            if expected is None or not (plain.exists() or packed.exists()):
                continue
            content = plain.read_bytes() if plain.exists() else lzma.decompress(packed.read_bytes())
            assert sha256(content) == expected, file.name
            assert file.size in (None, len(content)) or file.unpack
            checked += 1
    assert checked == checkable - 2
    # the two that are not there as published: StereoSet's dev.json, and IMDB, checked above


@pytest.mark.parametrize("name", ["../f", "/f", "a/../../f", "a//f", "", "a/"])
def test_a_name_cannot_leave_its_folder(name):
    with pytest.raises(ValueError, match="is no file name"):
        RemoteFile(name=name, url="https://x.org/f")


def test_a_registry_entry_is_either_fetched_or_got_by_hand():
    with pytest.raises(ValueError, match="either files or by_hand"):
        source_of()
    with pytest.raises(ValueError, match="url"):
        RemoteFile(name="f", url="file:///etc/passwd")


def test_the_documentation_lists_every_dataset():
    page = build_docs.DATA_PAGE.read_text(encoding="utf-8")
    assert page == build_docs.data_page(), "run `make docs`"
    rows = {
        line.split(" | ")[0].removeprefix("| "): line for line in page.splitlines() if line.startswith("| ")
    }
    for name, source in sources().items():
        assert source.licence in rows[name]
        assert source.home in rows[name]
    assert "| fetch, 84 MB |" in rows["imdb"]
    assert "| fetch; `crows_pairs_EN_revised.csv` unverified | aul, aula, crows |" in rows["crows-pairs"]


def test_the_catalogue_lists_them(capsys, monkeypatch, tmp_path):
    monkeypatch.delenv("COUNTERPOISE_DATA", raising=False)
    (tmp_path / "gap").mkdir()
    (tmp_path / "gap" / "gap-test.tsv").touch()
    (tmp_path / "eec").mkdir()  # empty: not at hand
    assert run(["catalog", "datasets", "--data", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "Apache-2.0" in shown
    assert str(tmp_path / "gap")[-20:] in shown.replace("\n", "")
    assert "catalog fetch eec" in shown
    assert "catalog fetch jigsaw says how" in shown
    titles = [line.strip() for line in shown.splitlines()]
    assert titles.index("Built in") < titles.index("Third-party datasets")
    assert "kurita and weat stand in both lists" in shown
    assert at_hand()["gap"] is False  # outside the command the folder is not known
