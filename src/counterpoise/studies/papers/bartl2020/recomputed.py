"""What follows from printed numbers and from the corpora alone, whatever the model."""

from __future__ import annotations

import pandas as pd

from counterpoise import stats
from counterpoise.data.builtin.becpro import BecProSpec, becpro
from counterpoise.data.builtin.workforce import workforce
from counterpoise.data.spec import read_spec
from counterpoise.studies.papers.bartl2020.comparing import TOLERANCE, rows_of
from counterpoise.studies.papers.bartl2020.published import (
    GAP_PAIRS,
    GAP_PASSAGES,
    GROUPS,
    PAIRS,
    SENTENCES,
    TABLE_4,
    TABLE_4_TESTS,
    TABLE_5_TESTS,
    WOMEN,
)
from counterpoise.studies.replication.findings import COMPARED, Table, Value, compared

_LANGUAGES = {"en": "English", "de": "German"}


def printed_table(passages: int | None) -> Table:
    """The paper's numbers beside what follows from its other numbers and from public data.

    passages: how many GAP has; None where it is not at hand.
    """
    rows: list[list[Value]] = []
    for table, tests in ((4, TABLE_4_TESTS), (5, TABLE_5_TESTS)):
        for group, test in tests.items():
            # The printed sign is no direction: it is that of the quantile of p / 2.
            r = -abs(stats.wilcoxon_from_v(test.v, PAIRS).r)
            rows.append(compared(f"table {table}, {group}: r from V = {test.v}", test.r, r, TOLERANCE))
    for (group, person), one in TABLE_4.items():
        # Three rounded numbers: the difference of two may be off by .01, and the third by .005.
        change = one.post - one.pre
        rows.append(compared(f"table 4, {group}, {person}: post - pre", one.change, round(change, 2), 0.0151))
    for language, name in _LANGUAGES.items():
        rows.append(compared(f"{name} sentences", SENTENCES, len(becpro(language)), 0))
    group_of = dict(becpro("en")[["profession", "group"]].drop_duplicates().to_numpy().tolist())
    shares = workforce().assign(group=lambda table: table.profession.map(group_of))
    for group in GROUPS:
        some = shares[shares.group == group].women_2019
        for what, printed, found in zip(
            ("lowest", "highest"), WOMEN[group], (some.min(), some.max()), strict=True
        ):
            rows.append(compared(f"{group} professions: {what} share of women, %", printed, float(found), 0))
    missing = "GAP was not read this time"
    rows.append(compared("passages of GAP", GAP_PASSAGES, passages, 0, missing))
    rows.append(compared("pairs of pronoun and name", GAP_PAIRS, passages and 2 * passages, 0, missing))
    return Table("printed", "What follows from printed numbers and public data", COMPARED, rows)


def construction_table(table: pd.DataFrame) -> Table | None:
    """BEC-Pro in both languages, and how it differs from the authors' files."""
    some = table[table.step == "construct"]
    if some.empty:
        return None
    wide = some.pivot_table(index="statistic", columns="language", values="value", sort=False)
    rows: list[list[Value]] = [
        [str(name), *(_count(wide.loc[name].get(language)) for language in _LANGUAGES)] for name in wide.index
    ]
    return Table(
        "construction",
        "BEC-Pro: how it is built, and how it differs from the authors' file",
        ["", *_LANGUAGES.values()],
        rows,
        note="With the authors' articles, forms and text replacement every row is theirs where no row differs. Text "
        "replacement also masks what only begins with the hidden word (a lodging [MASK]ager).",
    )


def swap_table(table: pd.DataFrame) -> Table | None:
    """What the swap did to GAP."""
    some = table[table.step == "swap"]
    if some.empty:
        return None
    rows: list[list[Value]] = [
        [str(row.statistic), int(row.original), int(row.authors), int(row.substitution)]
        for row in rows_of(some)
    ]
    passages = int(some.n.dropna().iloc[0])
    return Table(
        "gap",
        f"Gendered words in {passages} passages of GAP before and after the swap",
        ["word", "original", "authors' file", "substitution, p = 1/2"],
        rows,
        note="The paper speaks of substitution; the authors' file inverts the text of every passage, so that its bias "
        "is turned round, not balanced. himself and herself stay, since no list of theirs has them.",
    )


def table6() -> Table:
    """Table 6: professions, their German forms, and the share of women."""
    german = read_spec("becpro", BecProSpec).languages["de"].professions
    forms = {one.name: f"{one.male.text}/{one.female.text}" for some in german.values() for one in some}
    english = becpro("en")[["group", "profession"]].drop_duplicates().set_index("profession").group
    rows: list[list[Value]] = [
        [
            english[row.profession],
            " + ".join(row.titles_2019),
            row.profession,
            forms[row.profession],
            float(row.women_2019),
        ]
        for row in rows_of(workforce())
    ]
    return Table(
        "table6",
        "Table 6: professions, with the share of women in the United States in 2019",
        ["group", "title", "shortened", "German (masculine/feminine)", "women, %"],
        rows,
        decimals=1,
        note="Corrected: Dachdecker (printed Dachedecker) and Rezeptionistin (printed Rezeptionist).",
    )


def _count(value: float | None) -> int | None:
    return None if value is None or value != value else int(value)
