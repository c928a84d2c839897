"""Quotes of leading words: beside the right gender, few, and only from what was read."""

from __future__ import annotations

import io
import sys

from counterpoise.corpus import quotes as module
from counterpoise.corpus.counting.words import CorpusWords
from counterpoise.corpus.quotes import quotes
from counterpoise.data.corpus import Corpus

WORDS = CorpusWords.of("pro", ["nurse"])


def test_the_sentence_names_that_gender_alone():
    texts = [
        "The league fined her.",
        "He asked her about the league.",
        "She left. The league fined him. She came back.",
        "The league fined no one. He was glad.",
        "The LEAGUE paid him; the league paid him twice.",
        "He knows the league.",
        "He likes the league.",
    ]
    [found] = quotes(Corpus.of(texts), ["league"], [], WORDS)
    assert (found.word, found.gender) == ("league", "men")
    assert [line.document for line in found.lines] == [3, 5, 6]  # three at most, one of a document


def test_a_profession_in_the_plural():
    [found] = quotes(Corpus.of(["Nurses helped her."]), [], ["nurse"], WORDS)
    assert (found.gender, found.lines[0].word) == ("women", "Nurses")


def test_only_the_beginning_of_a_large_corpus_is_read(monkeypatch):
    monkeypatch.setattr(module, "_READ", 20)
    texts = ["Nothing of the kind here.", "The league paid him."]
    assert quotes(Corpus.of(texts), ["league"], [], WORDS) == []
    assert quotes(Corpus.of(texts[::-1]), ["league"], [], WORDS) != []


def test_standard_input_cannot_be_read_again(monkeypatch):
    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": io.BytesIO(b"The league paid him.\n")}))
    assert quotes(Corpus.of("-"), ["league"], [], WORDS) == []
