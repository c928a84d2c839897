from __future__ import annotations

import io
import random
from contextlib import suppress

import numpy as np
import pytest

from counterpoise.core.checked_files import (
    is_intact,
    read_arrays,
    read_checked_json,
    write_checked_json,
    write_checksums,
)
from counterpoise.core.errors import RunError
from counterpoise.core.files import write_json


def flip(path, seed, n=8):
    content = bytearray(path.read_bytes())
    rng = random.Random(seed)
    for _ in range(n):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


@pytest.mark.parametrize("seed", range(50))
def test_json_with_flipped_bits_is_refused_or_the_same(tmp_path, seed):
    content = {"values": [0.1, None, -3], "words": ["naïve", "she"], "nested": {"a": {"b": [1]}}}
    write_checked_json(tmp_path / "a.json", content)
    assert read_checked_json(tmp_path / "a.json") == content
    flip(tmp_path / "a.json", seed)
    with suppress(RunError):
        assert read_checked_json(tmp_path / "a.json") == content  # only the spaces between values changed


def test_json_without_a_checksum_is_of_an_earlier_version(tmp_path):
    write_json(tmp_path / "a.json", {"values": [1]})
    with pytest.raises(RunError, match="earlier version"):
        read_checked_json(tmp_path / "a.json")


@pytest.mark.parametrize("seed", range(50))
def test_arrays_with_flipped_bits_are_refused_or_the_same(tmp_path, seed):
    arrays = {"a": np.arange(500.0), "b": np.array(["he", "she"]), "c": np.array(3)}
    with (tmp_path / "a.npz").open("wb") as file:
        np.savez_compressed(file, **arrays)
    flip(tmp_path / "a.npz", seed)
    with suppress(RunError):
        read = read_arrays(tmp_path / "a.npz")
        for name in read.keys() & arrays.keys():
            assert np.array_equal(read[name], arrays[name])


def test_an_array_of_another_shape_is_refused(tmp_path):
    """numpy alone would read the first rows and never come to the checksum."""
    content = io.BytesIO()
    np.savez(content, near=np.arange(120.0))
    raw = content.getvalue()
    assert raw.count(b"(120,)") == 1
    for shape in (b"(100,)", b"(0,)  ", b"(12,) "):
        (tmp_path / "a.npz").write_bytes(raw.replace(b"(120,)", shape))
        with pytest.raises(RunError, match=r"cannot read .*a\.npz"):
            read_arrays(tmp_path / "a.npz")
    (tmp_path / "a.npz").write_bytes(raw)
    assert np.array_equal(read_arrays(tmp_path / "a.npz")["near"], np.arange(120.0))


@pytest.mark.parametrize("change", ["content", "missing", "more", "checksums"])
def test_a_folder_is_intact_only_with_all_its_bytes(tmp_path, change):
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    (tmp_path / "config.json").write_text("{}")
    assert not is_intact(tmp_path)
    write_checksums(tmp_path)
    assert is_intact(tmp_path)
    match change:
        case "content":
            flip(tmp_path / "model.safetensors", 0, 1)
        case "missing":
            (tmp_path / "config.json").unlink()
        case "more":
            (tmp_path / "adapter.bin").write_text("")
        case "checksums":
            (tmp_path / "checksums.json").write_text("{")
    assert not is_intact(tmp_path)
