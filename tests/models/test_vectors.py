"""Word vectors in every format, against numpy; what is wrong with a file is said with the number of its line."""

from __future__ import annotations

import gzip
import json
import lzma
import struct
from types import SimpleNamespace

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.core.errors import DataError, InputError, ModelError
from counterpoise.models import vector_files
from counterpoise.models.vectors import WordVectors

WORDS = ["he", "she", "Paris", "naïve"]
MATRIX = np.random.default_rng(0).normal(size=(4, 5)).astype(np.float32)


def text(words=WORDS, matrix=MATRIX, header=False, end="\n"):
    lines = [f"{len(words)} {matrix.shape[1]}"] if header else []
    lines += [
        " ".join([word, *(repr(float(v)) for v in row)]) for word, row in zip(words, matrix, strict=True)
    ]
    return "".join(line + end for line in lines).encode()


def binary(newlines):
    parts = [b"4 5\n"]
    for word, row in zip(WORDS, MATRIX, strict=True):
        parts.append(word.encode() + b" " + struct.pack("<5f", *row) + (b"\n" if newlines else b""))
    return b"".join(parts)


FILES = {
    "glove.txt": text(),
    "windows.txt": text(end="\r\n"),
    "word2vec.txt": text(header=True),
    "fasttext.vec": text(header=True, end=" \n"),
    "no_last_newline.txt": text().rstrip(b"\n"),
    "byte_order_mark.txt": b"\xef\xbb\xbf" + text(),
    "byte_order_mark.vec": b"\xef\xbb\xbf" + text(header=True),
    "glove.txt.xz": lzma.compress(text()),
    "glove.txt.gz": gzip.compress(text()),
    "word2vec.bin": binary(newlines=False),
    "original.bin": binary(newlines=True),
    "word2vec.bin.gz": gzip.compress(binary(newlines=False)),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("big", [False, True])
def test_every_format_gives_the_same_vectors(name, big, tmp_path, monkeypatch):
    """Read at once, and by way of the cache folder as a big file is, at the first and at the second opening."""
    monkeypatch.setattr(vector_files, "_BIG", 0 if big else 1 << 30)
    (tmp_path / name).write_bytes(FILES[name])
    for _ in range(2):
        vectors = cp.load(tmp_path / name)
        assert vectors.words == WORDS
        assert vectors.lookup(WORDS).dtype == np.float32
        assert np.array_equal(vectors.lookup(WORDS), MATRIX)
        assert isinstance(vectors.matrix, np.memmap) == big
        assert vectors.fingerprint == WordVectors(WORDS, MATRIX).fingerprint
        assert vectors.precision == "float32"
        assert vectors.name == name
        assert vectors.warnings == ()
        assert list(tmp_path.iterdir()) == [tmp_path / name]


def test_blocks_of_lines(tmp_path, monkeypatch):
    """A file is read in blocks: words, numbers and line numbers are right across their borders."""
    monkeypatch.setattr("counterpoise.models.vector_readers._BLOCK", 50)
    matrix = np.random.default_rng(1).normal(size=(40, 3)).astype(np.float32)
    words = [f"w{i}" for i in range(40)]
    (tmp_path / "v.txt").write_bytes(text(words, matrix))
    assert np.array_equal(WordVectors.open(tmp_path / "v.txt").lookup(words), matrix)
    (tmp_path / "v.bin").write_bytes(
        b"40 3\n" + b"".join(w.encode() + b" " + row.tobytes() for w, row in zip(words, matrix, strict=True))
    )
    assert np.array_equal(WordVectors.open(tmp_path / "v.bin").lookup(words), matrix)
    (tmp_path / "v.txt").write_bytes(text(words, matrix) + b"w40 1 2\n")
    with pytest.raises(DataError, match="line 41: not a word and 3 numbers"):
        WordVectors.open(tmp_path / "v.txt")


def test_a_changed_file_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(vector_files, "_BIG", 0)
    path = tmp_path / "v.txt"
    path.write_bytes(text())
    WordVectors.open(path)
    path.write_bytes(text(matrix=MATRIX[::-1].copy()) + b"new 1 2 3 4 5\n")
    assert np.array_equal(WordVectors.open(path)["he"], MATRIX[-1])


def test_a_conversion_that_fails_leaves_nothing_behind(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(vector_files, "_BIG", 0)
    monkeypatch.setenv("COUNTERPOISE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "v.txt").write_bytes(text() + b"short 1\n")
    with pytest.raises(DataError, match="line 5"):
        WordVectors.open(tmp_path / "v.txt")
    assert list((tmp_path / "cache" / "vectors").iterdir()) == []
    (tmp_path / "cache" / "vectors").rmdir()
    (tmp_path / "cache" / "vectors").write_text("a file in the way")
    (tmp_path / "v.txt").write_bytes(text())
    assert np.array_equal(WordVectors.open(tmp_path / "v.txt").matrix, MATRIX)
    assert "COUNTERPOISE_CACHE may name a folder" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["vectors.npy", "vectors.words.txt", "about.json"])
@pytest.mark.parametrize("seed", range(8))
def test_damaged_converted_vectors_are_never_used(name, seed, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(vector_files, "_BIG", 0)
    monkeypatch.setenv("COUNTERPOISE_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "v.txt"
    path.write_bytes(text())
    before = WordVectors.open(path)
    [folder] = (tmp_path / "cache" / "vectors").iterdir()
    content = bytearray((folder / name).read_bytes())
    rng = np.random.default_rng(seed)
    for _ in range(8):
        place = rng.integers(len(content))
        content[place] ^= 1 << rng.integers(8)
    (folder / name).write_bytes(content)
    [(source, _)] = vector_files.converted_files().values()
    assert source
    after = WordVectors.open(path)
    assert after.words == before.words
    assert np.array_equal(after.matrix, MATRIX)
    assert after.fingerprint == before.fingerprint
    assert len(capsys.readouterr().err.splitlines()) == 1
    WordVectors.open(path)
    assert capsys.readouterr().err == ""  # it was mended


def test_vectors_converted_by_an_earlier_version_are_converted_again(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(vector_files, "_BIG", 0)
    monkeypatch.setenv("COUNTERPOISE_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "v.txt"
    path.write_bytes(text())
    WordVectors.open(path)
    [about] = (tmp_path / "cache" / "vectors").glob("*/about.json")
    about.write_text(json.dumps({"source": str(path), "digest": "0", "warnings": []}))
    assert np.array_equal(WordVectors.open(path).matrix, MATRIX)
    assert "earlier version" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("v.words.txt", "he\nshe\nParis\nnaïve\n"),
        ("v.txt", "he\nshe\nParis\nnaïve"),
        ("v.vocab", "he\nshe\nParis\nnaïve\n"),
        ("v.json", json.dumps(WORDS)),
        ("v.json", json.dumps({"naïve": 3, "he": 0, "she": 1, "Paris": 2})),
    ],
)
def test_an_array_with_its_words(name, content, tmp_path):
    np.save(tmp_path / "v.npy", MATRIX)
    (tmp_path / name).write_text(content, encoding="utf-8")
    vectors = cp.load(tmp_path / "v.npy")
    assert isinstance(vectors.matrix, np.memmap)
    assert np.array_equal(vectors.lookup(WORDS), MATRIX)


@pytest.mark.parametrize("name", ["v.npy", "v.txt", "v.vec"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_saved_and_opened(name, dtype, tmp_path):
    vectors = WordVectors(WORDS, MATRIX.astype(dtype))
    vectors.save(tmp_path / name)
    assert np.array_equal(WordVectors.open(tmp_path / name).lookup(WORDS), MATRIX)
    with pytest.raises(InputError, match=r"written to .npy, .txt or .vec"):
        vectors.save(tmp_path / "v.kv")


def test_case():
    vectors = ["he", "Paris", "bill", "Bill"]
    found = {case: WordVectors(vectors, np.eye(4), case=case) for case in ("exact", "lower", "fallback")}
    keys = {case: [one.key(word) for word in ("He", "Paris", "Bill", "PARIS")] for case, one in found.items()}
    assert keys == {
        "exact": [None, "Paris", "Bill", None],
        "lower": ["he", None, "bill", None],
        "fallback": ["he", "Paris", "Bill", None],
    }
    assert len({one.fingerprint for one in found.values()}) == 3
    with pytest.raises(InputError, match="there is no case handling 'upper'"):
        WordVectors(vectors, np.eye(4), case="upper")


def test_nearest_equals_sorting_all_cosines():
    rng = np.random.default_rng(2)
    matrix = rng.normal(size=(50, 6))
    matrix[7] = 0
    words = [f"w{i}" for i in range(50)]
    vectors = WordVectors(words, matrix)
    cosines = {
        word: matrix[3] @ row / np.linalg.norm(matrix[3]) / np.linalg.norm(row)
        for word, row in zip(words, matrix, strict=True)
        if row.any()
    }
    expected = sorted((word for word in cosines if word != "w3"), key=cosines.__getitem__, reverse=True)
    assert [word for word, _ in vectors.nearest("w3", 60)] == expected
    assert vectors.nearest("w3", 2)[1][1] == pytest.approx(cosines[expected[1]])
    assert vectors.nearest(matrix[3], 1)[0][0] == "w3"
    with pytest.raises(InputError, match="k must be at least 1"):
        vectors.nearest("w3", 0)


def test_words_with_spaces(tmp_path):
    (tmp_path / "vectors.txt").write_text("he 1 2\n. . . 3 4\nto name@domain.com 5 6\n")
    vectors = WordVectors.open(tmp_path / "vectors.txt")
    assert vectors.words == ["he", ". . .", "to name@domain.com"]
    assert vectors[". . ."].tolist() == [3, 4]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("he 1 2\nshe 1\n", r"line 2: not a word and 2 numbers \(found 1\)"),
        ("he 1 2\nshe 1 2 3\n", r"line 2: not a word and 2 numbers \(found 3\)"),
        ("he 1 2\nshe a b\n", r"line 2: not a word and 2 numbers \(a is none\)"),
        ("he 1 2\nshe nan 2\n", "line 2: 'she' has a number that is NaN or infinite"),
        ("2 2\nhe 1 2\nshe 1 inf\n", "line 3: 'she' has a number that is NaN or infinite"),
        ("2 3\nhe 1 2\nshe 1 2\n", r"line 2: not a word and 3 numbers \(found 2\)"),
        ("3 2\nhe 1 2\nshe 1 2\n", "promises 3 words, and it has 2"),
        ("", "has no vectors in it"),
        ("he\nshe\n", "line 1: not a word and its numbers"),
        ("he 1 2\n\nshe 1 2\n", "line 2: not a word and 2 numbers"),
        ("he 1 2\nshe 1_0 2\n", r"line 2: not a word and 2 numbers \(1_0 is none\)"),
        ("2 0\nhe\nshe\n", "line 2: not a word and its numbers"),
    ],
)
def test_bad_text_files(content, message, tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text(content)
    with pytest.raises(DataError, match=message) as error:
        WordVectors.open(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["bad.txt", "bad.xz", "bad.gz"])
def test_unreadable_files(name, tmp_path):
    (tmp_path / name).write_bytes(b"\xff\xfe\x00 not text")
    with pytest.raises(DataError, match="cannot read"):
        WordVectors.open(tmp_path / name)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (binary(False)[:-3], "word 4: the file ends in the middle of a vector of 5 numbers"),
        (binary(False)[: -len("naïve".encode()) - 21], "promises 4 words, and it has 3"),
        (b"not a header\n", "its first line is not two numbers"),
        (b"2 0\nhe she ", "line 1: its vectors have no numbers"),
        (b"\xba\x16\x4f\x2f\x0c\x00", "is a fastText model; give the .vec file"),
        (b"1 2\n\xff\xfe " + struct.pack("<2f", 1, 2), "a word is not UTF-8 text"),
        (b"1 2\nhe " + struct.pack("<2f", 1, float("nan")), "word 1: 'he' has a number that is NaN"),
    ],
)
def test_bad_binary_files(content, message, tmp_path):
    (tmp_path / "v.bin").write_bytes(content)
    with pytest.raises(DataError, match=message):
        WordVectors.open(tmp_path / "v.bin")


def test_bad_arrays(tmp_path):
    path = tmp_path / "v.npy"
    np.save(path, MATRIX)
    with pytest.raises(DataError, match=r"needs the words of its rows beside it: v\.words\.txt or"):
        WordVectors.open(path)
    (tmp_path / "v.txt").write_text("he\nshe\n")
    with pytest.raises(DataError, match=r"v\.npy has 4 rows and v\.txt 2 words"):
        WordVectors.open(path)
    (tmp_path / "v.txt").unlink()
    for content, message in {
        "{": "cannot read",
        "[1, 2]": "neither a list",
        '{"a": 1}': "not 0 to 0",
    }.items():
        (tmp_path / "v.json").write_text(content)
        with pytest.raises(DataError, match=message):
            WordVectors.open(path)
    np.save(path, np.array(["he"], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match="cannot read"):
        WordVectors.open(path)


def test_repeated_words_and_zeros_are_said_with_their_lines(tmp_path):
    (tmp_path / "v.txt").write_text("he 1 2\nzero 0 0\nhe 3 4\nshe 5 6\nshe 7 8\n")
    vectors = WordVectors.open(tmp_path / "v.txt")
    assert vectors.warnings == (
        "v.txt, line 3: 'he' is there already; the first vector counts (and 1 more like it)",
        "v.txt, line 2: 'zero' has a vector of zeros",
    )
    assert vectors.lookup(["he", "she"]).tolist() == [[1, 2], [5, 6]]
    assert vectors.problems(["he", "zero", "him"]) == [None, "its vector is all zeros", "has no vector"]
    repeated = WordVectors(["a", "b", "a"], np.eye(3))
    assert repeated.warnings == ("vectors, row 3: 'a' is there already; the first vector counts",)
    assert repeated["a"].tolist() == [1, 0, 0]


def test_what_gensim_saved_says_what_it_needs(tmp_path):
    (tmp_path / "v.kv").write_bytes(b"\x80\x04.")
    with pytest.raises(DataError, match=r"saved by gensim as a pickle.*--allow-pickle"):
        cp.load(tmp_path / "v.kv")
    with pytest.raises(
        DataError, match=r"saved by gensim, which is not installed|cannot read .* with gensim"
    ):
        cp.load(tmp_path / "v.kv", allow_pickle=True)


def test_keyed_vectors_of_gensim():
    """By the two attributes of gensim 4 that hold words and numbers."""
    keyed = SimpleNamespace(index_to_key=WORDS, vectors=MATRIX)
    assert np.array_equal(WordVectors.from_gensim(keyed).lookup(WORDS), MATRIX)
    assert np.array_equal(WordVectors.from_gensim(SimpleNamespace(wv=keyed)).lookup(WORDS), MATRIX)
    with pytest.raises(DataError, match="holds no word vectors of gensim 4"):
        WordVectors.from_gensim(SimpleNamespace(index2word=WORDS))


def test_mistakes(tmp_path):
    vectors = WordVectors(["nurse", "doctor"], np.eye(2))
    with pytest.raises(DataError, match="has no vector for 'nurze'; did you mean 'nurse'"):
        vectors["nurze"]
    with pytest.raises(InputError, match="2 words need as many vectors"):
        WordVectors(["a", "b"], np.eye(3))
    with pytest.raises(DataError, match="there is no file"):
        WordVectors.open(tmp_path / "nowhere.txt")
    (tmp_path / "notes.pdf").write_text("he 1 2")
    with pytest.raises(ModelError, match=r"word vectors are a file that ends in .txt, .vec"):
        cp.load(tmp_path / "notes.pdf")


def test_real_word_vectors(data_file):
    path = data_file("vectors/glove_6B_50d_subset.txt.xz")
    vectors = WordVectors.open(path)
    with lzma.open(path, "rt") as file:
        lines = {line.split()[0]: line.split()[1:] for line in file}
    assert len(vectors) == len(lines)
    assert np.array_equal(vectors.lookup(list(lines)), np.array(list(lines.values()), dtype=np.float32))
    assert "qqq" not in vectors
    assert "his" in [word for word, _ in vectors.nearest("he", 5)]
