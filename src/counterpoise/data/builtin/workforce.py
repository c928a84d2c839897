"""The share of women in the professions of BEC-Pro in the US workforce (Bureau of Labor Statistics)."""

from __future__ import annotations

import pandas as pd

from counterpoise.data.spec import Spec, Strict, read_spec


class WomenShare(Strict):
    profession: str
    titles_2019: tuple[str, ...]
    titles_2020: tuple[str, ...] | None = None  # where they are not those of 2019
    women_2019: float
    women_2020: float | None = None


class WorkforceSpec(Spec):
    professions: tuple[WomenShare, ...]


def workforce() -> pd.DataFrame:
    """One row per profession of BEC-Pro, with the share of women in per cent.

    Columns: `profession`; `titles_2019` and `titles_2020`, what the Bureau of Labor Statistics calls it; `women_2019`
    and `women_2020`, which is missing for the five professions that had fewer than 50,000 employed.

    >>> workforce().set_index("profession").women_2019[["registered nurse", "carpenter"]].to_dict()
    {'registered nurse': 88.9, 'carpenter': 2.8}
    """
    rows = read_spec("workforce", WorkforceSpec).professions
    return pd.DataFrame(
        {
            "profession": [row.profession for row in rows],
            "titles_2019": [row.titles_2019 for row in rows],
            "titles_2020": [row.titles_2020 or row.titles_2019 for row in rows],
            "women_2019": [row.women_2019 for row in rows],
            "women_2020": pd.array([row.women_2020 for row in rows], dtype="Float64").to_numpy(
                float, na_value=float("nan")
            ),
        }
    )
