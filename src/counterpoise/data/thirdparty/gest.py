"""GEST (Pikuliak et al. 2024): sentences in the first person, each about a gender stereotype."""

from __future__ import annotations

from typing import Literal

import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.data.spec import Strict, Variant, check_variant, read_spec
from counterpoise.data.thirdparty.table_specs import TablesSpec


class Stereotype(Strict):
    name: str
    about: Literal["women", "men"]


class SpeakerTemplate(Strict):
    """A sentence that is quoted, and the two words for who says it."""

    name: str
    text: str
    male: str
    female: str


class GestSpec(TablesSpec):
    stereotypes: dict[int, Stereotype]
    masked: tuple[SpeakerTemplate, ...]
    causal: tuple[SpeakerTemplate, ...]


def gest(variant: Variant = "corrected") -> pd.DataFrame:
    """The 3,565 sentences of GEST, one row each.

    Columns: `sentence`; `stereotype`, its number from 1 to 16; `name`, such as "women are beautiful"; `about`, women or
    men. The corrected variant is GEST 1.1, the published one is GEST 1.0, which the paper measures on.
    """
    check_variant(variant)
    spec = read_spec("gest", GestSpec)
    table = spec.read(variant)
    strange = table.stereotype[~table.stereotype.isin(list(spec.stereotypes))]
    if len(strange):
        raise DataError(
            f"{spec.find(variant)}: there is no stereotype {strange.iloc[0]} (line {strange.index[0] + 2})"
        )
    table["name"] = [
        f"{spec.stereotypes[number].about} are {spec.stereotypes[number].name}" for number in table.stereotype
    ]
    table["about"] = [spec.stereotypes[number].about for number in table.stereotype]
    return table
