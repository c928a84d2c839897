"""WinoBias (Zhao et al. 2018): two occupations and a pronoun, in a version that follows the stereotype and one that
does not."""

from __future__ import annotations

import re
from typing import Literal, get_args

import pandas as pd

from counterpoise.core.errors import DataError, unknown
from counterpoise.data.spec import Gender, Spec, Variant, check_variant, read_spec
from counterpoise.data.thirdparty.folders import find_file
from counterpoise.data.thirdparty.masking import mask_differences
from counterpoise.data.thirdparty.tables import read_lines

Split = Literal["all", "dev", "test"]

_TYPES = (1, 2)
# The pronouns, male and female, that can stand in a place. `her` is what its partner makes of it.
_SLOTS = {
    ("he", "she"): "subject",
    ("him", "her"): "object",
    ("his", "her"): "possessive",
    ("himself", "herself"): "reflexive",
}
_GIVEAWAYS = {word for pair in _SLOTS for word in pair} | {"man", "woman"}
BRACKETS = re.compile(r"\[\s*([^\]]*?)\s*\]")
_LINE = re.compile(r"\d+\s+(?P<sentence>.*\S)")


class WinoBiasSpec(Spec):
    women: dict[str, float]  # the share of women in each occupation, in per cent


def winobias(split: Split = "all", variant: Variant = "corrected") -> pd.DataFrame:
    """The sentences of WinoBias with the pronoun masked, one row for each pair of a pro- and an anti-stereotyped one.

    Columns: `sentence`, the pro-stereotyped version; `counterpart`, the anti-stereotyped one; `text` with `[MASK]` for
    the pronoun, and for others that mean the same person; `pro` and `anti`, the pronouns at the first mask; `slot`
    (subject, object, possessive); `occupation`, whom the pronoun means; `stereotype`, the gender that the stereotype
    expects of it; `women`, the share of women in the occupation in per cent (Zhao et al. 2018, table 1); `type`,
    `split`, `number` (the line); `problem`, why the pair cannot be used, or None.

    In type 1 only the meaning tells whom the pronoun means, in type 2 the grammar does.
    """
    if split not in get_args(Split):
        raise unknown("split of WinoBias", split, get_args(Split))
    check_variant(variant)
    women = read_spec("winobias", WinoBiasSpec).women
    rows = [
        {**_row(pro, anti, women, variant), "type": kind, "split": part, "number": number}
        for kind in _TYPES
        for part in (("dev", "test") if split == "all" else (split,))
        for number, (pro, anti) in enumerate(version_pairs(kind, part), start=1)
    ]
    table = pd.DataFrame(rows)
    again = table.problem.isna() & table.duplicated(["text", "pro", "anti"])
    table.loc[again, "problem"] = "the sentence is there already"
    return table


def version_pairs(kind: int, part: str) -> list[tuple[str, str]]:
    """Pairs of lines; the files of the two versions go together by position."""
    pro, anti = (_lines(f"{side}_stereotyped_type{kind}.txt.{part}") for side in ("pro", "anti"))
    if len(pro) != len(anti):
        raise DataError(
            f"WinoBias type {kind} {part} has {len(pro)} pro- and {len(anti)} anti-stereotyped sentences"
        )
    return list(zip(pro, anti, strict=True))


def _lines(name: str) -> list[str]:
    path = find_file("winobias", name)
    matches = [_LINE.fullmatch(line.strip()) for line in read_lines(path) if line.strip()]
    if not matches or None in matches:
        raise DataError(f"{path}: every line must be a number and a sentence")
    return [match["sentence"] for match in matches if match]


def _row(pro: str, anti: str, women: dict[str, float], variant: Variant) -> dict[str, object]:
    sentence, other = plain_sentence(pro, variant), plain_sentence(anti, variant)
    text, words = mask_differences(sentence, other) or (sentence, [])
    slots = [_slot(*pair) for pair in words]
    occupation = _occupation(pro, women)
    problem = _problem(sentence, other, text, slots, occupation)
    slot, stereotype = (slots[0] if problem is None else None) or ("", "")
    return {
        "sentence": sentence,
        "counterpart": other,
        "text": text,
        "pro": words[0][0] if slot else "",
        "anti": words[0][1] if slot else "",
        "slot": slot,
        "occupation": occupation,
        "stereotype": stereotype,
        "women": women.get(occupation, float("nan")),
        "problem": problem,
    }


def plain_sentence(sentence: str, variant: Variant) -> str:
    """The sentence without brackets; a space before 's and an article that stands there twice are mended."""
    plain = BRACKETS.sub(r"\1", sentence)
    return re.sub(r"\b(the) the\b", r"\1", plain).replace(" 's", "'s") if variant == "corrected" else plain


def _slot(pro: str, anti: str) -> tuple[str, Gender] | None:
    """The place that both pronouns fit, and the gender of the first; None if there is no such place."""
    for (male, female), slot in _SLOTS.items():
        if (pro, anti) == (male, female):
            return slot, "male"
        if (pro, anti) == (female, male):
            return slot, "female"
    return None


def _occupation(sentence: str, women: dict[str, float]) -> str:
    """The occupation that stands in brackets, "" if there is none or another one."""
    named = [re.sub(r"(?i)^(the|an?) ", "", phrase) for phrase in BRACKETS.findall(sentence)]
    return next((word for word in named if word in women), "")


def _problem(
    sentence: str, other: str, text: str, slots: list[tuple[str, Gender] | None], occupation: str
) -> str | None:
    if sentence == other:
        return "the two versions are the same"
    genders = {slot and slot[1] for slot in slots}
    if len(genders) != 1 or None in genders:
        return f"the anti-stereotyped version differs in more than the pronoun: {other!r}"
    if left := sorted(_GIVEAWAYS & set(re.findall(r"\w+", text.lower()))):
        return f"{left[0]!r}, which stays in the sentence, gives the gender away"
    if not occupation:
        return "no occupation of the dataset stands in brackets"
    return None
