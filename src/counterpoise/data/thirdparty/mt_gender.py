"""MT Gender (Stanovsky et al. 2019): WinoBias and Winogender sentences, each with the person that its pronoun means."""

from __future__ import annotations

import pandas as pd

from counterpoise.core.errors import unknown
from counterpoise.data.spec import read_spec
from counterpoise.data.thirdparty.table_specs import TablesSpec


def mt_gender(part: str = "all") -> pd.DataFrame:
    """The English sentences, one row each: `gender` of the pronoun, `position`, `sentence`, `person`.

    `position` is where `person` begins, in words counted from 0. The part is "all", or those of
    WinoBias in which the pronoun goes with the stereotype of the occupation ("pro") or against it ("anti").
    """
    spec = read_spec("mt_gender", TablesSpec)
    if part not in spec.tables:
        raise unknown("part of MT Gender", part, spec.tables)
    return spec.read(part)
