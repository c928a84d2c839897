"""The gendered versions of a text: all male and all female, and where the two differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from counterpoise.text.edits import Edit, apply
from counterpoise.text.swap import Swapper


class GenderedSpan(NamedTuple):
    """`text[start:end]` is `male` in the male version and `female` in the female one."""

    start: int
    end: int
    male: str
    female: str

    @property
    def pair(self) -> str:
        """The two words, in lower case: he/she."""
        return f"{self.male}/{self.female}".lower()


@dataclass(frozen=True)
class GenderedVersions:
    """A text, its two versions, and the places where they differ.

    >>> both = gendered_versions(Swapper("pro"), "He told her.")
    >>> both.male, both.female, both.marked
    ('He told him.', 'She told her.', '{He|She} told {him|her}.')
    """

    text: str
    male: str
    female: str
    places: tuple[GenderedSpan, ...]

    @property
    def marked(self) -> str:
        """Both versions at once: {male|female} at each place."""
        edits = [Edit(p.start, p.end, "", f"{{{p.male}|{p.female}}}") for p in self.places]
        return apply(self.text, edits)

    def only_at(self, chosen: Callable[[GenderedSpan], bool]) -> tuple[str, str]:
        """The male and the female version that differ at the chosen places only; elsewhere the text stays as it is."""
        places = [place for place in self.places if chosen(place)]
        return (
            apply(self.text, [Edit(p.start, p.end, "", p.male) for p in places]),
            apply(self.text, [Edit(p.start, p.end, "", p.female) for p in places]),
        )


def gendered_versions(swapper: Swapper, text: str) -> GenderedVersions:
    """Both versions of a text."""
    to_male, to_female = swapper.edits(text, "male"), swapper.edits(text, "female")
    places = {(e.start, e.end): GenderedSpan(e.start, e.end, e.new, e.old) for e in to_male}
    for edit in to_female:
        span = (edit.start, edit.end)
        male = places[span].male if span in places else edit.old
        places[span] = GenderedSpan(*span, male, edit.new)
    if swapper.variant == "published":
        male, female = swapper.swap(text, "male"), swapper.swap(text, "female")
    else:
        male, female = apply(text, to_male), apply(text, to_female)
    return GenderedVersions(text, male, female, tuple(_apart(sorted(places.values()))))


def _apart(places: list[GenderedSpan]) -> list[GenderedSpan]:
    """The places that do not overlap an earlier one: the two directions may cut the same words differently."""
    apart: list[GenderedSpan] = []
    for place in places:
        if not apart or place.start >= apart[-1].end:
            apart.append(place)
    return apart
