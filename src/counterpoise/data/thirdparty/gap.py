"""GAP (Webster et al. 2018): Wikipedia passages with an ambiguous pronoun and two names, balanced by gender."""

from __future__ import annotations

import pandas as pd

from counterpoise.core.errors import DataError, unknown
from counterpoise.data.thirdparty.folders import find_file
from counterpoise.data.thirdparty.tables import one_of, read_table, whole_numbers

_FILES = {
    "development": ("gap", "gap-development.tsv"),
    "test": ("gap", "gap-test.tsv"),
    "validation": ("gap", "gap-validation.tsv"),
    "swapped": ("bec-pro", "gap_flipped.tsv"),
}
_COLUMNS = {
    "ID": "id",
    "Text": "text",
    "Pronoun": "pronoun",
    "Pronoun-offset": "pronoun_offset",
    "A": "a",
    "A-offset": "a_offset",
    "A-coref": "a_coref",
    "B": "b",
    "B-offset": "b_offset",
    "B-coref": "b_coref",
    "URL": "url",
}
_FEMALE = {"she", "her", "hers"}


def gap(split: str = "development") -> pd.DataFrame:
    """The passages of GAP, one row each.

    Columns: `id`, `text`; `pronoun`, the names `a` and `b`, and where in the text each begins (`pronoun_offset`,
    `a_offset`, `b_offset`); `a_coref` and `b_coref`, whether the pronoun means that name; `gender` of the pronoun;
    `url`. The split is "development", "test" or "validation"; "swapped" is the version of all three that Bartl et al.
    (2020) fine-tune on, in which only the text was swapped: the other columns, `gender` too, are those of the original.
    """
    if split not in _FILES:
        raise unknown("split of GAP", split, _FILES)
    dataset, name = _FILES[split]
    path = find_file(dataset, name, f"{name}.xz")
    table = read_table(path, list(_COLUMNS), separator="\t", quoted=False).rename(columns=_COLUMNS)
    for column in ("pronoun_offset", "a_offset", "b_offset"):
        table[column] = whole_numbers(table, column, path)
    for column in ("a_coref", "b_coref"):
        table[column] = table[column].str.lower()  # the files have both TRUE and True
        table[column] = one_of(table, column, ("true", "false"), path) == "true"
    female = table.pronoun.str.lower().isin(_FEMALE)
    table.insert(3, "gender", female.map({True: "female", False: "male"}))
    if split != "swapped":
        _check_offsets(table, str(path))
    return table


def _check_offsets(table: pd.DataFrame, path: str) -> None:
    for column in ("pronoun", "a", "b"):
        rows = zip(table.id, table.text, table[f"{column}_offset"], table[column], strict=True)
        for identifier, text, start, words in rows:
            if text[start : start + len(words)] != words:
                raise DataError(f"{path}: {identifier}: there is no {words!r} at {start}")
