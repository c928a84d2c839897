"""Corpora by name, from files and from lists."""

from __future__ import annotations

import gzip
import json

import pytest

from counterpoise.core.errors import DataError, InputError
from counterpoise.data.named_corpora import Corpus, neutral_sentences, read_corpus, swapped_gap

TEXTS = ["He left.", "She stayed. It rains."]


def test_files(tmp_path):
    (tmp_path / "mine.txt").write_text("He left.\n\nShe stayed. It rains.\n")
    (tmp_path / "mine.csv").write_text('id,review\n1,He left.\n2,"She stayed. It rains."\n')
    with gzip.open(tmp_path / "mine.jsonl.gz", "wt") as file:
        file.writelines(json.dumps({"text": text}) + "\n" for text in TEXTS)
    for name, column in [("mine.txt", "text"), ("mine.csv", "review"), ("mine.jsonl.gz", "text")]:
        corpus = read_corpus(tmp_path / name, column)
        assert corpus.texts == tuple(TEXTS)
        assert corpus.name == name
        assert corpus.sentences == 3
    assert read_corpus(TEXTS).hash == read_corpus(tmp_path / "mine.txt").hash


def test_named(data_file):
    data_file("gap/gap-validation.tsv")
    assert len(read_corpus("gap").texts) == 4454
    data_file("mt-gender/en.txt")
    assert len(read_corpus("mt-gender").texts) == 3888


def test_the_authors_version_is_in_the_same_order(data_file):
    """Every text of it is changed, and the most common change of the first words is the pronoun."""
    data_file("bec-pro/gap_flipped.tsv.xz")
    before, after = read_corpus("gap").texts, swapped_gap()
    assert len(after) == 4454
    assert not any(one == other for one, other in zip(before, after, strict=True))
    assert "Vassey's guilty conscience may lead him" in before[-1]
    assert "Vassey's guilty conscience may lead her" in after[-1]


def test_neutral_sentences():
    corpus = Corpus("mine", tuple(f"The train {i} is late. He left the train {i}." for i in range(30)))
    found = neutral_sentences(corpus, 10, seed=1)
    assert len(found) == 10
    assert not any("He" in sentence for sentence in found)
    assert found == neutral_sentences(corpus, 10, seed=1) != neutral_sentences(corpus, 10, seed=2)
    with pytest.raises(DataError, match="mine has no sentence without a gendered word"):
        neutral_sentences(Corpus("mine", ("He left.",)), 10, seed=0)


def test_bad_input(tmp_path):
    (tmp_path / "empty.txt").touch()
    (tmp_path / "blank.txt").write_text("\n  \n")
    for source, message in [
        (tmp_path / "empty.txt", "empty.txt is empty"),
        (tmp_path / "blank.txt", "blank.txt has no text"),
        ([], "the corpus has no text"),
        ("gapp", "no corpus of that name .*did you mean 'gap'"),
    ]:
        with pytest.raises(DataError, match=message):
            read_corpus(source)
    with pytest.raises(InputError, match="a text must be a string, not int"):
        read_corpus([1])  # type: ignore[list-item]
