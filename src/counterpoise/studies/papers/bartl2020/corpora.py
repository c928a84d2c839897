"""What can be said of the corpora without a model: BEC-Pro beside the authors' files, GAP before and after the swap."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd

from counterpoise.core.errors import MissingData
from counterpoise.data.builtin.becpro import becpro
from counterpoise.data.thirdparty.folders import find_file
from counterpoise.data.thirdparty.tables import read_table
from counterpoise.studies.papers.bartl2020.associations import as_replaced, fixed_length
from counterpoise.studies.papers.bartl2020.training import training_texts

SEED = 42  # the paper's
# Words whose counts show what a swap did; himself and herself are in none of the authors' 124 pairs.
COUNTED = ("he", "she", "him", "her", "his", "man", "woman", "himself", "herself")
_AUTHORS = {
    "sentence": "Sentence",
    "target_masked": "Sent_TM",
    "attribute_masked": "Sent_AM",
    "both_masked": "Sent_TAM",
}


def construction_rows(language: str) -> list[dict[str, Any]]:
    """Counts of BEC-Pro, and in how many rows our versions of it differ from the authors' file."""
    published, corrected = becpro(language, "published"), becpro(language)
    replaced = as_replaced(published)
    masked = list(_AUTHORS)[1:]
    counts = {
        "sentences": len(corrected),
        "templates": corrected.template.nunique(),
        "person words": corrected[["gender", "pair"]].drop_duplicates().shape[0],
        "professions": corrected.groupby("group")[_profession(corrected)].nunique().sum(),
        "sentences of a group and gender": corrected.groupby(["group", "gender"]).size().max(),
        "sentences that we correct": (corrected.sentence != published.sentence).sum(),
        "rows that text replacement damages": _differing(replaced, published, masked),
        "length that the code fills up to": fixed_length(replaced.target_masked),
    }
    if (theirs := _authors_file(language)) is not None:
        counts["rows that differ from the authors' file"] = _differing(replaced, theirs, list(_AUTHORS))
    return [{"statistic": name, "value": int(count)} for name, count in counts.items()]


def swap_rows(passages: int | None = None) -> list[dict[str, Any]]:
    """How often each word stands in GAP, in the authors' version, and after substitution as the paper describes it."""
    substituted = training_texts("corrected", SEED, passages)
    authors = training_texts("published", SEED, passages)
    versions = {"original": authors.originals, "authors": authors.texts, "substitution": substituted.texts}
    counts = {name: count_words(texts) for name, texts in versions.items()}
    rows = [{"statistic": word, **{name: counts[name][word] for name in versions}} for word in COUNTED]
    changed = {
        "original": 0,
        "authors": authors.changed,
        "substitution": substituted.changed,
    }
    return [{"statistic": "passages changed", **changed, "n": len(authors.texts)}, *rows]


def count_words(texts: Sequence[str]) -> Counter[str]:
    """How often each word stands in the texts, whatever its case.

    >>> count_words(["He said he'd left; she stayed."])["he"]
    2
    """
    return Counter(word for text in texts for word in re.findall(r"[a-z]+", text.lower()))


def _profession(rows: pd.DataFrame) -> str:
    return "profession_en" if "profession_en" in rows else "profession"


def _authors_file(language: str) -> pd.DataFrame | None:
    name = f"BEC-Pro_{language.upper()}.tsv"
    try:
        path = find_file("bec-pro", name, f"{name}.xz")
    except MissingData:
        return None
    table = read_table(path, list(_AUTHORS.values()), separator="\t")
    return table.rename(columns={theirs: ours for ours, theirs in _AUTHORS.items()})


def _differing(ours: pd.DataFrame, theirs: pd.DataFrame, columns: list[str]) -> int:
    if len(ours) != len(theirs):
        return max(len(ours), len(theirs))
    return int((ours[columns].to_numpy() != theirs[columns].to_numpy()).any(axis=1).sum())
