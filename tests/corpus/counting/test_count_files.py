"""A folder of files is one corpus: the counts of its files together, however they are counted."""

from __future__ import annotations

import gzip
import json
from dataclasses import fields
from itertools import pairwise

import numpy as np
import pytest

import counterpoise as cp
from corpora import planted
from counterpoise.cli.main import run
from counterpoise.core.errors import DataError
from counterpoise.corpus.counting import count_files
from counterpoise.corpus.counting.count_files import CountSettings, count_corpora, map_in_processes
from counterpoise.corpus.counting.counter import CorpusCounter
from counterpoise.corpus.counting.counts import KINDS, CorpusCounts
from counterpoise.data.corpus import Corpus

pytestmark = pytest.mark.slow

SETTINGS = CountSettings(seed=5)


def count(corpus: Corpus, settings: CountSettings = SETTINGS, **options) -> CorpusCounts:
    [counts] = count_corpora([corpus], settings, **options)
    return counts


@pytest.fixture(scope="module")
def texts():
    """The words of the first thousand and of the rest are not the same."""
    first, second = planted(1.0, 1000, 1), planted(0.2, 800, 2)
    return [*first, *(text.replace("the", "yon") for text in second)]


@pytest.fixture
def folder(texts, tmp_path):
    """Seven files of unequal size, one of them compressed, one in a folder within, and one empty."""
    place = tmp_path / "news"
    (place / "late").mkdir(parents=True)
    ends = [0, 100, 130, 700, 900, 1400, len(texts)]
    for number, (start, end) in enumerate(pairwise(ends)):
        text = "\n".join(texts[start:end]) + "\n"
        if number == 2:
            (place / "2.txt.gz").write_bytes(gzip.compress(text.encode()))
        else:
            (place / ("late/5.txt" if number == 5 else f"{number}.txt")).write_text(text)
    (place / "empty.txt").touch()
    (place / "notes.pdf").write_text("she he she he")
    return place


def totals(counts: CorpusCounts) -> dict[str, tuple[object, ...]]:
    """All that was counted of each word, over all blocks."""
    values = zip(counts.totals, counts.near.sum(axis=2), counts.pairs, counts.profession, strict=True)
    return {
        str(word): (int(total), *near.tolist(), *np.round(pairs, 6).tolist(), bool(profession))
        for word, (total, near, pairs, profession) in zip(counts.words, values, strict=True)
    }


def same(one: CorpusCounts, other: CorpusCounts) -> bool:
    order, places = np.argsort(one.words), np.argsort(other.words)
    return (
        totals(one) == totals(other)
        and bool((one.near[order] == other.near[places]).all())
        and bool((one.by_block == other.by_block).all())
    )


@pytest.mark.parametrize("part", [1 << 24, 20_000, 0])
@pytest.mark.parametrize("window", ["sentence", 3])
def test_a_folder_is_its_files_together(folder, texts, monkeypatch, part, window):
    monkeypatch.setattr(count_files, "_PART", part)
    settings = CountSettings(window=window)
    found = count(Corpus.of(folder), settings)
    wanted = count(Corpus.of(texts), settings)
    assert found.name == "news"
    assert totals(found) == totals(wanted)
    assert found.block_totals == wanted.block_totals
    assert (found.by_block != wanted.by_block).any()  # other blocks of documents, as with another seed


def test_however_it_is_counted_it_is_the_same(folder, tmp_path, monkeypatch):
    corpus = Corpus.of(folder)
    whole = [count(corpus), count(corpus, shares=[0.4])]
    assert whole[1].block_totals["documents"] == pytest.approx(0.4 * 1800, abs=90)
    monkeypatch.setattr(count_files, "_PART", 0)  # a part for each file
    for map_parts in (map, map_in_processes(2)):
        found = count_corpora(
            [corpus] * 2, SETTINGS, shares=[1.0, 0.4], keep=tmp_path / "keep", map_parts=map_parts
        )
        assert all(same(one, other) for one, other in zip(found, whole, strict=True))
    assert len(list((tmp_path / "keep").iterdir())) == 12


def test_a_part_that_is_there_is_not_counted_again(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(count_files, "_PART", 0)
    keep = tmp_path / "keep"
    first = count(Corpus.of(folder), keep=keep)
    with (folder / "late" / "5.txt").open("a") as file:
        file.write("The nurse said that she had seen yon pilot.\n")
    begun = []
    monkeypatch.setattr(count_files, "CorpusCounter", lambda *some: begun.append(1) or CorpusCounter(*some))
    second = count(Corpus.of(folder), keep=keep)
    assert len(begun) == 1
    assert second.block_totals["documents"] == first.block_totals["documents"] + 1


@pytest.mark.parametrize("seed", range(15))
def test_damaged_counts_are_counted_again(tmp_path, seed, capsys):
    texts = ["The nurse said she left."] * 30 + ["He is a nurse."] * 10
    (tmp_path / "a.txt").write_text("\n".join(texts))
    keep = tmp_path / "keep"
    before = count(Corpus.of(tmp_path / "a.txt"), keep=keep)
    [file] = keep.iterdir()
    content = bytearray(file.read_bytes())
    rng = np.random.default_rng(seed)
    for _ in range(8):
        content[rng.integers(len(content))] ^= 1 << rng.integers(8)
    file.write_bytes(content)
    after = count(Corpus.of(tmp_path / "a.txt"), keep=keep)
    assert len(capsys.readouterr().err.splitlines()) <= 1
    for column in fields(before):
        assert np.array_equal(getattr(after, column.name), getattr(before, column.name))


def test_merged_counts_are_bounded(texts):
    def part(start):
        some = [f"{text} He saw the x{n}." for n, text in enumerate(texts[start : start + 400], start)]
        return count(Corpus.of(some))

    parts = [part(start) for start in (0, 400, 800)]
    whole = CorpusCounts.merged("all", parts, 1 << 17)
    assert len(whole.words) > 3000
    bounded = CorpusCounts.merged("all", parts, 1000)
    assert len(bounded.words) <= 1000
    assert bounded.lost_at_most >= 1
    kept = totals(whole)
    assert all(kept[word] == value for word, value in totals(bounded).items())
    assert set(whole.words[whole.profession]) == set(bounded.words[bounded.profession])
    assert {kind: bounded.block_totals[kind] for kind in KINDS} == whole.block_totals


def test_from_python_and_from_the_command_line(folder, tmp_path, capsys):
    found = cp.corpus.measure_corpus(folder, processes=2)
    for name, options in (("one", []), ("two", ["-j", "2"])):
        assert run(["corpus", f"{folder}/", "--out", str(tmp_path / name), *options]) == 0
    assert "news: 1,800 documents" in capsys.readouterr().out
    one, two = (json.loads((tmp_path / name / "summary.json").read_text()) for name in ("one", "two"))
    assert one == two
    assert one["results"][0]["value"] == pytest.approx(found.overall.value.iloc[0])


def test_two_folders_are_compared(folder, texts, tmp_path):
    other = tmp_path / "old"
    other.mkdir()
    (other / "a.txt").write_text("\n".join(planted(3.0, 900, 3)) + "\n")
    found = cp.corpus.compare_corpora([folder, other], processes=2)
    assert set(found.sample_words) == {"news", "old"}
    assert found.sample_words["news"] == pytest.approx(found.sample_words["old"], rel=0.1)


def test_a_folder_without_texts(tmp_path, capsys):
    (tmp_path / "a").mkdir()
    with pytest.raises(DataError, match="has no file of texts"):
        Corpus.of(tmp_path / "a")
    (tmp_path / "a" / "empty.txt").touch()
    assert run(["corpus", str(tmp_path / "a"), "--out", str(tmp_path / "out")]) == 2
    assert "all files of the folder" in capsys.readouterr().err


def test_a_broken_file_is_named(folder, tmp_path, capsys):
    (folder / "late" / "6.txt").write_bytes(b"she is\xff here\n")
    assert run(["corpus", str(folder), "--out", str(tmp_path / "out"), "-j", "2"]) == 2
    shown = capsys.readouterr().err
    assert "6.txt" in shown
    assert shown.count("\n") == 1


def test_standard_input_is_not_for_several_processes(capsys, tmp_path):
    assert run(["corpus", "-", "-j", "2", "--out", str(tmp_path / "out")]) == 2
    assert "standard input is counted by one process alone" in capsys.readouterr().err


def test_kept_counts_are_those_of_the_format(tmp_path):
    """The same bytes, read as lines and as a table."""
    text = "text,by\n" + "".join(f"The nurse saw {who} today.,x\n" for who in ["her", "him"] * 40)
    for name in ("a.txt", "a.csv"):
        (tmp_path / name).write_text(text)
    found = [count(Corpus.of(tmp_path / name), keep=tmp_path) for name in ("a.txt", "a.csv")]
    assert [one.block_totals["documents"] for one in found] == [81, 80]


def test_a_file_that_changes_while_it_is_read_is_not_kept(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("The nurse saw her.\nThe nurse saw him.\n" * 40)
    corpus = Corpus.of(path)
    path.write_text("The cook saw her.\nThe cook saw him.\n" * 50)
    with pytest.raises(DataError, match=r"a\.txt has changed while it was read"):
        count(corpus, keep=tmp_path / "keep")
    assert not list((tmp_path / "keep").iterdir())


def test_a_folder_that_cannot_be_read_is_named(folder, monkeypatch):
    def forbidden(place, onerror):
        onerror(PermissionError(13, "Permission denied", f"{place}/late"))
        return iter(())

    monkeypatch.setattr("counterpoise.io.file_lists.os.walk", forbidden)
    with pytest.raises(DataError, match=r"cannot read the folder .*late: Permission denied"):
        Corpus.of(folder)
