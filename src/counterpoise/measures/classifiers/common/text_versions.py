"""Any set of versions of a text: men, women, neutral, and other pronouns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from counterpoise.core.plurals import count_text
from counterpoise.measures.base.documentation import Doc
from counterpoise.measures.base.row_builders import figure_row
from counterpoise.measures.base.rows import Place, Row
from counterpoise.measures.base.version_names import GENDERED, version_targets
from counterpoise.text import Swapper
from counterpoise.text.edits import apply

ONE_AT_A_TIME = "versions and a table of names are compared one at a time; leave one of them out"
VersionNames = Annotated[
    list[str] | None,
    Doc(
        "Which versions of a text are compared: male, female, neutral, pronoun sets (he, she, they, xe, ze, ey, fae), "
        "and YAML files of your own sets; male and female if not given."
    ),
]


@dataclass(frozen=True)
class VersionedTexts:
    """The versions of each text, in the order of the versions' names, and how many sentences could not be changed.

    `left` has a row for each text and a column for each version: the sentences that stay as they are, since the rules
    cannot tell how to read them.
    """

    names: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]
    left: np.ndarray

    @classmethod
    def joined(cls, parts: Iterable[VersionedTexts]) -> VersionedTexts:
        """Those of several texts together, which have the same versions."""
        parts = list(parts)
        texts = tuple(text for part in parts for text in part.texts)
        return cls(parts[0].names, texts, np.concatenate([part.left for part in parts]))

    @property
    def differ(self) -> list[bool]:
        """Of each text, is any version another one?"""
        return [len(set(versions)) > 1 for versions in self.texts]

    def only(self, kept: Sequence[bool]) -> VersionedTexts:
        """Those of some of the texts."""
        texts = tuple(text for text, keep in zip(self.texts, kept, strict=True) if keep)
        return replace(self, texts=texts, left=self.left[np.asarray(kept, dtype=bool)])


def versions_beyond_gender(versions: Sequence[str] | None) -> dict[str, str]:
    """What each version is called and made with; empty for male and female, which measures compare by default.

    >>> versions_beyond_gender(["male", "they"])
    {'male': 'male', 'they': 'they'}
    >>> versions_beyond_gender(["female", "male"])
    {}
    """
    if versions is None:
        return {}
    targets = version_targets(versions)
    return {} if set(targets.values()) == set(GENDERED) else targets


def make_versions(swapper: Swapper, texts: Sequence[str], targets: Mapping[str, str]) -> VersionedTexts:
    """All versions of all texts.

    >>> made = make_versions(Swapper("pro"), ["He sings.", "He and she left."], {"female": "female", "they": "they"})
    >>> made.texts
    (('She sings.', 'They sing.'), ('She and she left.', 'He and she left.'))
    >>> made.left.tolist()
    [[0, 0], [0, 1]]
    """
    made, left = [], []
    for text in texts:
        changes = [swapper.changes(text, target) for target in targets.values()]
        made.append(tuple(apply(text, change.edits) for change in changes))
        left.append([len(change.unsure) for change in changes])
    return VersionedTexts(tuple(targets), tuple(made), np.array(left, dtype=int).reshape(-1, len(targets)))


def left_rows(texts: VersionedTexts | None) -> Iterator[Row]:
    """How many sentences stay as they are, of each version in which any do."""
    for name, left in _left(texts):
        if left.any():
            yield figure_row(
                float(left.sum()),
                "sentences_left",
                "sentences left as they are",
                n=len(left),
                at=Place("versions", name, name),
            )


def left_warning(texts: VersionedTexts | None) -> tuple[str, ...]:
    """A warning where sentences stay as they are in some version."""
    told = [
        f"{count_text(int(left.sum()), 'sentence')} of {count_text(int((left > 0).sum()), 'text')} ({name})"
        for name, left in _left(texts)
        if left.any()
    ]
    if not told:
        return ()
    return (
        f"Sentences that can be read in two ways stay as they are: {', '.join(told)}. The versions of these texts "
        "differ less than they should.",
    )


def _left(texts: VersionedTexts | None) -> Iterator[tuple[str, np.ndarray]]:
    """The sentences of each text that stay as they are, version by version."""
    return iter(()) if texts is None else zip(texts.names, texts.left.T, strict=True)
