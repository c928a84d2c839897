"""Words of a measure looked up in word vectors: what was found, as what, and what was lost."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

import numpy as np

from counterpoise.data.builtin.wordsets import Lost, WordSet
from counterpoise.models.vectors import WordVectors

Vocabulary = Container[str] | WordVectors  # what says whether it has a word

MAY_BE_LOST = 0.2  # of the words of a set; with more lost it is another set (as in WEFE)


@dataclass(frozen=True)
class FoundSet:
    """The words of a set that have a vector, the form in which each was found, and the words that were lost.

    `left_out` are words that nobody asked about: outside a given vocabulary, or too many in the larger of two sets.
    """

    name: str
    words: tuple[str, ...]
    keys: tuple[str, ...]
    vectors: np.ndarray
    lost: Lost = ()
    left_out: Lost = ()

    def __len__(self) -> int:
        return len(self.words)

    def cut(self, rows: Sequence[int], reason: str) -> FoundSet:
        """Some of the words; the others are left out for that reason."""
        others = tuple((word, reason) for row, word in enumerate(self.words) if row not in set(rows))
        return replace(
            self,
            words=tuple(self.words[row] for row in rows),
            keys=tuple(self.keys[row] for row in rows),
            vectors=self.vectors[list(rows)],
            left_out=(*self.left_out, *others),
        )

    @property
    def too_much_lost(self) -> str | None:
        """Why the set stands for its words no more, or None."""
        asked = len(self.words) + len(self.lost)
        if not self.words:
            return f"none of the {asked} words of {self.name!r} is left"
        if len(self.lost) > MAY_BE_LOST * asked:
            return f"{len(self.lost)} of the {asked} words of {self.name!r} are lost, more than a fifth"
        return None


def find_set(
    model: WordVectors, wanted: WordSet, taken: set[str], vocabulary: Vocabulary | None = None
) -> FoundSet:
    """Looks up a set. `taken` are the forms that were found before: a second word with the same one is lost.

    Words outside `vocabulary` are not asked about, so that they do not count as lost.
    """
    words = [word for word in wanted.words if vocabulary is None or word in vocabulary]
    left_out = tuple((word, "is not in the reduced vocabulary") for word in wanted.words if word not in words)
    found: list[tuple[str, str]] = []
    lost = list(wanted.lost)
    for word, problem in zip(words, model.problems(words), strict=True):
        key = model.key(word)
        if problem is not None or key is None:
            lost.append((word, problem or "has no vector"))
        elif key in taken:
            lost.append((word, f"is read as {key!r}, which is there already"))
        else:
            taken.add(key)
            found.append((word, key))
    vectors = model.lookup([key for _, key in found]).astype(np.float64)
    return FoundSet(
        wanted.name, tuple(w for w, _ in found), tuple(k for _, k in found), vectors, tuple(lost), left_out
    )


def other_forms(*sets: FoundSet) -> list[str]:
    """A warning where words were found in another form than asked for."""
    changed = [(w, k) for one in sets for w, k in zip(one.words, one.keys, strict=True) if w != k]
    if not changed:
        return []
    word, key = changed[0]
    return [f"{len(changed)} words were found only in lower case, e.g. {word!r} as {key!r}"]
