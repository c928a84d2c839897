"""What follows from printed numbers and from the corpora alone, whatever the model."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from counterpoise import stats
from counterpoise.data.builtin.becpro import BecProSpec, becpro
from counterpoise.data.builtin.workforce import workforce
from counterpoise.data.spec import read_spec
from counterpoise.studies.papers.bartl2020.published import (
    GAP_PAIRS,
    GAP_PASSAGES,
    GROUPS,
    PAIRS,
    PRINTED_P,
    SENTENCES,
    TABLE_4,
    TABLE_4_TESTS,
    TABLE_5_TESTS,
    TOLERANCE,
    WOMEN,
    p_tolerance,
)
from counterpoise.studies.papers.bartl2020.summary_rows import ASSOCIATION, R
from counterpoise.studies.replication.agreement import P_VALUE
from counterpoise.studies.replication.comparison import ComparedLine, compared, table_of_lines
from counterpoise.studies.replication.findings import Table, Value
from counterpoise.studies.replication.study_table import rows_of, select

_COUNT = "count"
_LANGUAGES = {"en": "English", "de": "German"}


def printed_table(table: pd.DataFrame) -> Table:
    """The paper's numbers beside what follows from its other numbers and from public data."""
    return table_of_lines(
        "printed",
        "What follows from printed numbers and public data",
        [*_tests(), *_changes(), *_sentences(), *_shares_of_women(), *_passages_of_gap(table)],
        note="The paper prints p = 2e-16 for all six tests, which is how R writes any p-value below 2.2e-16. Those "
        "recomputed from V (normal approximation) are far below; they take 900 sentence pairs of 20 professions for "
        "independent observations. The sign of r comes from the quantile of p / 2 and is always negative.",
        is_recomputed=True,
    )


def _tests() -> Iterator[ComparedLine]:
    """r and p of each Wilcoxon test, from its V and the 900 pairs."""
    for number, tests in ((4, TABLE_4_TESTS), (5, TABLE_5_TESTS)):
        for group, test in tests.items():
            implied = stats.wilcoxon_from_v(test.v, PAIRS)
            name = f"table {number}, {group}"
            yield compared(f"{name}: r from V = {test.v}", test.r, -abs(implied.r), TOLERANCE, kind=R)
            p = implied.p_value
            yield compared(f"{name}: p from V = {test.v}", PRINTED_P, p, p_tolerance(p), kind=P_VALUE)


def _changes() -> Iterator[ComparedLine]:
    for (group, person), line in TABLE_4.items():
        # Three rounded numbers: the difference of two may be off by .01, and the third by .005.
        change = round(line.post - line.pre, 2)
        yield compared(
            f"table 4, {group}, {person}: post - pre", line.change, change, 0.0151, kind=ASSOCIATION
        )


def _sentences() -> Iterator[ComparedLine]:
    for language, name in _LANGUAGES.items():
        yield compared(f"{name} sentences", SENTENCES, len(becpro(language)), 0, kind=_COUNT)


def _shares_of_women() -> Iterator[ComparedLine]:
    group_of = dict(becpro("en")[["profession", "group"]].drop_duplicates().to_numpy().tolist())
    groups = workforce().profession.map(group_of)
    for group in GROUPS:
        shares = workforce().women_2019[groups == group]
        ends = zip(("lowest", "highest"), WOMEN[group], (shares.min(), shares.max()), strict=True)
        for what, printed, share in ends:
            yield compared(
                f"{group} professions: {what} share of women, %",
                printed,
                float(share),
                0,
                kind="share of women, %",
            )


def _passages_of_gap(table: pd.DataFrame) -> Iterator[ComparedLine]:
    passages, missing = _passages(table), "GAP was not read this time"
    yield compared("passages of GAP", GAP_PASSAGES, passages, 0, missing, kind=_COUNT)
    yield compared("pairs of pronoun and name", GAP_PAIRS, passages and 2 * passages, 0, missing, kind=_COUNT)


def construction_table(table: pd.DataFrame) -> Table | None:
    """BEC-Pro in both languages, and how it differs from the authors' files."""
    counts = select(table, step="construct")
    if counts.empty:
        return None
    wide = counts.pivot_table(index="statistic", columns="language", values="value", sort=False)
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


def swap_table(table: pd.DataFrame) -> Table:
    """What the swap did to GAP."""
    rows: list[list[Value]] = [
        [str(row.statistic), int(row.original), int(row.authors), int(row.substitution)]
        for row in rows_of(table, step="swap")
    ]
    return Table(
        "gap",
        f"Gendered words in {_passages(table)} passages of GAP before and after the swap",
        ["word", "original", "authors' file", "substitution, p = 1/2"],
        rows,
        note="The paper speaks of substitution; the authors' file inverts the text of every passage, so that its bias "
        "is turned round, not balanced. himself and herself stay, since no list of theirs has them.",
    )


def table_6(_: pd.DataFrame) -> Table:
    """Table 6: professions, their German forms, and the share of women."""
    german = read_spec("becpro", BecProSpec).languages["de"].professions
    forms = {
        profession.name: f"{profession.male.text}/{profession.female.text}"
        for group in german.values()
        for profession in group
    }
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


def _passages(table: pd.DataFrame) -> int | None:
    """How many passages GAP has; None where it was not read."""
    counts = select(table, step="swap").n.dropna()
    return int(counts.iloc[0]) if len(counts) else None


def _count(value: float | None) -> int | None:
    return None if value is None or value != value else int(value)
