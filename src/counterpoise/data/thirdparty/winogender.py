"""Winogender schemas (Rudinger et al. 2018): an occupation, a participant, and a pronoun that means one of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.core.mask import MASK
from counterpoise.data.spec import read_spec
from counterpoise.data.thirdparty.masking import mask_differences
from counterpoise.data.thirdparty.table_specs import TablesSpec

_ID = ["occupation", "participant", "answer", "gender"]  # as in technician.customer.1.male.txt
_GENDERS = ["male", "female", "neutral"]
_REFERENTS = {"0": "occupation", "1": "participant"}


def winogender() -> pd.DataFrame:
    """The 240 sentences of Winogender with the pronoun masked, one row each.

    Columns: `text` with `[MASK]` for the pronoun; `male`, `female` and `neutral`, the pronouns of its three versions;
    `neutral_fits`, whether the neutral version is the same otherwise (in some *he was* had to become *they were*);
    `occupation`, `participant` ("someone" in every second sentence), `referent`, which of the two the pronoun means;
    `template`, which the versions with a named participant and with someone share; `women_bls` and `women_bergsma`,
    the share of women in the occupation in per cent: in the US workforce of 2015 and 2016 (Bureau of Labor
    Statistics), and as estimated from text (Bergsma & Lin 2006).
    """
    spec = read_spec("winogender", TablesSpec)
    path, versions = spec.find("sentences"), _versions(spec)
    rows = [_row(path, *key, *texts) for key, *texts in versions.itertuples()]
    return pd.DataFrame(rows).merge(spec.read("occupations"), on="occupation", how="left")


def winogender_mentions() -> pd.DataFrame:
    """The 720 sentences of Winogender as they are, one row each, with the places of what they mention.

    Columns: `text`; `gender` and `pronoun`; `occupation` and `participant`; `pronoun_at`, `occupation_at` and
    `participant_at`, the characters at which each begins; `referent`, which of the two the pronoun means; `masked`,
    the sentence with `[MASK]` for the pronoun, which its male, female and neutral version share; `template`,
    `women_bls` and `women_bergsma` as in `winogender`.
    """
    spec = read_spec("winogender", TablesSpec)
    path, versions = spec.find("sentences"), _versions(spec)
    rows = []
    for key, *texts in versions.itertuples():
        shared = _row(path, *key, *texts)
        rows += [_mentions(path, shared, gender, text) for gender, text in zip(_GENDERS, texts, strict=True)]
    return pd.DataFrame(rows).merge(spec.read("occupations"), on="occupation", how="left")


def _mentions(path: Path, shared: dict[str, Any], gender: str, text: str) -> dict[str, object]:
    places = {"pronoun_at": shared["text"].index(MASK)}
    for role in ("occupation", "participant"):
        match = re.search(rf"(?i)\b{re.escape(shared[role])}\b", text)
        if match is None:
            raise DataError(f"{path}: {shared[role]!r} is not in {text!r}")
        places[f"{role}_at"] = match.start()
    return {
        "text": text,
        "gender": gender,
        "pronoun": shared[gender],
        **{column: shared[column] for column in ("occupation", "participant", "referent", "template")},
        **places,
        "masked": shared["text"],
    }


def _versions(spec: TablesSpec) -> pd.DataFrame:
    """The male, female and neutral version of each sentence, by occupation, participant and answer."""
    path, sentences = spec.find("sentences"), spec.read("sentences")
    ids = sentences.id.str.removesuffix(".txt").str.split(".", expand=True)
    if ids.shape[1] != len(_ID) or ids.isna().any(axis=None):
        raise DataError(f"{path}: a sentid is not of the form technician.customer.1.male.txt")
    sentences[_ID] = ids
    versions = sentences.pivot_table(
        index=_ID[:-1], columns="gender", values="sentence", aggfunc="first", sort=False
    )
    if not set(_GENDERS) <= set(versions.columns) or versions[_GENDERS].isna().any(axis=None):
        raise DataError(f"{path}: a sentence lacks its male, female or neutral version")
    return versions[_GENDERS]


def _row(
    path: Path, occupation: str, participant: str, answer: str, male: str, female: str, neutral: str
) -> dict[str, Any]:
    masked = mask_differences(male, female)
    if masked is None or len(masked[1]) != 1 or answer not in _REFERENTS:
        raise DataError(f"{path}: the versions of {male!r} differ in more than one pronoun")
    text, [pronouns] = masked
    before, after = text.split(MASK)
    start, end = len(before), len(neutral) - len(after)
    fits = neutral.startswith(before) and neutral.endswith(after)
    return {
        "text": text,
        "male": pronouns[0],
        "female": pronouns[1],
        "neutral": neutral[start:end] if fits else neutral[start:].split()[0],
        "neutral_fits": fits,
        "occupation": occupation,
        "participant": participant,
        "referent": _REFERENTS[answer],
        "template": f"{occupation}.{answer}",
    }
