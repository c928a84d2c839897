"""What Kurita et al. (2019) ask about in table 5: traits, skills, and the job titles of a county."""

from __future__ import annotations

import pandas as pd

from counterpoise.core.errors import DataError, unknown
from counterpoise.data.spec import Variant, check_variant
from counterpoise.data.thirdparty.folders import find_file
from counterpoise.data.thirdparty.tables import read_lines, read_table

# Three words that lost their line ends.
_GLUED = {"IndecisiveIndulgentInert": ("Indecisive", "Indulgent", "Inert")}


def traits(kind: str, variant: Variant = "corrected") -> tuple[str, ...]:
    """The "positive" or "negative" traits; corrected, none is there twice and three run together are parted."""
    check_variant(variant)
    if kind not in ("positive", "negative"):
        raise unknown("kind of traits", kind, ["positive", "negative"])
    words = _lines(f"{kind}_traits")
    if variant == "published":
        return words
    return tuple(dict.fromkeys(part for word in words for part in _GLUED.get(word, (word,))))


def skills(source: str = "in-demand") -> tuple[str, ...]:
    """Technology skills: "in-demand", 25 in the authors' repository, or "onet", those of O*NET 23.2 in the paper."""
    if source == "in-demand":
        return _lines("in_demand_tech_skills")
    if source != "onet":
        raise unknown("source of skills", source, ["onet", "in-demand"])
    path = find_file("kurita", "onet_technology_skills.txt", "Technology Skills.txt")
    table = read_table(path, ["Example"], separator="\t", quoted=False)
    return tuple(dict.fromkeys(table["Example"]))


def job_titles() -> pd.DataFrame:
    """Titles and salaries of a county's employees, one row each: `job_title`, `annual_salary`; a title may be empty.

    The paper says Montgomery County, Maryland; the file looks like Allegheny County, Pennsylvania.
    """
    path = find_file("kurita", "job_titles_salaries.csv")
    table = read_table(path, ["job_title", "annual_salary"])
    try:
        return table.astype({"annual_salary": "float64"})
    except ValueError as error:
        raise DataError(f"{path}: a salary is no number ({error})") from error


def _lines(name: str) -> tuple[str, ...]:
    path = find_file("kurita", name)
    words = tuple(line.strip() for line in read_lines(path) if line.strip())
    if not words:
        raise DataError(f"{path} is empty")
    return words
