"""Sentences of words, drawn from a corpus."""

from __future__ import annotations

import gzip
import json
from collections import Counter

import pytest

from counterpoise.core.errors import CounterpoiseError, DataError, InputError
from counterpoise.data.user.contexts import Context, draw_contexts, sentence_corpus

LINES = [
    "Bill paid the bill.",
    "His home is far from home.",
    "This is history.",
    "A short-term plan.",
    "bill and his family",
]


def test_words_are_found_as_words():
    found = draw_contexts(
        sentence_corpus(LINES), ["Bill", "bill", "his", "home", "short-term", "none"], limit=9
    )
    assert found["Bill"] == [Context(LINES[0], "Bill")]
    assert [context.form for context in found["his"]] == ["His", "his"]
    assert found["home"] == [Context(LINES[1], "home")]  # once for each sentence
    assert found["short-term"] == [Context(LINES[3], "short-term")]
    assert found["none"] == []


def test_a_capitalised_form_that_is_a_word_of_its_own():
    """ "Bill" at the beginning of a sentence is read as the name where both are asked for."""
    found = draw_contexts(sentence_corpus(LINES), ["Bill", "bill"], limit=9)
    assert [context.sentence for context in found["bill"]] == [LINES[0], LINES[4]]


@pytest.mark.parametrize("ending", ["txt", "csv", "jsonl", "txt.gz"])
def test_files(ending, tmp_path):
    path = tmp_path / f"corpus.{ending}"
    texts = {
        "txt": "\n".join(LINES),
        "csv": "\n".join(["id,said", *(f'{i},"{line}"' for i, line in enumerate(LINES))]),
        "jsonl": "\n".join(json.dumps({"said": line}) for line in LINES),
    }
    if ending == "txt.gz":
        path.write_bytes(gzip.compress(texts["txt"].encode()))
    else:
        path.write_text(texts[ending])
    corpus = sentence_corpus(path, column="said")
    assert [sentence.strip() for sentence in corpus.documents()] == LINES
    assert draw_contexts(corpus, ["family"], 1)["family"] == [Context(LINES[4], "family")]
    assert corpus.name == path.name


def test_every_sentence_is_drawn_alike():
    sentences = [f"he {i}" for i in range(20)]
    drawn = Counter(
        context.sentence
        for seed in range(1000)
        for context in draw_contexts(sentence_corpus(sentences), ["he"], 5, seed)["he"]
    )
    # 250 expected, standard deviation 13.7
    assert set(drawn) == set(sentences)
    assert all(abs(count - 250) < 5 * 13.7 for count in drawn.values())
    corpus = sentence_corpus(sentences)
    assert draw_contexts(corpus, ["he"], 5, 1) == draw_contexts(corpus, ["he"], 5, 1)


def test_bad_input(tmp_path):
    with pytest.raises(DataError, match=r"there is no file .*none\.txt to take sentences from"):
        sentence_corpus(tmp_path / "none.txt")
    with pytest.raises(InputError, match="at least 1, not 0"):
        draw_contexts(sentence_corpus(LINES), ["he"], 0)
    (tmp_path / "table.csv").write_text("said\nhe\n")
    with pytest.raises(
        CounterpoiseError, match=r"has no column 'text'.*name it with column= \(--set column="
    ):
        list(sentence_corpus(tmp_path / "table.csv").documents())
    (tmp_path / "latin.txt").write_bytes("naïve\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"latin.txt: not utf-8.*line 1.*; save it as UTF-8$"):
        list(sentence_corpus(tmp_path / "latin.txt").documents())
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(DataError, match="is empty"):
        list(sentence_corpus(tmp_path / "empty.txt").documents())
