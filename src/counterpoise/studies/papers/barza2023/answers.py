"""The four research questions of the thesis and the claims of its figures, answered from what was measured."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from counterpoise.studies.papers.barza2023.published import CATEGORIES, COMBINED, TABLE_5
from counterpoise.studies.papers.barza2023.statistics import ASLD, CHANGE, LEAN_KEPT, SLD, SLOPE
from counterpoise.studies.papers.barza2023.tables import curve, reminder_rows
from counterpoise.studies.replication.findings import Answer
from counterpoise.studies.replication.study_table import first_row, rows_of, select, with_interval


def answers(table: pd.DataFrame) -> Iterator[Answer | None]:
    """One answer for each question; None where nothing was measured about it."""
    yield _measuring(table)
    yield _models(table)
    yield _corpora(table)
    yield _swapping(table)
    yield _rate(table)
    yield _reminders(table)
    yield _more_text(table)


def _measuring(table: pd.DataFrame) -> Answer | None:
    rows = {row.group: row for row in rows_of(table, step="sentences", statistic=ASLD)}
    signed = first_row(table, step="sentences", group=COMBINED, statistic=SLD)
    if not rows or signed is None:
        return None
    model = signed.models
    asld = ", ".join(f"{category} {with_interval(rows[category])}" for category in CATEGORIES)
    measured = f"{model}: ASLD {asld}. The stereotyped side is likelier by {with_interval(signed)}"
    samples = rows_of(table, step="samples", models=model)
    if samples:
        wide = {
            size: max(row.highest - row.lowest for row in samples if row.sentences == size)
            for size in sorted({row.sentences for row in samples})
        }
        measured += ". Five samples of one size lie apart by up to " + ", ".join(
            f"{width:.2f} ({size:.0f} pairs)" for size, width in wide.items()
        )
        measured += (
            "; the intervals over pairs are what to trust, since large samples of one list share most pairs"
        )
    return Answer(
        "RQ1. How can the different types of gender bias in a masked language model be measured?",
        "by ASLD, the mean |PLL(S) - PLL(S')| over 100 sentence pairs of each type; it changes little from 60 pairs on",
        f"{measured}.",
    )


def _models(table: pd.DataFrame) -> Answer | None:
    rows = sorted(
        rows_of(table, step="sentences", group=COMBINED, statistic=ASLD), key=lambda row: float(row.value)
    )
    if not rows:
        return None
    ranking = "; ".join(f"{row.models} {with_interval(row)}" for row in rows)
    if len(rows) == 1:
        ranking = f"one model was asked, so there is nothing to rank: {ranking}"
    return Answer(
        "RQ2. Which model has the least gender bias, and which the most?",
        "RoBERTa large the least (combined ASLD 3.21), BERT large the most (4.58)",
        f"{ranking}.",
    )


def _corpora(table: pd.DataFrame) -> Answer | None:
    steps = [("as it is", first_row(table, step="untrained", group=COMBINED, statistic=ASLD))]
    for corpus, name in (
        ("none", "after swapped GAP"),
        ("jigsaw:toxic", "then toxic comments"),
        ("jigsaw:severe_toxic", "then severely toxic ones"),
    ):
        steps.append((name, first_row(table, step="corpora", group=COMBINED, statistic=ASLD, corpus=corpus)))
    measured = [f"{name} {with_interval(row)}" for name, row in steps if row is not None]
    if len(measured) < 2:
        return None
    lacking = [name for name, row in steps if row is None]
    return Answer(
        "RQ3. How can gender bias in a corpus be measured without labels made by hand?",
        "by the ASLD of a debiased model that was trained on it: 2.60 debiased, 4.14 on toxic, 4.41 on severely toxic "
        "comments (BERT itself 4.05)",
        f"combined ASLD {', '.join(measured)}"
        + (f"; not measured: {', '.join(lacking)}." if lacking else "."),
    )


def _swapping(table: pd.DataFrame) -> Answer | None:
    after = select(table, step="after", text="gap", variant="corrected")
    change = first_row(after, group="all", statistic=CHANGE)
    kept = first_row(after, statistic=LEAN_KEPT)
    line = first_row(after, group="all", statistic=SLOPE)
    if change is None or kept is None or line is None:
        return None
    return Answer(
        "RQ4. How well does swapped text debias BERT, and does it then take he and she for alike whatever the context?",
        "professions lean less, but so do words that are bound to a gender: pronouns are merely held for equal",
        f"mean |APPD| of professions changed by {with_interval(change, '.0f', unit=' %')}; "
        f"gender-related words kept {100 * kept.value:.0f} % of their lean [{100 * kept.ci_low:.0f}, "
        f"{100 * kept.ci_high:.0f}]. {line.note}",
    )


def _rate(table: pd.DataFrame) -> Answer | None:
    line = first_row(table, step="after", text="mt-gender", variant="corrected", group="all", statistic=SLOPE)
    if line is None:
        return None
    return Answer(
        "Figures 8 to 10. Does training on MT Gender lower APPD at one rate, in the text or not?",
        "yes: APPD after training is a linear function of that before",
        str(line.note),
    )


def _reminders(table: pd.DataFrame) -> Answer | None:
    by_word = []
    for word in TABLE_5:
        rows = reminder_rows(table, word, "corrected")
        if all(row is not None for row in rows[2:]):
            values = ", ".join("-" if row is None else f"{row.value:.2f}" for row in rows)
            by_word.append(f"{word} {values}")
    if not by_word:
        return None
    return Answer(
        "Table 5. Do reminders bring gender-related words back?",
        "yes, the more the better; in the table 50 of them do not help yet, 100 and 150 do",
        f"APPD as it is, after swapped GAP, and with 1, 2 and 3 x 50 reminders: {'; '.join(by_word)}.",
    )


def _more_text(table: pd.DataFrame) -> Answer | None:
    points = [point for point in curve(table) if point.category == COMBINED]
    if len(points) < 2:
        return None
    by_size = ", ".join(
        f"{point.mean:.2f} [{point.low:.2f}, {point.high:.2f}] ({point.sentences})" for point in points
    )
    return Answer(
        "Figure 13. Would more swapped text help?",
        "no: ASLD falls up to 4,000 sentences and stagnates from 6,000 on",
        f"combined ASLD by number of sentences: {by_size}.",
    )
