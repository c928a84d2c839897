"""Winogender schemas (Rudinger et al. 2018): an occupation, a participant, and a pronoun that means one of them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.core.mask import MASK
from counterpoise.data.thirdparty.folders import find_file
from counterpoise.data.thirdparty.masking import mask_differences

_ID = ["occupation", "participant", "answer", "gender"]  # as in technician.customer.1.male.txt
_GENDERS = ["male", "female", "neutral"]
_REFERENTS = {"0": "occupation", "1": "participant"}
_STATISTICS = {
    "occupation": "occupation",
    "bls_pct_female": "women_bls",
    "bergsma_pct_female": "women_bergsma",
}


def winogender() -> pd.DataFrame:
    """The 240 sentences of Winogender with the pronoun masked, one row each.

    Columns: `text` with `[MASK]` for the pronoun; `male`, `female` and `neutral`, the pronouns of its three versions;
    `neutral_fits`, whether the neutral version is the same otherwise (in some *he was* had to become *they were*);
    `occupation`, `participant` ("someone" in every second sentence), `referent`, which of the two the pronoun means;
    `template`, which the versions with a named participant and with someone share; `women_bls` and `women_bergsma`,
    the share of women in the occupation in per cent: in the US workforce of 2015 and 2016 (Bureau of Labor
    Statistics), and as estimated from text (Bergsma & Lin 2006).
    """
    path = find_file("winogender", "all_sentences.tsv")
    sentences = _read(path, ["sentid", "sentence"])
    ids = sentences.sentid.str.removesuffix(".txt").str.split(".", expand=True)
    if ids.shape[1] != len(_ID) or ids.isna().any(axis=None):
        raise DataError(f"{path}: a sentid is not of the form technician.customer.1.male.txt")
    sentences[_ID] = ids
    versions = sentences.pivot_table(
        index=_ID[:-1], columns="gender", values="sentence", aggfunc="first", sort=False
    )
    if not set(_GENDERS) <= set(versions.columns) or versions[_GENDERS].isna().any(axis=None):
        raise DataError(f"{path}: a sentence lacks its male, female or neutral version")
    rows = [_row(path, *key, *texts) for key, *texts in versions[_GENDERS].itertuples()]
    return pd.DataFrame(rows).merge(occupation_statistics(), on="occupation", how="left")


def occupation_statistics() -> pd.DataFrame:
    """The share of women in each of the 60 occupations, in per cent: `occupation`, `women_bls`, `women_bergsma`."""
    path = find_file("winogender", "occupations-stats.tsv")
    table = _read(path, list(_STATISTICS))[list(_STATISTICS)].rename(columns=_STATISTICS)
    try:
        return table.astype({"women_bls": float, "women_bergsma": float})
    except ValueError as error:
        raise DataError(f"{path}: {error}") from error


def _row(
    path: Path, occupation: str, participant: str, answer: str, male: str, female: str, neutral: str
) -> dict[str, object]:
    found = mask_differences(male, female)
    if found is None or len(found[1]) != 1 or answer not in _REFERENTS:
        raise DataError(f"{path}: the versions of {male!r} differ in more than one pronoun")
    text, [pronouns] = found
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


def _read(path: Path, needed: list[str]) -> pd.DataFrame:
    try:
        table = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (OSError, ValueError) as error:  # pandas raises these for damaged files
        raise DataError(f"cannot read {path}: {' '.join(str(error).split())}") from error
    if missing := [column for column in needed if column not in table]:
        raise DataError(f"{path} has no column {missing[0]!r} (there are: {', '.join(table.columns)})")
    return table
