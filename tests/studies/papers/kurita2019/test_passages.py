"""GAP as the study reads it: its counts, damaged files, vectors where the mentions are."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from counterpoise.core.errors import DataError
from counterpoise.data.thirdparty.folders import using_data
from counterpoise.studies.engine.cells import LeftOut
from counterpoise.studies.papers.kurita2019.passages import mention_vectors, passages


@pytest.fixture(scope="module")
def development(data_file):
    data_file("gap/gap-development.tsv")
    return passages("development")


def test_the_counts_of_the_paper(development):
    """1,000 male and 1,000 female pronouns, of which 103 and 98 mean neither name."""
    neither = (development.answer == 2).groupby(development.gender).agg(["sum", "size"])
    assert neither.loc["male"].tolist() == [103, 1000]
    assert neither.loc["female"].tolist() == [98, 1000]


def test_vectors_are_those_of_the_mentions(builtin, development):
    found = development.head(3)
    vectors = mention_vectors(builtin, found, layers=2)
    assert vectors.shape == (3, 3, 2, 384)
    row = found.iloc[1]
    read = builtin.tokenizer(row.text, return_tensors="pt", return_offsets_mapping=True)
    offsets = read.pop("offset_mapping")[0].tolist()
    with torch.no_grad():
        states = builtin.model.base_model(**read, output_hidden_states=True).hidden_states
    for mention, words in enumerate(("pronoun", "a", "b")):
        start, end = row[f"{words}_offset"], row[f"{words}_offset"] + len(row[words])
        pieces = [i for i, (left, right) in enumerate(offsets) if left < end and right > start]
        for layer in (1, 2):
            expected = states[-layer][0, pieces].mean(0)
            np.testing.assert_allclose(vectors[1, mention, layer - 1], expected, atol=1e-4)


def copy_of(data_file, tmp_path, change):
    (tmp_path / "gap").mkdir()
    text = data_file("gap/gap-development.tsv").read_text(encoding="utf-8")
    (tmp_path / "gap" / "gap-development.tsv").write_text(change(text), encoding="utf-8")
    return using_data(tmp_path)


def test_a_half_downloaded_file(data_file, tmp_path):
    with (
        copy_of(data_file, tmp_path, lambda text: text[: len(text) // 2]),
        pytest.raises(DataError, match=r"is not the published file .*of 1,080,993 bytes.*catalog fetch gap"),
    ):
        passages("development")


def test_a_file_that_is_not_there(no_data, monkeypatch, tmp_path):
    with using_data(tmp_path), pytest.raises(LeftOut, match="is not at hand: get it with"):
        passages("development")


def test_an_offset_that_does_not_fit_is_named(data_file, tmp_path, monkeypatch):
    monkeypatch.setattr("counterpoise.studies.papers.kurita2019.passages.check_whole", lambda *_: None)

    def shift(text):
        lines = text.split("\n")
        cells = lines[1].split("\t")
        cells[3] = str(int(cells[3]) + 1)
        return "\n".join([lines[0], "\t".join(cells), *lines[2:]])

    with (
        copy_of(data_file, tmp_path, shift),
        pytest.raises(DataError, match="development-1: there is no 'her' at"),
    ):
        passages("development")
