"""CrowS-Pairs (Nangia et al. 2020): pairs of sentences of which one is the more stereotypical.

The data are not ours: they are read from the data folder, `crows-pairs/crows_pairs_anonymized.csv` as published or,
where it lies beside it, `crows_pairs_EN_revised.csv`, the English sentences as Névéol et al. (2022) corrected them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.data.builtin.pairs import Pairs
from counterpoise.data.spec import Variant, check_variant
from counterpoise.data.thirdparty.bias_categories import Categories, select_categories
from counterpoise.data.thirdparty.folders import find_file, look_for

ORIGINAL, REVISED = "crows_pairs_anonymized.csv", "crows_pairs_EN_revised.csv"
_FOLDER = "crows-pairs"
_COLUMNS = {
    "sent_more": "stereotyped",
    "sent_less": "counterpart",
    "bias_type": "category",
    "stereo_antistereo": "direction",
}
_QUALITY = (
    "CrowS-Pairs has many pairs that are unnatural, differ in more than the group named, or hold no stereotype "
    "(Blodgett et al. 2021); its authors say that it may not be a good indicator of social bias"
)
_NOT_REVISED = (
    f"these are the pairs as published; put {REVISED} (Névéol et al. 2022) beside {ORIGINAL} to measure on "
    "corrected ones"
)
_IS_REVISED = "these are the pairs as Névéol et al. (2022) corrected them, not the published ones"


@dataclass(frozen=True)
class CrowsPairs:
    """Sentence pairs in the columns `stereotyped`, `counterpart`, `category` and `direction`.

    The direction is "stereo" where the more stereotypical sentence says a stereotype of a disadvantaged group,
    "antistereo" where the other one violates such a stereotype, and empty for pairs of another origin.
    """

    name: str
    table: pd.DataFrame
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, pairs: Pairs) -> CrowsPairs:
        """Pairs of another origin."""
        return cls(pairs.name, pairs.table.drop(columns="about").assign(direction=""))

    def problems(self, variant: Variant = "corrected") -> list[str | None]:
        """For each pair why it says nothing, whatever the model, or None. Published figures count repeated pairs."""
        problems = Pairs(self.name, self.table).problems()
        if variant == "corrected":
            return problems
        of_first: dict[tuple[str, str], str | None] = {}
        pairs = zip(self.table.stereotyped, self.table.counterpart, strict=True)
        return [of_first.setdefault(pair, problem) for pair, problem in zip(pairs, problems, strict=True)]


def crows_pairs(categories: Categories = ("gender",), variant: Variant = "corrected") -> CrowsPairs:
    """CrowS-Pairs from the data folder: the corrected sentences if they are there, unless the variant is "published".

    Parameters
    ----------
    categories
        Names of bias types, such as "gender" or "age", or "all".
    """
    check_variant(variant)
    path = _find(variant)
    table = select_categories(_read(path), categories)
    revised = path.name == REVISED
    origin = _IS_REVISED if revised else _NOT_REVISED
    return CrowsPairs(
        name="crows-pairs revised" if revised else "crows-pairs",
        table=table,
        warnings=(_QUALITY, *([origin] if variant == "corrected" else [])),
    )


def _find(variant: Variant) -> Path:
    revised = look_for(_FOLDER, REVISED) if variant == "corrected" else None
    return revised or find_file(_FOLDER, ORIGINAL)


def _read(path: Path) -> pd.DataFrame:
    try:
        with path.open(encoding="utf-8-sig") as lines:
            separator = (
                "\t" if "\t" in lines.readline() else ","
            )  # the revised file has tabs, in spite of its name
        table = pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read {path}: {' '.join(str(error).split())}") from error
    if missing := [column for column in _COLUMNS if column not in table]:
        raise DataError(f"{path} has no column {missing[0]!r}; is it CrowS-Pairs?")
    return table[list(_COLUMNS)].rename(columns=_COLUMNS)
