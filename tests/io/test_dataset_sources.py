"""Datasets that the `datasets` library reads: which split, which columns, and within which bounds."""

from __future__ import annotations

import gzip
import time

import pandas as pd
import pytest
from datasets import ClassLabel, Dataset, DatasetDict, Features, Value

from counterpoise.core.errors import DataError, InputError
from counterpoise.data.builtin.pairs import read_pairs
from counterpoise.data.builtin.prompts import read_prompts
from counterpoise.data.user.texts import read_texts
from counterpoise.io.bounded_datasets import MOST_FILES
from counterpoise.io.dataset_sources import DatasetSource

TEXTS = {"train": ["He left.", "She left.", "NA"], "test": ["He ran.", "She ran, too."]}


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def folder(tmp_path):
    """Two splits, as CSV and as Parquet."""
    pd.DataFrame({"id": range(3), "text": TEXTS["train"]}).to_csv(tmp_path / "train.csv", index=False)
    pd.DataFrame({"id": range(2), "text": TEXTS["test"]}).to_csv(tmp_path / "test.csv", index=False)
    return tmp_path


def texts_of(source, **columns):
    return read_texts(source, **columns).table.text.tolist()


def test_the_split_is_the_named_one_else_test_else_the_only_one(folder):
    assert texts_of(f"hf:{folder}") == texts_of(folder) == TEXTS["test"]
    assert texts_of(f"hf:{folder}:train")[:2] == TEXTS["train"][:2]
    (folder / "test.csv").unlink()
    assert len(texts_of(f"hf:{folder}")) == 3
    (folder / "train.csv").rename(folder / "validation.csv")
    pd.DataFrame({"text": ["x"]}).to_csv(folder / "train.csv", index=False)
    with pytest.raises(
        InputError, match=r"several splits and none called test \(there are: train, validation\)"
    ):
        read_texts(f"hf:{folder}")
    with pytest.raises(InputError, match=r"no split 'trian' .*did you mean 'train'"):
        read_texts(f"hf:{folder}:trian")


def test_the_column_is_the_named_one_else_text_else_the_only_one_of_texts(tmp_path):
    table = pd.DataFrame({"bio": ["He sings."], "job": ["singer"], "n": [1], "gender": ["M"]})
    table.to_parquet(tmp_path / "test.parquet")
    assert texts_of(f"hf:{tmp_path}:test:bio") == texts_of(f"hf:{tmp_path}", column="bio") == ["He sings."]
    assert texts_of(f"hf:{tmp_path}::bio") == ["He sings."]
    labelled = read_texts(f"hf:{tmp_path}", label="job", gender="gender").table  # bio is the only one left
    assert labelled.to_dict("records") == [{"text": "He sings.", "label": "singer", "gender": "male"}]
    with pytest.raises(InputError, match=r"several columns of texts \(there are: bio, job, gender\)"):
        read_texts(f"hf:{tmp_path}")
    with pytest.raises(InputError, match="named twice, as 'bio' and as 'job'"):
        read_texts(f"hf:{tmp_path}:test:bio", column="job")
    with pytest.raises(DataError, match=r"no column 'boi' .*did you mean 'bio'"):
        read_texts(f"hf:{tmp_path}:test:boi")
    table[["n"]].to_parquet(tmp_path / "test.parquet")
    with pytest.raises(InputError, match=r"no column of texts \(there are: n\)"):
        read_texts(f"hf:{tmp_path}")


def test_what_save_to_disk_wrote_with_labels_by_their_names(tmp_path):
    features = Features({"text": Value("string"), "label": ClassLabel(names=["bad", "good"])})
    rows = Dataset.from_dict({"text": ["a", "b", "c"], "label": [1, 0, -1]}, features=features)
    DatasetDict(test=rows).save_to_disk(tmp_path / "several")
    rows.save_to_disk(tmp_path / "one")
    for name in ("several", "one"):
        texts = read_texts(f"hf:{tmp_path / name}", label="label")
        assert texts.table.label.tolist() == ["good", "bad", ""]
        assert texts.name == name


def test_pairs_and_prompts_too(tmp_path):
    (tmp_path / "test.jsonl").write_text(
        '{"stereotyped": "She cooks.", "counterpart": "He cooks.", "prompt": "Go."}\n'
    )
    assert read_pairs(f"hf:{tmp_path}").table.counterpart.tolist() == ["He cooks."]
    assert read_prompts(f"hf:{tmp_path}").table.prompt.tolist() == ["Go."]
    assert read_prompts(tmp_path).name == tmp_path.name


def test_a_record_tells_datasets_apart(folder):
    assert DatasetSource.parse(f"hf:{folder}:train:text").record() == {
        "dataset": folder.name,
        "split": "train",
        "column": "text",
    }


@pytest.mark.parametrize("name", ["hf:", "hf:a:", "hf::test"])
def test_a_name_that_is_none(name):
    with pytest.raises(InputError, match=r"named as hf:NAME\[:SPLIT\[:COLUMN\]\]"):
        read_texts(name)


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(DataError, match=r"there is no folder \./nothing"):
        read_texts("hf:./nothing")
    (tmp_path / "a.csv").write_text("text\nx\n")
    with pytest.raises(InputError, match=r"is a file; give it without hf:"):
        read_texts(f"hf:{tmp_path / 'a.csv'}")
    (tmp_path / "a.csv").unlink()
    with pytest.raises(DataError, match=r"^cannot read hf:.*"):
        read_texts(f"hf:{tmp_path}")


def test_no_hub_is_one_line_within_seconds(monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    start = time.monotonic()
    with pytest.raises(DataError, match=r"hf:lab/none: .* and the hub cannot be reached"):
        read_texts("hf:lab/none")
    assert time.monotonic() - start < 10
    with pytest.raises(DataError, match="may not be asked \\(offline\\)"):
        _ = DatasetSource("lab/none", offline=True).table


def test_a_missing_package_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "datasets", None)
    with pytest.raises(InputError, match=r"pip install 'counterpoise\[train\]'"):
        read_texts(tmp_path)


def test_bounds(folder, monkeypatch):
    monkeypatch.setenv("COUNTERPOISE_MAX_TABLE", "0.00002")  # 20 bytes
    with pytest.raises(DataError, match="COUNTERPOISE_MAX_TABLE"):
        read_texts(folder)
    monkeypatch.setenv("COUNTERPOISE_MAX_TABLE", "0.00006")  # the file fits; four cells of 16 bytes do not
    with pytest.raises(DataError, match="COUNTERPOISE_MAX_TABLE"):
        read_texts(folder)
    monkeypatch.setenv("COUNTERPOISE_MAX_TABLE", "0.01")
    assert texts_of(folder) == TEXTS["test"]
    text = "a long text " * 100
    pd.DataFrame({"text": [text] * 1000}).to_parquet(
        folder / "test.parquet"
    )  # small: the text is stored once
    (folder / "test.csv").unlink()
    (folder / "train.csv").unlink()
    assert (folder / "test.parquet").stat().st_size < 10_000
    with pytest.raises(DataError, match="COUNTERPOISE_MAX_TABLE"):
        read_texts(folder)


def test_compressed_files_are_refused(folder):
    (folder / "test.csv.gz").write_bytes(gzip.compress((folder / "test.csv").read_bytes()))
    (folder / "test.csv").unlink()
    with pytest.raises(DataError, match=r"test.csv.gz is compressed; unpack it first"):
        read_texts(folder)


def test_code_that_comes_with_a_dataset_is_not_run(tmp_path):
    mark = tmp_path / "ran"
    data = tmp_path / "data"
    data.mkdir()
    (data / "data.py").write_text(f"open({str(mark)!r}, 'w')\n")
    with pytest.raises(DataError, match="cannot read"):
        read_texts(data)
    assert not mark.exists()


def test_datasets_is_left_as_it_was(folder):
    import datasets

    before = (
        datasets.config.HF_HUB_OFFLINE,
        datasets.logging.get_verbosity(),
        datasets.are_progress_bars_disabled(),
    )
    read_texts(folder)
    assert before == (
        datasets.config.HF_HUB_OFFLINE,
        datasets.logging.get_verbosity(),
        datasets.are_progress_bars_disabled(),
    )


def test_a_folder_of_everything_is_refused_at_once(folder):
    for number in range(MOST_FILES // 100 + 1):
        (folder / str(number)).mkdir()
        for name in range(100):
            (folder / str(number) / f"{name}.csv").touch()
    began = time.monotonic()
    with pytest.raises(DataError, match=r"there are more than 1,000 files in .*; name one file"):
        read_texts(folder)
    assert time.monotonic() - began < 5
