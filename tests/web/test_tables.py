"""Pages of tables, against plain pandas."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from counterpoise.core.errors import InputError, RunError
from counterpoise.web import limits
from counterpoise.web.tables import TableCache, TableQuery, select

TABLE = pd.DataFrame(
    {
        "text": pd.array(["b (x)", "A.*", None, "c", "b"], dtype="string"),
        "value": [2.0, np.nan, 1.0, -3.0, 2.0],
        "count": [1, 2, 3, 4, 5],
    }
)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (TableQuery(), [1, 2, 3, 4, 5]),
        (TableQuery(sort="value"), [4, 3, 1, 5, 2]),
        (TableQuery(sort="value", descending=True), [1, 5, 3, 4, 2]),
        (TableQuery(sort="text"), [2, 5, 1, 4, 3]),
        (TableQuery(text="B"), [1, 5]),
        (TableQuery(text=".*"), [2]),
        (TableQuery(text="(x"), [1]),
        (TableQuery(text="b", column="text", sort="count", descending=True), [5, 1]),
        (TableQuery(column="value", low=1.5), [1, 5]),
        (TableQuery(column="value", high=1.0), [3, 4]),
        (TableQuery(column="count", low=2, high=3), [2, 3]),
        (TableQuery(size=2, page=2), [3, 4]),
        (TableQuery(size=2, page=99), [5]),
        (TableQuery(text="nothing has this"), []),
    ],
)
def test_rows_and_their_order(query, expected):
    found = select(TABLE, query)
    assert [row[2] for row in found.rows] == expected
    assert found.total == 5


def test_what_is_no_number_is_empty():
    assert select(TABLE, TableQuery()).rows[1] == ("A.*", None, 2)
    assert select(TABLE, TableQuery()).rows[2] == (None, 1.0, 3)


@pytest.mark.parametrize(
    "query",
    [
        TableQuery(sort="nope"),
        TableQuery(column="nope"),
        TableQuery(low=1.0),
        TableQuery(column="text", high=2.0),
    ],
)
def test_mistakes_are_told(query):
    with pytest.raises(InputError):
        select(TABLE, query)


def test_every_page_of_100000_rows_is_there_once_and_quick():
    numbers = np.random.default_rng(0).permutation(100_000)
    table = pd.DataFrame({"n": numbers, "text": pd.array([f"item {n}" for n in numbers], dtype="string")})
    seen: list[int] = []
    began = time.process_time()
    for page in range(1, 1001, 100):
        found = select(table, TableQuery(sort="n", descending=True, page=page, size=100))
        seen += [row[0] for row in found.rows]
    assert seen == [99_999 - 100 * (page - 1) - i for page in range(1, 1001, 100) for i in range(100)]
    assert (time.process_time() - began) / 10 < 0.5


def test_any_parquet_file_becomes_numbers_and_texts(tmp_path):
    odd = pa.table(
        {
            "list": [[1, 2], None],
            "struct": [{"a": 1}, {"a": 2}],
            "bytes": [b"\xff", b"x"],
            "flag": [True, None],
            "when": pa.array([0, 1], pa.timestamp("s")),
            "big": pa.array([2**63, 1], pa.uint64()),
            "inf": [float("inf"), float("nan")],
        }
    )
    pq.write_table(odd, tmp_path / "odd.parquet")
    table = TableCache(1 << 20).read(tmp_path / "odd.parquet")
    for name in table.columns:
        rows = select(table, TableQuery(sort=name, text="1")).rows
        assert all(isinstance(cell, str | int | float | None) for row in rows for cell in row)
    assert select(table, TableQuery()).rows[0][-1] is None


def test_memory_is_bounded_and_changed_files_are_read_again(tmp_path):
    tables = TableCache(max_bytes=3 << 20)
    for n in range(12):
        pd.DataFrame({"x": np.full(100_000, float(n))}).to_parquet(tmp_path / f"{n}.parquet")
        assert tables.read(tmp_path / f"{n}.parquet").x[0] == n
    kept = [table for _, table in tables._tables.values()]
    assert len(kept) == 3
    assert sum(int(table.memory_usage(deep=True).sum()) for table in kept) <= 3 << 20
    assert tables.read(tmp_path / "11.parquet") is tables.read(tmp_path / "11.parquet")
    pd.DataFrame({"x": [1.0, 2.0]}).to_parquet(tmp_path / "11.parquet")
    assert len(tables.read(tmp_path / "11.parquet")) == 2


def test_a_table_larger_than_the_cache_is_kept_alone(tmp_path):
    tables = TableCache(max_bytes=1000)
    for name, rows in (("small", 10), ("large", 100_000)):
        pd.DataFrame({"x": np.arange(float(rows))}).to_parquet(tmp_path / name)
        tables.read(tmp_path / name)
    assert list(tables._tables) == [tmp_path / "large"]
    assert tables.read(tmp_path / "large") is tables.read(tmp_path / "large")


def test_what_is_no_table_is_one_line(tmp_path, monkeypatch):
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and then nothing PAR1")
    with pytest.raises(RunError, match=r"cannot read bad\.parquet"):
        TableCache(1).read(tmp_path / "bad.parquet")
    pd.DataFrame({"x": np.arange(1000.0)}).to_parquet(tmp_path / "large.parquet")
    monkeypatch.setattr(limits, "TABLE", 100)
    with pytest.raises(RunError, match="MB of items"):
        TableCache(1).read(tmp_path / "large.parquet")
