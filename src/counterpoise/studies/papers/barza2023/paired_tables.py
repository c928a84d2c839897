"""Tables of two models or corpora compared on the same sentence pairs, templates or words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from counterpoise.studies.papers.barza2023.published import COMBINED, shown
from counterpoise.studies.papers.barza2023.statistics import (
    APPD,
    PROFESSIONS,
    REMINDED,
    SPECIFIC,
    TRAINED,
)
from counterpoise.studies.papers.barza2023.training import GAP, MT_GENDER
from counterpoise.studies.replication.comparison import number
from counterpoise.studies.replication.findings import Table, Value
from counterpoise.studies.replication.study_table import first_row, rows_of, select

_COMPARED = (
    "A - B",
    "statistic",
    "of",
    "A",
    "B",
    "difference",
    "from",
    "to",
    "p",
    "minimum detectable",
    "n",
    "seeds",
)
_PAIRED = (
    "Differences are taken item by item; interval and p are over items and, where there are several, seeds."
)
_HOLM = "p is adjusted for the number of comparisons (Holm)."


def models_compared(table: pd.DataFrame) -> Table:
    rows = rows_of(table, step="compared")
    return _compared("table3_paired", "Table 3: models compared pair by pair", rows, f"{_PAIRED} {_HOLM}")


def corpora_compared(table: pd.DataFrame) -> Table:
    """Table 4: GAP with and without the swap, and corpora beside neutral text and each other."""
    of_gap = rows_of(_differences(table, "debiased"))
    of_corpora = [row for row in rows_of(_differences(table, "corpora")) if row.group == COMBINED]
    sizes = [
        f"{int(row.sentences):,} sentences of {what}"
        for row, what in ((next(iter(of_gap), None), "GAP"), (next(iter(of_corpora), None), "each corpus"))
        if row is not None
    ]
    control = f" The control is as much neutral text: {of_corpora[0].note}." if of_corpora else ""
    adjusted = " p of two corpora compared is adjusted (Holm), all others are not." if of_corpora else ""
    note = f"{_PAIRED}{adjusted} Trained on {' and on '.join(sizes)}.{control}"
    return _compared("table4_paired", "Table 4: changes pair by pair", [*of_gap, *of_corpora], note)


def swap_compared(table: pd.DataFrame) -> Table:
    """RQ4: what training on GAP changed, and what of it the swap did."""
    rows = [row for row in rows_of(_differences(table, "swapping")) if row.compared != TRAINED]
    note = f"{_PAIRED} The control is trained on the same sentences of GAP, unswapped, with the same seeds."
    return _compared("swapping", "RQ4: training on GAP with and without the swap", rows, note)


def curve_compared(table: pd.DataFrame) -> Table:
    rows = [row for row in rows_of(_differences(table, "curve")) if row.group == COMBINED]
    named = [(f"{row.compared} ({int(row.sentences):,} sentences)", row) for row in rows]
    return _of_lines("figure13_paired", "Figure 13: changes pair by pair", named, _PAIRED)


def professions(table: pd.DataFrame) -> Table:
    """Figures 8, 9 and 14 to 19 as numbers."""
    rows: list[list[Value]] = [
        [row.category, row.group, "yes" if row.seen else "no", *_change(row)]
        for row in rows_of(
            _differences(table, "professions"), text=MT_GENDER, variant="corrected", statistic=APPD, gender=""
        )
    ]
    columns = ["category", "profession", "in the text", *_CHANGE]
    title = "Figures 8, 9, 14 to 19: before and after training on MT Gender"
    return Table("figure8", title, columns, rows, note=f"{_PAIRED} {_HOLM}")


def gender_words(table: pd.DataFrame) -> Table:
    """Figures 11 and 12 as numbers."""
    rows: list[list[Value]] = [
        [row.category, row.group, row.gender, row.variant, *_change(row)]
        for variant in ("corrected", "published")
        for row in rows_of(_differences(table, "swapping"), text=GAP, variant=variant, statistic=APPD)
        if row.gender
    ]
    return Table(
        "figure11",
        "Figures 11 and 12: gender-related words before and after training on swapped GAP",
        ["category", "word", "its gender", "variant", *_CHANGE],
        rows,
        note=f"Here a value far from 0 is right: below 0 for female words, above 0 for male ones. {_HOLM}",
    )


def reminders_compared(table: pd.DataFrame) -> Table:
    """Table 5 for all words: reminders beside the same sentences about a gender-neutral word."""
    effects = _differences(table, "reminded")
    title = "Table 5 for all words: reminders beside control sentences"
    return _reminders("table5_all", title, effects[~_is_single(effects)])


def reminded_professions(table: pd.DataFrame) -> Table:
    """The same for each profession."""
    effects = _differences(table, "reminded")
    title = "Table 5 for all professions: reminders beside control sentences"
    return _reminders("table5_professions", title, effects[_is_single(effects)])


def _is_single(effects: pd.DataFrame) -> pd.Series:
    """Which rows are about one profession."""
    single: pd.Series = (effects.gender.fillna("") == "") & (effects.group != PROFESSIONS)
    return single


def _reminders(name: str, title: str, effects: pd.DataFrame) -> Table:
    rows: list[list[Value]] = []
    for specific in rows_of(effects, compared=SPECIFIC):
        effect = first_row(effects, compared=REMINDED, word=specific.word, group=specific.group)
        gender = "itself" if specific.group == specific.word else specific.gender or "none"
        levels = [float(getattr(specific, name)) for name in ("without", "reminded", "control")]
        numbers = [*levels, *_interval(effect), *_interval(specific), _p(specific)]
        rows.append([specific.word, specific.group, gender, *numbers, int(specific.n), int(specific.seeds)])
    return Table(
        name,
        title,
        [
            "reminders of", "asked about", "gender", "without", "reminders", "control", "effect",
            "effect from", "effect to", "specific", "specific from", "specific to", "p", "n", "seeds",
        ],
        rows,
        note="The effect is reminders minus none, the specific part reminders minus the same sentences with a "
        f"gender-neutral word in place of the reminded one. {_PAIRED} {_HOLM}",
    )  # fmt: skip


_CHANGE = ("APPD before", "after", "change", "from", "to", "p", "templates", "seeds")


def _change(row: Any) -> list[Value]:
    return [float(row.before), float(row.after), *_interval(row), _p(row), int(row.n), int(row.seeds)]


def _differences(table: pd.DataFrame, step: str) -> pd.DataFrame:
    """The rows of a step that compare two models."""
    return select(table[table.compared.notna()], step=step)


def _compared(name: str, title: str, rows: Iterable[Any], note: str) -> Table:
    return _of_lines(name, title, [(_named(row), row) for row in rows], note)


def _named(row: Any) -> str:
    """What a row compares; corpora are compared with the control one by one."""
    return (
        str(row.compared).replace("corpus", row.corpus) if isinstance(row.corpus, str) else str(row.compared)
    )


def _of_lines(name: str, title: str, lines: Iterable[tuple[str, Any]], note: str) -> Table:
    rows: list[list[Value]] = [
        [
            what, row.statistic, shown(row.group), number(row.second), number(row.first), *_interval(row), _p(row),
            number(row.smallest_detectable), int(row.n), int(row.seeds),
        ]
        for what, row in lines
    ]  # fmt: skip
    return Table(name, title, _COMPARED, rows, note=note)


def _interval(row: Any) -> list[Value]:
    return [number(row.value), number(row.ci_low), number(row.ci_high)]


def _p(row: Any) -> float | None:
    """The adjusted p where there is one."""
    adjusted = number(row.p_adjusted)
    return number(row.p_value) if adjusted is None else adjusted
