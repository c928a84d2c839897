"""The four research questions of the thesis and the claims of its figures, answered from what was measured."""

from __future__ import annotations

import pandas as pd

from counterpoise.studies.papers.barza2023.comparing import one_of, rows_of, with_interval
from counterpoise.studies.papers.barza2023.published import CATEGORIES, COMBINED, TABLE_5
from counterpoise.studies.papers.barza2023.statistics import APPD, ASLD, CHANGE, LEAN_KEPT, SLD, SLOPE
from counterpoise.studies.papers.barza2023.tables import curve
from counterpoise.studies.replication.findings import Answer


def answers(table: pd.DataFrame) -> list[Answer]:
    """One answer for each question about which something was measured."""
    made = [
        _measuring(table),
        _models(table),
        _corpora(table),
        _swapping(table),
        _rate(table),
        _reminders(table),
        _more_text(table),
    ]
    return [one for one in made if one is not None]


def _measuring(table: pd.DataFrame) -> Answer | None:
    rows = {row.group: row for row in rows_of(table, "sentences", statistic=ASLD)}
    signed = one_of(table, "sentences", group=COMBINED, statistic=SLD)
    if not rows or signed is None:
        return None
    model = signed.models
    asld = ", ".join(f"{category} {with_interval(rows[category])}" for category in CATEGORIES)
    told = f"{model}: ASLD {asld}. The stereotyped side is likelier by {with_interval(signed)}"
    samples = rows_of(table, "samples", models=model)
    if samples:
        wide = {
            size: max(row.highest - row.lowest for row in samples if row.sentences == size)
            for size in sorted({row.sentences for row in samples})
        }
        told += ". Five samples of one size lie apart by up to " + ", ".join(
            f"{width:.2f} ({size:.0f} pairs)" for size, width in wide.items()
        )
        told += (
            "; the intervals over pairs are what to trust, since large samples of one list share most pairs"
        )
    return Answer(
        "RQ1. How can the different types of gender bias in a masked language model be measured?",
        "by ASLD, the mean |PLL(S) - PLL(S')| over 100 sentence pairs of each type; it changes little from 60 pairs on",
        f"{told}.",
    )


def _models(table: pd.DataFrame) -> Answer | None:
    rows = sorted(
        rows_of(table, "sentences", group=COMBINED, statistic=ASLD), key=lambda row: float(row.value)
    )
    if not rows:
        return None
    told = "; ".join(f"{row.models} {with_interval(row)}" for row in rows)
    if len(rows) == 1:
        told = f"one model was asked, so there is nothing to rank: {told}"
    return Answer(
        "RQ2. Which model has the least gender bias, and which the most?",
        "RoBERTa large the least (combined ASLD 3.21), BERT large the most (4.58)",
        f"{told}.",
    )


def _corpora(table: pd.DataFrame) -> Answer | None:
    steps = [("as it is", one_of(table, "untrained", group=COMBINED, statistic=ASLD))]
    for corpus, name in (
        ("none", "after swapped GAP"),
        ("jigsaw:toxic", "then toxic comments"),
        ("jigsaw:severe_toxic", "then severely toxic ones"),
    ):
        steps.append((name, one_of(table, "corpora", group=COMBINED, statistic=ASLD, corpus=corpus)))
    known = [(name, row) for name, row in steps if row is not None]
    if len(known) < 2:
        return None
    told = ", ".join(f"{name} {with_interval(row)}" for name, row in known)
    lacking = [name for name, row in steps if row is None]
    return Answer(
        "RQ3. How can gender bias in a corpus be measured without labels made by hand?",
        "by the ASLD of a debiased model that was trained on it: 2.60 debiased, 4.14 on toxic, 4.41 on severely toxic "
        "comments (BERT itself 4.05)",
        f"combined ASLD {told}" + (f"; not measured: {', '.join(lacking)}." if lacking else "."),
    )


def _swapping(table: pd.DataFrame) -> Answer | None:
    change = one_of(table, "after", text="gap", variant="corrected", group="all", statistic=CHANGE)
    kept = one_of(table, "after", text="gap", variant="corrected", statistic=LEAN_KEPT)
    line = one_of(table, "after", text="gap", variant="corrected", group="all", statistic=SLOPE)
    if change is None or kept is None or line is None:
        return None
    return Answer(
        "RQ4. How well does swapped text debias BERT, and does it then take he and she for alike whatever the context?",
        "professions lean less, but so do words that are bound to a gender: pronouns are merely held for equal",
        f"mean |APPD| of professions changed by {change.value:.0f} % [{change.ci_low:.0f}, {change.ci_high:.0f}]; "
        f"gender-related words kept {100 * kept.value:.0f} % of their lean [{100 * kept.ci_low:.0f}, "
        f"{100 * kept.ci_high:.0f}]. {line.note}",
    )


def _rate(table: pd.DataFrame) -> Answer | None:
    line = one_of(table, "after", text="mt-gender", variant="corrected", group="all", statistic=SLOPE)
    if line is None:
        return None
    return Answer(
        "Figures 8 to 10. Does training on MT Gender lower APPD at one rate, in the text or not?",
        "yes: APPD after training is a linear function of that before",
        str(line.note),
    )


def _reminders(table: pd.DataFrame) -> Answer | None:
    told = []
    for word in TABLE_5:
        rows = [
            one_of(table, "before", group=word, variant="corrected"),
            one_of(table, "after", group=word, variant="corrected", text="gap", statistic=APPD),
            *(
                one_of(table, "remind", group=word, variant="corrected", copies=copies)
                for copies in (1, 2, 3)
            ),
        ]
        if all(row is not None for row in rows[2:]):
            told.append(f"{word} " + ", ".join("-" if row is None else f"{row.value:.2f}" for row in rows))
    if not told:
        return None
    return Answer(
        "Table 5. Do reminders bring gender-related words back?",
        "yes, the more the better; in the table 50 of them do not help yet, 100 and 150 do",
        f"APPD as it is, after swapped GAP, and with 1, 2 and 3 x 50 reminders: {'; '.join(told)}.",
    )


def _more_text(table: pd.DataFrame) -> Answer | None:
    points = [point for point in curve(table) if point.category == COMBINED]
    if len(points) < 2:
        return None
    told = ", ".join(
        f"{point.mean:.2f} [{point.low:.2f}, {point.high:.2f}] ({point.sentences})" for point in points
    )
    return Answer(
        "Figure 13. Would more swapped text help?",
        "no: ASLD falls up to 4,000 sentences and stagnates from 6,000 on",
        f"combined ASLD by number of sentences: {told}.",
    )
