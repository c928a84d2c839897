"""MT Gender (Stanovsky et al. 2019): WinoBias and Winogender sentences, each with the person that its pronoun means."""

from __future__ import annotations

import pandas as pd

from counterpoise.core.errors import unknown
from counterpoise.data.thirdparty.folders import find_file
from counterpoise.data.thirdparty.tables import one_of, read_table, whole_numbers

_FILES = {"all": "en.txt", "pro": "en_pro.txt", "anti": "en_anti.txt"}


def mt_gender(part: str = "all") -> pd.DataFrame:
    """The English sentences, one row each: `gender` of the pronoun, `position`, `sentence`, `person`.

    `position` is where `person` begins, in words counted from 0. The part is "all", or those of
    WinoBias in which the pronoun goes with the stereotype of the occupation ("pro") or against it ("anti").
    """
    if part not in _FILES:
        raise unknown("part of MT Gender", part, _FILES)
    path = find_file("mt-gender", _FILES[part], f"{_FILES[part]}.xz")
    table = read_table(
        path, ["gender", "position", "sentence", "person"], separator="\t", quoted=False, header=False
    )
    table["gender"] = one_of(table, "gender", ("female", "male", "neutral"), path)
    table["position"] = whole_numbers(table, "position", path)
    return table
