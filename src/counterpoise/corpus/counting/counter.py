"""Counts a corpus block by block: how often each word stands near male and near female words.

Documents fall into 64 blocks by a hash of their number and the seed. All that is tested later is kept by block, so
that intervals rest on documents, not on single words, though the text is read only once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from counterpoise.corpus.counting.counts import BLOCKS, KINDS, CorpusCounts
from counterpoise.corpus.counting.tokens import Bools, Ints, Tokens, tokenize
from counterpoise.corpus.counting.vocabulary import CONTINUED, FEMALE, LIMIT, MALE, Vocabulary
from counterpoise.corpus.counting.words import CorpusWords

Window = Literal["sentence"] | int
BOTH = MALE | FEMALE
DISTANCE_WEIGHT = 0.95  # of GenBit: how much less a gendered word counts for each word that it is further off

_PENDING = 1 << 21  # words whose cells are gathered before they are added up: sorted, that is quick


class CorpusCounter:
    """Counts blocks of text as they come; `finish` returns the counts."""

    def __init__(
        self,
        words: CorpusWords,
        window: Window = "sentence",
        seed: int = 0,
        share: float = 1.0,
        limit: int = LIMIT,
    ) -> None:
        self.window, self.seed, self.share = window, seed, share
        self.vocabulary = Vocabulary(words, limit)
        self._cells = np.zeros(limit * 2 * BLOCKS, dtype=np.uint32)
        self._pairs = np.zeros((limit, 2))
        self._capitalised = np.zeros(limit, dtype=np.int64)
        self._by_block = {kind: np.zeros(BLOCKS, dtype=np.int64) for kind in KINDS}
        self._documents = 0
        self._pending: list[Ints] = []

    def begin_file(self, number: int) -> None:
        """What follows are the documents of another file: on its number and theirs it depends where they fall."""
        self._documents = number << 40

    def add(self, block: bytes) -> None:
        """Counts the documents of a block."""
        tokens = tokenize(block)
        if not len(tokens):
            return
        numbers = self._documents + np.arange(int(tokens.document[-1]) + 1)
        self._documents += len(numbers)
        of_document = (_mixed(numbers, self.seed) % np.uint64(BLOCKS)).astype(np.int64)
        if self.share < 1:
            chosen = _mixed(numbers, self.seed + 1) < np.uint64(int(self.share * (1 << 64)))
            tokens = _selected(tokens, chosen[tokens.document])
            if not len(tokens):
                return
            self._tally("documents", of_document[chosen])
        else:
            self._tally("documents", of_document)
        ids = self.vocabulary.ids(tokens, self._forget)
        ids = self.vocabulary.join(ids, tokens.adjacent)
        self.vocabulary.totals += np.bincount(ids, minlength=self.vocabulary.limit)
        is_name = tokens.capital & (self.vocabulary.name_gender[ids] > 0)
        self._capitalised += np.bincount(ids[is_name], minlength=self.vocabulary.limit)
        self._count(tokens, ids, of_document[tokens.document])

    def finish(self, name: str, others: bool = False) -> CorpusCounts:
        """The counts of all that was added; `others` keeps the words that stand near no gendered word."""
        self._flush()
        vocabulary = self.vocabulary
        cells = self._cells.reshape(vocabulary.limit, 2, BLOCKS)
        counted = np.flatnonzero(
            self._pairs[: len(vocabulary)].any(axis=1) | (np.arange(len(vocabulary)) < vocabulary.tracked)
        )
        counted = counted[(vocabulary.gender[counted] == 0) & (counted > CONTINUED)]
        uncounted = (
            np.setdiff1d(np.arange(vocabulary.tracked, len(vocabulary)), counted) if others else counted[:0]
        )
        return CorpusCounts(
            name=name,
            words=np.array([vocabulary.words[at] for at in counted], dtype=str),
            totals=vocabulary.totals[counted],
            near=cells[counted],
            pairs=self._pairs[counted],
            profession=vocabulary.profession[counted],
            capitalised=self._capitalised[counted],
            by_block=np.stack([self._by_block[kind] for kind in KINDS]),
            window=str(self.window),
            seed=self.seed,
            share=self.share,
            lost_at_most=vocabulary.lost_at_most,
            others=np.array([vocabulary.words[at] for at in uncounted], dtype=str),
            other_totals=vocabulary.totals[uncounted],
        )

    def _count(self, tokens: Tokens, ids: Ints, block: Ints) -> None:
        vocabulary = self.vocabulary
        sentence, document_starts = _sentences(vocabulary, tokens, ids)
        self._tally("words", block[ids != CONTINUED])
        self._tally("sentences", block[np.flatnonzero(np.diff(sentence, prepend=-1))])
        gender = vocabulary.gender[ids]
        at = np.flatnonzero(gender)
        self._tally("gendered documents", block[at[np.diff(tokens.document[at], prepend=-1) > 0]])
        self._tally_sides("terms", gender[at], block[at])
        pronouns = at[vocabulary.pronoun[ids[at]]]
        self._tally_sides("pronouns", gender[pronouns], block[pronouns])
        names, genders = _names(vocabulary, tokens, ids)
        self._tally_sides("names", genders, block[names])
        if self.window == "sentence":
            near = weights = _near_in_sentence(gender[at], sentence[at], sentence)
        else:
            near, weights = _near_by_distance(gender, document_starts, self.window)
        sides = (near[0] > 0) * np.int8(MALE) + (near[1] > 0) * np.int8(FEMALE)
        sides[at] = 0
        sides[ids == CONTINUED] = 0
        there = np.flatnonzero(sides)
        ids, block, sides = ids[there], block[there], sides[there]
        for column in (0, 1):
            self._pairs[:, column] += np.bincount(
                ids, weights=weights[column][there], minlength=vocabulary.limit
            )
        self._tally_sides("words near", sides, block, male_first=False)
        self._tally("words near both", block[sides == BOTH])
        alone = np.flatnonzero(sides != BOTH)
        self._pending.append((ids[alone] * 2 + (sides[alone] - 1)) * BLOCKS + block[alone])
        if sum(map(len, self._pending)) > _PENDING:
            self._flush()

    def _tally_sides(self, kind: str, sides: NDArray[np.int8], blocks: Ints, male_first: bool = True) -> None:
        for side, label in ((MALE, "male"), (FEMALE, "female")):
            self._tally(f"{label} {kind}" if male_first else f"{kind} {label}", blocks[sides == side])

    def _tally(self, kind: str, blocks: Ints) -> None:
        self._by_block[kind] += np.bincount(blocks, minlength=BLOCKS)

    def _flush(self) -> None:
        if self._pending:
            cells, counts = np.unique(np.concatenate(self._pending), return_counts=True)
            self._cells[cells] += counts.astype(np.uint32)
            self._pending = []

    def _forget(self, kept: Ints) -> None:
        self._flush()
        for whole in (self._cells.reshape(-1, 2 * BLOCKS), self._pairs):
            whole[: len(kept)] = whole[kept]
            whole[len(kept) :] = 0


def _mixed(numbers: Ints, seed: int) -> NDArray[np.uint64]:
    """Hashes of numbers that look random (splitmix64)."""
    mixed = numbers.astype(np.uint64) + np.uint64(
        (seed * 0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15) % (1 << 64)
    )
    for shift, odd in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(odd)
    return mixed ^ (mixed >> np.uint64(31))


def _selected(tokens: Tokens, chosen: Bools) -> Tokens:
    if chosen.all():
        return tokens
    arrays = ("starts", "lengths", "hashes", "capital", "ends_sentence", "adjacent", "document")
    return replace(tokens, **{name: getattr(tokens, name)[chosen] for name in arrays})


def _sentences(vocabulary: Vocabulary, tokens: Tokens, ids: Ints) -> tuple[Ints, Ints]:
    """The number of each word's sentence, and where each word's document begins.

    The full stop of an abbreviation (Dr.) or an initial (J. Smith) ends no sentence.
    """
    new_document = np.diff(tokens.document, prepend=-1) > 0
    ends = tokens.ends_sentence.copy()
    at = np.flatnonzero(ends)
    ends[at] = ~(vocabulary.abbreviation[ids[at]] | (vocabulary.initial[ids[at]] & tokens.capital[at]))
    begins = new_document.copy()
    begins[1:] |= ends[:-1]
    starts = np.flatnonzero(new_document)
    return np.cumsum(begins) - 1, starts[np.cumsum(new_document) - 1]


def _names(vocabulary: Vocabulary, tokens: Tokens, ids: Ints) -> tuple[Ints, NDArray[np.int8]]:
    """Where first names are, and their gender: the plainer rules of the swap, without a step for each name.

    Capitalised; not behind a title, nor behind another name, where it is a surname (Paul Thomas); a name that is also
    a word or a surname only before a capitalised word.
    """
    is_name = tokens.capital & (vocabulary.name_gender[ids] > 0)
    at = np.flatnonzero(is_name)
    before, after = np.maximum(at - 1, 0), np.minimum(at + 1, len(ids) - 1)
    titled = vocabulary.title[ids[before]] & (tokens.adjacent[before] | tokens.ends_sentence[before])
    surname = titled | (is_name[before] & tokens.adjacent[before])
    surname &= at > 0
    followed = tokens.adjacent[at] & tokens.capital[after]
    at = at[~surname & (followed | ~vocabulary.unsure_name[ids[at]])]
    return at, vocabulary.name_gender[ids[at]]


def _near_in_sentence(
    gender: NDArray[np.int8], of_gendered: Ints, sentence: Ints
) -> tuple[NDArray[Any], ...]:
    """For each word how many male, and how many female words are in its sentence."""
    size = int(sentence[-1]) + 1
    return tuple(
        np.bincount(of_gendered[gender == side], minlength=size)[sentence] for side in (MALE, FEMALE)
    )


def _near_by_distance(
    gender: NDArray[np.int8], document_starts: Ints, window: int
) -> tuple[tuple[NDArray[Any], ...], tuple[NDArray[Any], ...]]:
    """How many gendered words are within the window of each word in its document, plain and weighted by distance."""
    steps = np.concatenate([np.arange(-window, 0), np.arange(1, window + 1)])
    near, weighed = [], []
    for side in (MALE, FEMALE):
        at = np.flatnonzero(gender == side)
        around = at[:, None] + steps
        inside = (around >= 0) & (around < len(gender))
        inside &= document_starts[np.clip(around, 0, len(gender) - 1)] == document_starts[at][:, None]
        weights = np.broadcast_to(DISTANCE_WEIGHT ** np.abs(steps), around.shape)
        near.append(np.bincount(around[inside], minlength=len(gender)))
        weighed.append(np.bincount(around[inside], weights=weights[inside], minlength=len(gender)))
    return tuple(near), tuple(weighed)
