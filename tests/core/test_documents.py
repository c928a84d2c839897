from __future__ import annotations

import os

import pytest

from counterpoise.core.documents import parse_json, parse_yaml, read_json_file, read_yaml
from counterpoise.core.errors import DataError, InputError

BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "\n".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]"
    for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)

# Each mapping has those of the one before twice: 2^40 in the end.
MERGES = "x0: &x0 {k: 1}\n" + "\n".join(f"x{i}: &x{i} {{<<: [*x{i - 1}, *x{i - 1}]}}" for i in range(1, 41))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 5000, "nested too deeply"),
        ("- " * 5000 + "x", "nested too deeply"),
        ("[" * 300 + "]" * 300, "nested too deeply"),
        ("a: 2024-13-45", "month must be in 1..12"),
        ("a: 2024-02-31", "day is out of range"),
        ("a: !!python/object/apply:os.system [true]", "could not determine a constructor"),
        ("a: &a [*a]", "refers to itself"),
        (BOMB, "more than 5,000,000 values"),
        ('a: "\\ud800"', "is not YAML"),
        ("a: [", "is not YAML"),
        ("a: b: c", "is not YAML"),
        ("a: \x00", "is not YAML"),
        ("{[a]: b}", "is not YAML"),
        ("{" * 1_000_000, "nested too deeply"),
        ("[" + "1," * 1_900_000 + "]", "more than 200,000 values"),
        (MERGES, "more than 200,000 values, with << written out"),
        ("a:\n  b: 1" + ":59" * 1_000_000, "a number of 3,000,001 characters (line 2)"),
        ("a: 0x" + "f" * 3_000_000, "a number of 3,000,002 characters (line 1)"),
        ("a: 1:99:99999999999999999999999999999999999:1", None),
    ],
)
def test_what_is_wrong_with_yaml_is_one_line_that_names_the_file(text, problem, tmp_path):
    (tmp_path / "words.yaml").write_text(text)
    if problem is None:
        read_yaml(tmp_path / "words.yaml")
        return
    with pytest.raises(DataError, match=r"words\.yaml") as caught:
        read_yaml(tmp_path / "words.yaml")
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 50_000,
        "[" * 300 + "]" * 300,
        '["\\udc80"]',
        "{",
        "",
        "1" * 5000,
        "[" + "[]," * 5_000_001 + "1]",
    ],
)
def test_what_is_wrong_with_json_is_one_line_that_names_the_file(text, tmp_path):
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(DataError, match=r"run\.json"):
        read_json_file(tmp_path / "run.json")


def test_signs_within_strings_of_json_are_no_values(tmp_path):
    text = '["' + r",[{\"\\" * 2_000_000 + '"]'
    (tmp_path / "run.json").write_text(text)
    [value] = read_json_file(tmp_path / "run.json")
    assert value == ',[{"\\' * 2_000_000


def test_limits_are_stated_with_the_variable_that_raises_them(tmp_path, monkeypatch):
    path = tmp_path / "words.yaml"
    path.write_text("a: " + "x" * 5_000_000)
    with pytest.raises(DataError, match="more than 4 MB; the variable COUNTERPOISE_MAX_YAML"):
        read_yaml(path)
    monkeypatch.setenv("COUNTERPOISE_MAX_YAML", "much")
    with pytest.raises(InputError, match="COUNTERPOISE_MAX_YAML must be a number of megabytes, not 'much'"):
        read_yaml(path)
    monkeypatch.setenv("COUNTERPOISE_MAX_YAML", "6")
    assert len(read_yaml(path)["a"]) == 5_000_000


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null"])
def test_only_ordinary_files_are_read(path, tmp_path):
    with pytest.raises(DataError, match="not an ordinary file"):
        read_yaml(path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="not an ordinary file"):
        read_json_file(tmp_path / "pipe")
    with pytest.raises(DataError, match="is a folder"):
        read_json_file(tmp_path)


def test_the_place_is_named_and_other_kinds_of_error_can_be_asked_for():
    with pytest.raises(InputError, match=r"^--set x"):
        parse_yaml("[", "--set x", InputError)
    assert parse_json("[1]", "here") == [1]
