"""Counterfactual augmentation of a collection of texts.

- cda: each text and its flipped copy (counterfactual data augmentation, Lu et al. 2018)
- cds: each text or its flipped copy, by a seeded coin (substitution, Hall Maudslay et al. 2019)
- mix: an all-male and an all-female copy of each text (Jentzsch & Turan 2022)
- male, female, flip, remove, neutral, or a pronoun set (they, xe, a file): one changed copy of each text
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterpoise.core.errors import InputError
from counterpoise.text.balance import Balance, balance
from counterpoise.text.swap import Swapper, Variant
from counterpoise.text.term_sets import TermSet
from counterpoise.text.versions import Method, check_method, coin, versions


@dataclass(frozen=True)
class Augmented:
    """Texts, and for each its label, source and version; unpacks to texts, labels, source indices."""

    texts: list[str]
    labels: list[Any]
    sources: list[int]
    versions: list[str]
    guarded: int
    unsure: int
    before: Balance
    after: Balance

    def __iter__(self) -> Iterator[Any]:
        return iter((self.texts, self.labels, self.sources))


def augment(
    texts: Sequence[str],
    method: Method = "cds",
    terms: str | Path | TermSet = "all",
    seed: int = 0,
    *,
    labels: Sequence[Any] | None = None,
    groups: Sequence[Hashable] | None = None,
    names: bool = False,
    guard: bool = False,
    variant: Variant = "corrected",
) -> Augmented:
    """The texts after augmentation.

    labels: carried from a text to its copies; where none are passed, a copy's label is what was done to it.
    groups: texts of the same group (a document's sentences, say) get the same side of the coin under `cds`.
    guard: texts that a swap would make absurd (she gave birth) stay as they are, and are counted.

    >>> texts, labels, sources = augment(["He left.", "It rains."], method="cda", terms="pro", labels=[1, 0])
    >>> texts, labels, sources
    (['He left.', 'She left.', 'It rains.', 'It rains.'], [1, 1, 0, 0], [0, 0, 1, 1])
    """
    check_method(method)
    for name, given in (("labels", labels), ("groups", groups)):
        if given is not None and len(given) != len(texts):
            raise InputError(f"there are {len(texts)} texts but {len(given)} {name}")
    swapper = Swapper(terms, names=names, variant=variant, guard=guard)
    numbers = _numbers(groups) if groups is not None else range(len(texts))
    copies = [
        (i, version)
        for i, (text, number) in enumerate(zip(texts, numbers, strict=True))
        for version in versions(swapper, text, method, coin(seed, number))
    ]
    after = [version.text for _, version in copies]
    names_of = [version.name for _, version in copies]
    return Augmented(
        texts=after,
        labels=[labels[i] for i, _ in copies] if labels is not None else names_of,
        sources=[i for i, _ in copies],
        versions=names_of,
        guarded=sum(version.guarded for _, version in copies),
        unsure=sum(version.unsure for _, version in copies),
        before=balance(texts, swapper.terms),
        after=balance(after, swapper.terms),
    )


def _numbers(groups: Sequence[Hashable]) -> list[int]:
    """Each group's number, by first appearance."""
    seen: dict[Hashable, int] = {}
    return [seen.setdefault(group, len(seen)) for group in groups]
