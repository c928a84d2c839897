"""Two versions of a sentence side by side, token by token.

Where the versions have the same text, their tokens are paired. The tokens of a gendered word, which may be more in one
version than in the other, are compared all together. The differences add up to the difference of the two sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from counterpoise.text.gendered_versions import GenderedVersions


class Token(NamedTuple):
    """A token of a version: the characters it covers, its text, and its log-probability."""

    start: int
    end: int
    text: str
    log_prob: float


class Part(NamedTuple):
    """A part of both versions: a gendered word, or text that is the same in both."""

    male: str
    female: str
    is_gendered: bool


@dataclass(frozen=True)
class AlignedTokens:
    """Tokens that are compared with each other."""

    male: str
    female: str
    male_log_prob: float
    female_log_prob: float
    is_gendered: bool

    @property
    def difference(self) -> float:
        """Male minus female."""
        return self.male_log_prob - self.female_log_prob


def parts_of(versions: GenderedVersions) -> list[Part]:
    """The two versions, split at their gendered words.

    >>> from counterpoise.text import Swapper
    >>> from counterpoise.text.gendered_versions import gendered_versions
    >>> [part[:2] for part in parts_of(gendered_versions(Swapper("pro"), "He left."))]
    [('', ''), ('He', 'She'), (' left.', ' left.')]
    """
    parts, done = [], 0
    for place in versions.places:
        same = versions.text[done : place.start]
        parts += [Part(same, same, False), Part(place.male, place.female, True)]
        done = place.end
    parts.append(Part(versions.text[done:], versions.text[done:], False))
    rebuilt = "".join(part.male for part in parts), "".join(part.female for part in parts)
    if rebuilt != (versions.male, versions.female):
        return [Part(versions.male, versions.female, True)]  # the two directions split the words differently
    return parts


def align(parts: Sequence[Part], male: Sequence[Token], female: Sequence[Token]) -> list[AlignedTokens]:
    """The tokens of two versions that are compared with each other, in the order of the sentence."""
    sides = zip(
        parts,
        _by_part([part.male for part in parts], parts, male),
        _by_part([part.female for part in parts], parts, female),
        strict=True,
    )
    aligned = []
    for part, (male_start, of_male), (female_start, of_female) in sides:
        if not part.is_gendered and _offsets(of_male, male_start) == _offsets(of_female, female_start):
            pairs = zip(of_male, of_female, strict=True)
            aligned += [_joined([male_token], [female_token], False) for male_token, female_token in pairs]
        elif of_male or of_female:
            aligned.append(_joined(of_male, of_female, part.is_gendered))
    return aligned


def _by_part(
    texts: Sequence[str], parts: Sequence[Part], tokens: Sequence[Token]
) -> list[tuple[int, list[Token]]]:
    """Where each part starts in a version, and its tokens; a token that touches a gendered word belongs to it."""
    ends = list(accumulate(map(len, texts)))
    starts = [end - len(text) for end, text in zip(ends, texts, strict=True)]
    by_part: list[tuple[int, list[Token]]] = [(start, []) for start in starts]
    for token in tokens:
        touched = [i for i in range(len(parts)) if starts[i] < token.end and ends[i] > token.start]
        touched = touched or [len(parts) - 1]  # a token without characters, such as the end of the text
        gendered = [i for i in touched if parts[i].is_gendered]
        by_part[(gendered or touched)[0]][1].append(token)
    return by_part


def _offsets(tokens: Sequence[Token], start: int) -> list[tuple[int, int]]:
    return [(token.start - start, token.end - start) for token in tokens]


def _joined(male: Sequence[Token], female: Sequence[Token], is_gendered: bool) -> AlignedTokens:
    return AlignedTokens(
        "".join(token.text for token in male).strip(),
        "".join(token.text for token in female).strip(),
        sum(token.log_prob for token in male),
        sum(token.log_prob for token in female),
        is_gendered,
    )
