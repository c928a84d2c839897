"""A user's own texts, with labels and genders."""

from __future__ import annotations

import pandas as pd
import pytest

from counterpoise.core.errors import DataError, InputError
from counterpoise.data import Texts, imdb_texts, read_texts

TABLE = pd.DataFrame(
    {"review": ["He sings.", "NA", ""], "stars": [1, 0, 1], "who": ["M", "woman", "unknown"]}
)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_every_format_reads_the_same(suffix, tmp_path):
    path = tmp_path / f"mine.{suffix}"
    if suffix == "jsonl":
        TABLE.to_json(path, orient="records", lines=True)
    elif suffix == "parquet":
        TABLE.to_parquet(path)
    else:
        TABLE.to_csv(path, sep="," if suffix == "csv" else "\t", index=False)
    texts = read_texts(path, "review", label="stars", gender="who")
    assert texts.name == path.name
    assert texts.table.to_dict("list") == {
        "text": ["He sings.", "NA", ""],
        "label": ["1", "0", "1"],
        "gender": ["male", "female", "unknown"],
    }


def test_labels_and_genders_may_be_missing():
    texts = Texts.of(["a", "b"], labels=[1.0, None])
    assert texts.table.label.tolist() == ["1", ""]
    assert texts.table.gender.tolist() == ["", ""]


def test_a_sample_is_seeded_and_in_order():
    texts = Texts.of([str(i) for i in range(100)])
    drawn = texts.sample(10, seed=3).table.text
    assert drawn.tolist() == texts.sample(10, seed=3).table.text.tolist()
    assert drawn.tolist() != texts.sample(10, seed=4).table.text.tolist()
    assert drawn.astype(int).is_monotonic_increasing
    assert len(texts.sample(1000, seed=0).table) == 100


def test_imdb_reviews(data_file):
    data_file("imdb/imdb_50k_labelled.csv.xz")
    texts = imdb_texts("test")
    assert texts.table.label.value_counts().to_dict() == {"pos": 12500, "neg": 12500}


def test_mistakes(tmp_path):
    path = tmp_path / "mine.csv"
    TABLE.to_csv(path, index=False)
    with pytest.raises(
        DataError, match=r"no column 'revew' \(there are: review, stars, who\); did you mean 'review'"
    ):
        read_texts(path, "revew")
    with pytest.raises(DataError, match="no column 'text'"):
        read_texts(path)
    with pytest.raises(DataError, match=r"texts are read from files that end in \.csv"):
        read_texts(tmp_path / "mine.docx")
    with pytest.raises(DataError, match="has no texts"):
        Texts.of([])
    with pytest.raises(DataError, match="row 2 has 3"):
        Texts.of(["a", 3])
    with pytest.raises(InputError, match="2 texts but 1 labels"):
        Texts.of(["a", "b"], labels=[1])
    with pytest.raises(InputError, match="not one text"):
        Texts.of("he")
    with pytest.raises(InputError, match="at least one text"):
        Texts.of(["a"]).sample(0, seed=0)
