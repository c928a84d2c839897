"""The mentions in the sentences of WinoBias: where the pronoun stands, and the two occupations that it could mean."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

from counterpoise.data.spec import Variant, read_spec
from counterpoise.data.thirdparty.winobias import (
    BRACKETS,
    Split,
    WinoBiasSpec,
    plain_sentence,
    version_pairs,
    winobias,
)

_MALE, _FEMALE = {"he", "him", "his", "himself"}, {"she", "her", "herself"}
_MISSING = "the sentence lacks a pronoun, its occupation or another one"
_ARTICLE = re.compile(r"(?i)(?:the|an?) ")


def winobias_mentions(split: Split = "all", variant: Variant = "corrected") -> pd.DataFrame:
    """The sentences of WinoBias with the places of what they mention, one row for each version of each sentence.

    Columns: `text`; `version`, "pro" or "anti"; `pronoun`, the first in brackets, and `counterpart`, that of the other
    version; `occupation`, whom the pronoun means, and `other`, the first occupation that it does not mean;
    `pronoun_at`, `occupation_at` and `other_at`, the characters at which each begins; `pair`, which the two versions
    share; `stereotype`, `women`, `type`, `split` and `number` as in `winobias`; `problem`, why the pair cannot be used,
    or None.

    The corrected variant has the problems that `winobias` has; the published one uses every sentence.
    """
    spec = read_spec("winobias", WinoBiasSpec)
    occupations = re.compile(
        rf"(?i)\b(?:{'|'.join(map(re.escape, sorted(spec.women, key=len, reverse=True)))})\b"
    )
    table = winobias(split, variant)
    lines = {file: version_pairs(*file) for file in set(zip(table.type, table.split, strict=True))}
    rows: list[dict[str, Any]] = []
    for pair in table.to_dict("records"):
        sentences = lines[pair["type"], pair["split"]][pair["number"] - 1]
        found = [_mentions(sentence, variant, occupations) for sentence in sentences]
        problem = pair["problem"] if variant == "corrected" else None
        if pd.isna(problem):
            problem = _MISSING if None in found else None
        shared = {
            "pair": f"type{pair['type']}.{pair['split']}.{pair['number']}",
            **{column: pair[column] for column in ("type", "split", "number")},
            "problem": problem,
        }
        for version, sentence, own, other in zip(
            ("pro", "anti"), sentences, found, reversed(found), strict=True
        ):
            mentions = own or {"text": plain_sentence(sentence, variant)}
            counterpart = other["pronoun"] if other else None
            workforce = _workforce(mentions.get("occupation", ""), spec.women)
            rows.append({**mentions, "version": version, "counterpart": counterpart, **workforce, **shared})
    return pd.DataFrame(rows)


def _workforce(occupation: str, women: dict[str, float]) -> dict[str, object]:
    """The share of women in the occupation, and with it the gender that the stereotype expects.

    >>> _workforce("nurse", {"nurse": 90.0})
    {'stereotype': 'female', 'women': 90.0}
    """
    share = women.get(occupation)
    if share is None:
        return {"stereotype": "", "women": float("nan")}
    return {"stereotype": "male" if share < 50 else "female", "women": share}


def _mentions(sentence: str, variant: Variant, occupations: re.Pattern[str]) -> dict[str, Any] | None:
    """The mentions of a sentence with brackets; None if one is missing."""
    text = plain_sentence(sentence, variant)
    phrases = [(_start(sentence, match, variant), match[1]) for match in BRACKETS.finditer(sentence)]
    pronouns = [(at, phrase) for at, phrase in phrases if phrase.lower() in _MALE | _FEMALE]
    people = [(at + len(phrase) - len(noun), noun) for at, phrase in phrases if (noun := _noun(phrase))]
    people = [(at, noun) for at, noun in people if occupations.fullmatch(noun)]
    if not pronouns or not people:
        return None
    (pronoun_at, pronoun), (occupation_at, occupation) = pronouns[0], people[0]
    others = [match for match in occupations.finditer(text) if match[0].lower() != occupation.lower()]
    if not others:
        return None
    return {
        "text": text,
        "pronoun": pronoun.lower(),
        "occupation": occupation,
        "other": others[0][0],
        "pronoun_at": pronoun_at,
        "occupation_at": occupation_at,
        "other_at": others[0].start(),
    }


def _start(sentence: str, bracket: re.Match[str], variant: Variant) -> int:
    """Where a phrase in brackets begins in the plain sentence: what is mended stands before it or after it."""
    return len(plain_sentence(sentence[: bracket.end()], variant)) - len(bracket[1])


def _noun(phrase: str) -> str:
    """
    >>> _noun("The construction worker")
    'construction worker'
    """
    return _ARTICLE.sub("", phrase, count=1)
