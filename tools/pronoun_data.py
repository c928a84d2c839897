"""What the pronoun classifier learns from: raw text as token numbers, and windows around pronouns with
labels.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import torch

from counterpoise.text.pronoun_cases import AFTER, BEFORE, PAD, TOKEN, normal, phrases, rows, window

OFFSETS = torch.tensor([*range(-BEFORE, 0), *range(1, AFTER + 1)])
HELD_OUT = 20  # every twentieth text is kept for measuring

# The pronouns that label themselves, with how much each example counts.
DETERMINERS = {"his": 2.0, "my": 1.0, "their": 1.0, "our": 1.0, "its": 0.5, "your": 0.5}
OBJECTS = {
    **{"him": 2.0, "me": 1.0, "them": 1.0, "us": 1.0},
    **{"himself": 0.5, "themselves": 0.5, "myself": 0.5, "yourself": 0.5},
}
ALONE = {"mine": 2.0, "yours": 2.0, "ours": 2.0, "theirs": 2.0, "hers": 2.0}
_SURE = {word: weight for word, weight in DETERMINERS.items() if word != "his"}  # his may stand alone too
NOT_ASKED = -1.0


@dataclass(frozen=True)
class Corpus:
    """Text as one array of token numbers, with padding between texts."""

    tokens: torch.Tensor
    held_out: torch.Tensor  # as long as tokens: is this token in a text kept for measuring?
    numbers: dict[str, int]  # of each token as written

    @property
    def names(self) -> list[str]:
        return [normal(kind) for kind in self.numbers]

    def row_table(self) -> torch.Tensor:
        return torch.tensor([rows(kind) for kind in self.numbers])


@dataclass(frozen=True)
class Examples:
    """Windows around pronouns; labels are 1, 0 or not asked for the two questions (her, his)."""

    windows: torch.Tensor  # (n, tokens): token numbers
    phrases: torch.Tensor  # (n, phrases)
    labels: torch.Tensor  # (n, 2)
    weights: torch.Tensor  # (n, 2)
    words: list[str]
    documents: list[str]

    def __len__(self) -> int:
        return len(self.words)

    def take(self, places: Sequence[int]) -> Examples:
        at = torch.tensor(places, dtype=torch.long)
        return Examples(
            self.windows[at], self.phrases[at], self.labels[at], self.weights[at],
            [self.words[i] for i in places], [self.documents[i] for i in places],
        )  # fmt: skip

    def __add__(self, other: Examples) -> Examples:
        return Examples(
            torch.cat([self.windows, other.windows]), torch.cat([self.phrases, other.phrases]),
            torch.cat([self.labels, other.labels]), torch.cat([self.weights, other.weights]),
            self.words + other.words, self.documents + other.documents,
        )  # fmt: skip


def read_texts(sources: list[str]) -> Iterator[str]:
    """The texts of FILE:COLUMN, CSV or TSV."""
    for source in sources:
        path, _, column = source.rpartition(":")
        table = pd.read_csv(path, sep="\t" if ".tsv" in path else ",")
        yield from table[column].astype(str)


def tokenise(texts: Iterator[str]) -> Corpus:
    numbers = {PAD: 0}
    tokens: list[int] = [0] * AFTER
    held_out: list[bool] = [False] * AFTER
    for i, text in enumerate(texts):
        found = [numbers.setdefault(token, len(numbers)) for token in TOKEN.findall(text)]
        tokens += found + [0] * AFTER
        held_out += [i % HELD_OUT == 0] * (len(found) + AFTER)
    return Corpus(torch.tensor(tokens), torch.tensor(held_out), numbers)


def self_labelled(corpus: Corpus) -> tuple[Examples, Examples]:
    """The examples in raw text, to learn from and held out; the two answers for her weigh alike."""
    kinds = list(corpus.numbers)
    labels = torch.full((len(kinds), 2), NOT_ASKED)
    weights = torch.zeros((len(kinds), 2))
    for number, (kind, name) in enumerate(zip(kinds, corpus.names, strict=True)):
        if name == "us" and kind != "us":  # US, the country
            continue
        for question, yes, no in ((0, DETERMINERS, OBJECTS), (1, _SURE, ALONE)):
            if name in yes or name in no:
                labels[number, question] = float(name in yes)
                weights[number, question] = yes.get(name) or no[name]
    asked = (labels >= 0).any(dim=1)[corpus.tokens]
    parts = []
    for chosen in (asked & ~corpus.held_out, asked & corpus.held_out):
        places = torch.nonzero(chosen)[:, 0]
        windows = corpus.tokens[places[:, None] + OFFSETS]
        phrase_rows = torch.tensor([phrases([kinds[n] for n in some]) for some in windows.tolist()])
        middle = corpus.tokens[places]
        label, weight = labels[middle], weights[middle].clone()
        is_yes, is_no = label[:, 0] == 1, label[:, 0] == 0
        weight[is_yes, 0] *= weight[is_no, 0].sum() / weight[is_yes, 0].sum()
        words = [normal(kinds[n]) for n in middle.tolist()]
        parts.append(Examples(windows, phrase_rows, label, weight, words, [""] * len(words)))
    return parts[0], parts[1]


def ewt(folder: Path, corpus: Corpus, weight: float) -> Examples:
    """The pronouns of UD English EWT: her and his by their gold tags, the others by themselves."""
    windows, phrase_rows, labels, words, documents = [], [], [], [], []
    for document, text, start, end, tag in _ewt_pronouns(folder):
        word = text[start:end].lower()
        around = window(text, start, end)
        if word == "her":
            label = (float(tag == "PRP$"), NOT_ASKED)
        elif word in ALONE or (word == "his" and tag != "PRP$"):
            label = (NOT_ASKED, 0.0)
        elif word in DETERMINERS or (word in OBJECTS and text[start:end] != "US"):
            label = (1.0, 1.0) if word in DETERMINERS else (0.0, NOT_ASKED)
        else:
            continue
        windows.append([corpus.numbers.setdefault(token, len(corpus.numbers)) for token in around])
        phrase_rows.append(phrases(around))
        labels.append(label)
        words.append(word)
        documents.append(document)
    asked = torch.tensor(labels)
    weights = (asked >= 0).float() * weight
    return Examples(torch.tensor(windows), torch.tensor(phrase_rows), asked, weights, words, documents)


def _ewt_pronouns(folder: Path) -> Iterator[tuple[str, str, int, int, str]]:
    """(document, sentence, start, end, tag) of each pronoun."""
    for part in ("train", "dev", "test"):
        with lzma.open(folder / f"en_ewt-ud-{part}.conllu.xz", "rt", encoding="utf-8") as file:
            document, text, at, joined = "", "", 0, 0
            for line in file:
                if line.startswith("# newdoc id = "):
                    document = line.split(" = ")[1].strip()
                if line.startswith("# text = "):
                    text, at, joined = line[9:].rstrip("\n"), 0, 0
                if not line[:1].isdigit():
                    continue
                number, form, _, kind, tag, *_ = line.split("\t")
                if "." in number or ("-" not in number and int(number) <= joined):
                    continue  # an empty node, or a part of a word that was read as a whole
                if "-" in number:
                    joined = int(number.split("-")[1])
                start = text.index(form, at)
                at = start + len(form)
                if kind == "PRON":
                    yield document, text, start, at, tag
