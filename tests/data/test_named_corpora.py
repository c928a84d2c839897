"""Datasets that are read as corpora, by name."""

from __future__ import annotations

from counterpoise.core.hashing import hash_texts
from counterpoise.data.corpus import Corpus
from counterpoise.data.named_corpora import swapped_gap


def test_datasets_by_name(data_file):
    data_file("gap/gap-validation.tsv")
    assert len(Corpus.of("gap").texts) == 4454
    data_file("mt-gender/en.txt")
    assert len(Corpus.of("mt-gender").texts) == 3888


def test_texts_are_those_that_model_cards_name(data_file):
    """Hashes as cards of earlier versions have them: the texts of a dataset are taken as they are."""
    data_file("gap/gap-validation.tsv")
    assert hash_texts(Corpus.of("gap").texts) == "0771b0e6e7d850c4fe11514df85e4755"
    data_file("imdb/imdb_50k_labelled.csv.xz")
    assert hash_texts(Corpus.of("imdb").texts) == "93c834991495741b24deccbde77697d4"


def test_the_authors_version_is_in_the_same_order(data_file):
    """Every text of it is changed, and the most common change of the first words is the pronoun."""
    data_file("bec-pro/gap_flipped.tsv.xz")
    before, after = Corpus.of("gap").texts, swapped_gap()
    assert len(after) == 4454
    assert not any(one == other for one, other in zip(before, after, strict=True))
    assert "Vassey's guilty conscience may lead him" in before[-1]
    assert "Vassey's guilty conscience may lead her" in after[-1]
