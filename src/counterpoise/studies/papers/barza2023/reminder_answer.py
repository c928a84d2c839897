"""Table 5: do reminders bring a word back, and is it the word that does it?"""

from __future__ import annotations

from typing import Any

import pandas as pd

from counterpoise.core.numbers import decimal_text
from counterpoise.studies.papers.barza2023 import verdicts
from counterpoise.studies.papers.barza2023.reminder_effects import OTHERS
from counterpoise.studies.papers.barza2023.statistics import (
    CONTROL_REMINDED,
    PROFESSIONS,
    REMINDED,
    SPECIFIC,
)
from counterpoise.studies.papers.barza2023.tables import reminder_rows
from counterpoise.studies.papers.barza2023.wording import difference_text, excludes_zero, seeds_text
from counterpoise.studies.replication.findings import PaperAnswer
from counterpoise.studies.replication.study_table import ALPHA, first_row, select


def reminders_answer(table: pd.DataFrame) -> PaperAnswer | None:
    effects = select(table[table.compared.notna()], step="reminded")
    words = list(dict.fromkeys(effects.word.dropna()))
    if not words:
        return None
    return PaperAnswer(
        "Table 5. Do reminders bring gender-related words back?",
        verdicts.reminders([first_row(effects, word=word, group=word, compared=SPECIFIC) for word in words]),
        "yes, the more the better; in the table 50 of them do not help yet, 100 and 150 do. Only the reminded word is "
        "asked, all reminders are about women, and there is no control",
        " ".join(_of_word(table, select(effects, word=word), word) for word in words),
    )


def _of_word(table: pd.DataFrame, effects: pd.DataFrame, word: str) -> str:
    effect, control, specific = (
        first_row(effects, group=word, compared=compared)
        for compared in (REMINDED, CONTROL_REMINDED, SPECIFIC)
    )
    if effect is None or control is None or specific is None:
        return ""
    levels = ", ".join(
        "-" if row is None else decimal_text(row.value, 2) for row in reminder_rows(table, word, "corrected")
    )
    parts = [
        f"{word} (APPD as it is, after swapped GAP, with 1, 2 and 3 copies of the reminders: {levels}): "
        f"{int(specific.copies)} copies moved it by {difference_text(effect)}; the same sentences about a "
        f"gender-neutral word by {difference_text(control)}{_share(effect, control)}.",
        f"Specific to the word is {difference_text(specific)} ({seeds_text(specific)}).",
        _others(effects, word),
    ]
    return " ".join(filter(None, parts))


def _share(effect: Any, control: Any) -> str:
    """How much of the effect the control has too, where both are distinguishable from 0 and go the same way."""
    if not (excludes_zero(effect) and excludes_zero(control)) or control.value * effect.value <= 0:
        return ""
    return f", {100 * control.value / effect.value:.0f} % of that"


def _others(effects: pd.DataFrame, word: str) -> str:
    """What happened to words that no reminder was about."""
    reminded = select(effects, compared=REMINDED)
    means = [
        f"{name} {difference_text(row)}"
        for name in (*OTHERS.values(), PROFESSIONS)
        if (row := first_row(reminded, group=name)) is not None
    ]
    specific = select(effects, compared=SPECIFIC)
    specific = specific[
        (specific.gender.fillna("") != "") | (specific.group == PROFESSIONS)
    ]  # no single professions
    moved = specific[(specific.group != word) & (specific.p_adjusted < ALPHA)].group.tolist()
    beside = (
        f"relative to the control, {', '.join(moved)} also moved"
        if moved
        else "no other word moved significantly relative to the control"
    )
    return f"The same reminders moved {'; '.join(means)}; {beside} (Holm)." if means else ""
