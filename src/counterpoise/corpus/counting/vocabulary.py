"""The words of a corpus by number, never more than a limit: what makes memory flat whatever the size of a corpus.

Gendered words, professions and first names are there from the start and stay. Other words are taken in as they come;
when there is no room, all but the most frequent half of the limit are forgotten, and a word that comes back is
counted from 0. So a rare word may lack early occurrences, of men and women alike; `lost_at_most` says how many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from counterpoise.corpus.counting.tokens import Hashes, Ints, Tokens, hash_words
from counterpoise.corpus.counting.words import CorpusWords
from counterpoise.text.names import table as first_names

OTHER = 0  # the number of words for which there was no room
CONTINUED = 1  # that of the second and later words of a phrase
MALE, FEMALE = 1, 2
LIMIT = 1 << 17
_RECENT = 1 << 13

_TITLES = ["mr", "mrs", "ms", "miss", "mx", "dr", "prof", "st", "sir", "lady", "lord"]
_ABBREVIATIONS = (
    "mr",
    "mrs",
    "ms",
    "mx",
    "dr",
    "prof",
    "st",
    "jr",
    "sr",
    "rev",
    "gen",
    "col",
    "capt",
    "lt",
    "sgt",
    "vs",
)
_PRONOUNS = ["he", "him", "his", "himself", "she", "her", "hers", "herself", "er", "ihn", "ihm", "sie", "ihr"]


class Vocabulary:
    """Numbers for words. Arrays such as `gender` say of each number what kind of word it is."""

    def __init__(self, words: CorpusWords, limit: int = LIMIT) -> None:
        self.limit = limit
        self.lost_at_most = 0
        self.words: list[str] = ["", ""]
        self._numbers: dict[str, int] = {}
        names = first_names()
        professions = sorted(set(words.professions.values()))
        letters = "abcdefghjklmnopqrstuvwxyz"  # I is a word
        for word in (*sorted(words.male), *sorted(words.female), *professions, *names):
            self._number(word)
        for word in (*_TITLES, *_ABBREVIATIONS, *letters):
            self._number(word)
        forms = {word: word for word in self.words[2:]} | dict(words.professions)
        self._steps: dict[tuple[int, int], int] = {}
        self._ends: dict[int, int] = {}
        self._enter(forms)
        self.tracked = len(self.words)
        if limit < 2 * self.tracked:
            raise ValueError(f"the limit of {limit} words leaves no room beside {self.tracked} that stay")
        self.totals = np.zeros(limit, dtype=np.int64)
        self.gender = self._kinds({MALE: words.male, FEMALE: words.female})
        self.name_gender = self._kinds(
            {
                MALE: [n for n in names if names[n].gender == "male"],
                FEMALE: [n for n in names if names[n].gender == "female"],
            }
        )
        self.unsure_name = self._kinds({1: [n for n in names if names[n].is_word or names[n].is_surname]}) > 0
        self.pronoun = self._kinds({1: _PRONOUNS}) > 0
        self.profession = self._kinds({1: professions}) > 0
        self.title = self._kinds({1: _TITLES}) > 0
        self.abbreviation = self._kinds({1: _ABBREVIATIONS}) > 0
        self.initial = self._kinds({1: letters}) > 0

    def __len__(self) -> int:
        return len(self.words)

    def ids(self, tokens: Tokens, forget: Callable[[Ints], None]) -> Ints:
        """The number of each word; `forget` is told which numbers stay, in their new order, where some must go."""
        ids, fresh, codes, hashes = self._look_up_all(tokens.hashes)
        if len(self.words) + len(hashes) > self.limit:
            forget(self._prune())
            # Words of this text may be forgotten too.
            ids, fresh, codes, hashes = self._look_up_all(tokens.hashes)
        if not len(fresh):
            return ids
        taken = np.arange(len(hashes))
        room = self.limit - len(self.words)
        if len(hashes) > room:
            taken = np.sort(np.argsort(-np.bincount(codes), kind="stable")[:room])
        numbers = np.full(len(hashes), OTHER)
        numbers[taken] = len(self.words) + np.arange(len(taken))
        first = np.empty(len(hashes), dtype=np.int64)
        first[codes[::-1]] = fresh[::-1]
        self.words += [tokens.spelled(at) for at in first[taken].tolist()]
        self._recent.append((hashes[taken], numbers[taken]))
        if sum(len(recent) for recent, _ in self._recent) > _RECENT:
            self._set_index(*(np.concatenate(parts) for parts in zip(*self._entries(), strict=True)))
        ids[fresh] = numbers[codes]
        return ids

    def join(self, ids: Ints, adjacent: NDArray[np.bool_]) -> Ints:
        """Makes one word of each phrase (registered nurse), the longest first; what follows in it is CONTINUED."""
        best: dict[int, tuple[int, int]] = {}
        starts = at = np.flatnonzero(self._begins_phrase[ids])
        state = np.zeros(len(at), dtype=np.int64)
        length = 0
        while len(at):
            state, going = self._step(state, ids[at])
            starts, at = starts[going], at[going]
            length += 1
            for start, reached in zip(starts.tolist(), state.tolist(), strict=True):
                if reached in self._ends:
                    best[start] = (length, self._ends[reached])
            going = adjacent[at] & (at + 1 < len(ids))
            starts, state, at = starts[going], state[going], at[going] + 1
        joined = ids.copy() if best else ids
        free = 0
        for start in sorted(best):
            if start >= free:
                size, number = best[start]
                joined[start] = number
                joined[start + 1 : start + size] = CONTINUED
                free = start + size
        return joined

    def _step(self, state: Ints, ids: Ints) -> tuple[Ints, NDArray[np.bool_]]:
        """The states that the next words lead to, and for which words there is one."""
        keys = state * self.limit + ids
        places = np.minimum(np.searchsorted(self._step_keys, keys), len(self._step_keys) - 1)
        going = self._step_keys[places] == keys
        return self._step_to[places[going]], going

    def _look_up_all(self, hashes: Hashes) -> tuple[Ints, Ints, Ints, Hashes]:
        """The number of each word, -1 where it is not known; where that is, which of them is which, their hashes."""
        ids = self._look_up(hashes)
        fresh = np.flatnonzero(ids < 0)
        codes, new = pd.factorize(hashes[fresh])
        return ids, fresh, codes, new

    def _look_up(self, hashes: Hashes) -> Ints:
        ids = np.full(len(hashes), -1)
        rest: Ints | None = None
        for index, numbers in self._indexes():
            remaining = hashes if rest is None else hashes[rest]
            positions = index.get_indexer(remaining)  # type: ignore[arg-type]
            known = np.flatnonzero(positions >= 0)
            ids[known if rest is None else rest[known]] = numbers[positions[known]]
            rest = np.flatnonzero(positions < 0) if rest is None else rest[positions < 0]
        return ids

    def _indexes(self) -> list[tuple[pd.Index, Ints]]:
        indexes = [(self._index, self._of_hash)]
        if self._recent:
            hashes, numbers = (np.concatenate(parts) for parts in zip(*self._recent, strict=True))
            indexes.append((pd.Index(hashes), numbers))
        return indexes

    def _entries(self) -> list[tuple[Hashes, Ints]]:
        return [(self._hashes, self._of_hash), *self._recent]

    def _number(self, word: str) -> int:
        if word not in self._numbers:
            self._numbers[word] = len(self.words)
            self.words.append(word)
        return self._numbers[word]

    def _enter(self, forms: dict[str, str]) -> None:
        """Makes the index of single words and the tree of phrases, both from every form to its number."""
        hashed = dict(zip(forms, hash_words(list(forms)), strict=True))
        of_hash = {
            parts[0][0]: self._number(forms[form]) for form, parts in hashed.items() if len(parts) == 1
        }
        states = 0
        for form, parts in hashed.items():
            if len(parts) < 2:
                continue
            state = 0
            for hash_, spelled in parts:
                if hash_ not in of_hash:
                    of_hash[hash_] = self._number(spelled)
                number = of_hash[hash_]
                if (state, number) not in self._steps:
                    states += 1
                    self._steps[state, number] = states
                state = self._steps[state, number]
            self._ends[state] = self._number(forms[form])
        steps = sorted((state * self.limit + number, to) for (state, number), to in self._steps.items())
        self._step_keys = np.array([key for key, _ in steps], dtype=np.int64)
        self._step_to = np.array([to for _, to in steps], dtype=np.int64)
        self._begins_phrase = np.zeros(self.limit, dtype=bool)
        self._begins_phrase[[number for state, number in self._steps if state == 0]] = True
        self._set_index(
            np.array(list(of_hash), dtype=np.uint64), np.array(list(of_hash.values()), dtype=np.int64)
        )

    def _kinds(self, kinds: dict[int, Iterable[str]]) -> NDArray[np.int8]:
        marked = np.zeros(self.limit, dtype=np.int8)
        for kind, words in kinds.items():
            marked[[self._numbers[word] for word in words if word in self._numbers]] = kind
        return marked

    def _set_index(self, hashes: Hashes, of_hash: Ints) -> None:
        self._hashes, self._of_hash = hashes, of_hash
        self._index = pd.Index(hashes)
        self._recent: list[tuple[Hashes, Ints]] = []  # an index is made anew only for many words at once

    def _prune(self) -> Ints:
        """Forgets the less frequent words; returns the old numbers of those that stay."""
        others = np.arange(self.tracked, len(self.words))
        room = self.limit // 2 - self.tracked
        order = np.argsort(-self.totals[others], kind="stable")
        kept = np.sort(np.concatenate([np.arange(self.tracked), others[order[:room]]]))
        self.lost_at_most += int(self.totals[others[order[room:]]].max(initial=0))
        now = np.full(self.limit, -1, dtype=np.int64)
        now[kept] = np.arange(len(kept))
        self.words = [self.words[number] for number in kept.tolist()]
        totals = self.totals[kept]
        self.totals[:] = 0
        self.totals[: len(kept)] = totals
        hashes, numbers = (np.concatenate(parts) for parts in zip(*self._entries(), strict=True))
        stays = now[numbers] >= 0
        self._set_index(hashes[stays], now[numbers[stays]])
        return kept
