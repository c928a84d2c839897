"""The four research questions of the thesis and the claims of its figures, answered from what was measured."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd

from counterpoise.core.numbers import decimal_text, p_equals
from counterpoise.mitigate.evaluation.generalisation import PARTS
from counterpoise.studies.papers.barza2023 import verdicts
from counterpoise.studies.papers.barza2023.published import CATEGORIES, COMBINED
from counterpoise.studies.papers.barza2023.reminder_answer import reminders_answer
from counterpoise.studies.papers.barza2023.statistics import (
    ABOUT,
    ASLD,
    BALANCED_SLD,
    BOUND,
    CHANGE,
    LEAN_KEPT,
    MEAN_ABSOLUTE_APPD,
    MEAN_APPD,
    MEAN_LEAN,
    NET,
    OVER_CONTROL,
    SINCE_FEWER,
    SINCE_UNTRAINED,
    SLD,
    SLOPE,
    SWAPPED,
    UNSWAPPED,
)
from counterpoise.studies.papers.barza2023.tables import curve, levels
from counterpoise.studies.papers.barza2023.training import GAP, MT_GENDER, UNSWAPPED_GAP
from counterpoise.studies.papers.barza2023.wording import difference_text, excludes_zero, seeds_text
from counterpoise.studies.replication.findings import PaperAnswer
from counterpoise.studies.replication.study_table import ALPHA, first_row, rows_of, select, with_interval


def answers(table: pd.DataFrame) -> Iterator[PaperAnswer | None]:
    """One answer for each question; None where nothing was measured about it."""
    yield _measuring(table)
    yield _models(table)
    yield _corpora(table)
    yield _swapping(table)
    yield _rate(table)
    yield reminders_answer(table)
    yield _more_text(table)


def _measuring(table: pd.DataFrame) -> PaperAnswer | None:
    balanced = first_row(table, step="sentences", group=COMBINED, statistic=BALANCED_SLD)
    if balanced is None:
        return None
    model = balanced.models
    of_model = select(table, step="sentences", models=model)
    asld, signed = (
        ", ".join(
            f"{row.group} {with_interval(row)}"
            for category in CATEGORIES
            for row in rows_of(of_model, group=category, statistic=statistic)
        )
        for statistic in (ASLD, BALANCED_SLD)
    )
    parts = [
        f"{model}: SLD balanced over stereotypes about women and about men is {with_interval(balanced, sign=True)}"
        f"{_tested(balanced)}: {_preference(balanced)}. By category: {signed}.",
        _general_preference(of_model),
        f"ASLD, which any preference among words raises: {asld}.",
        _sample_spread(rows_of(table, step="samples", models=model)),
    ]
    return PaperAnswer(
        "RQ1. How can the different types of gender bias in a masked language model be measured?",
        verdicts.measuring(balanced),
        "by ASLD, the mean |PLL(S) - PLL(S')| over 100 sentence pairs of each type; it changes little from 60 pairs on",
        " ".join(filter(None, parts)),
    )


def _preference(balanced: Any) -> str:
    if not excludes_zero(balanced):
        return "whether it prefers stereotypes is inconclusive"
    return f"it finds {'stereotypes' if balanced.value > 0 else 'the opposite of stereotypes'} likelier"


def _general_preference(of_model: pd.DataFrame) -> str:
    """What the balanced SLD leaves out: the side that is likelier whomever the stereotype is about."""
    women, men, plain = (first_row(of_model, group=group, statistic=SLD) for group in (*ABOUT, COMBINED))
    if women is None or men is None or plain is None:
        return ""
    text = f"Of pairs about women SLD is {with_interval(women)}, of pairs about men {with_interval(men)}"
    if women.ci_high < men.ci_low or men.ci_high < women.ci_low:
        liked = "male" if men.value > women.value else "female"
        text += f": apart from stereotypes, it prefers {liked} words"
    return f"{text}. Over all pairs, {int(women.n)} of them about women, it is {with_interval(plain)}."


def _sample_spread(samples: list[Any]) -> str:
    if not samples:
        return ""
    wide = {
        size: max(row.highest - row.lowest for row in samples if row.sentences == size)
        for size in sorted({row.sentences for row in samples})
    }
    listed = ", ".join(f"{decimal_text(width, 2)} ({size:.0f} pairs)" for size, width in wide.items())
    return (
        f"Samples of one size lie apart by up to {listed}; the intervals over pairs are what to trust, since large "
        "samples of one list share most pairs."
    )


def _models(table: pd.DataFrame) -> PaperAnswer | None:
    rows = sorted(
        rows_of(table, step="sentences", group=COMBINED, statistic=ASLD), key=lambda row: float(row.value)
    )
    if not rows:
        return None
    ranking = "; ".join(f"{row.models} {with_interval(row)}" for row in rows)
    if len(rows) == 1:
        measured = f"one model was asked, so there is nothing to rank: {ranking}."
    else:
        measured = f"combined ASLD: {ranking}. {_models_that_differ(table)}"
    return PaperAnswer(
        "RQ2. Which model has the least gender bias, and which the most?",
        verdicts.models([row.models for row in rows], rows_of(table, step="compared", statistic=ASLD)),
        "RoBERTa large the least (combined ASLD 3.21), BERT large the most (4.58)",
        measured,
    )


def _models_that_differ(table: pd.DataFrame) -> str:
    """Which models differ, pair by pair."""
    parts = []
    for statistic in (ASLD, BALANCED_SLD):
        rows = rows_of(table, step="compared", statistic=statistic)
        differing = [row for row in rows if row.p_adjusted < ALPHA]
        listed = "; ".join(f"{row.compared} {with_interval(row, sign=True)}" for row in differing)
        parts.append(
            f"By {statistic}, {len(differing)} of {len(rows)} pairs of models differ on the same sentence pairs (Holm)"
            + (f": {listed}." if differing else ".")
        )
    return " ".join(parts)


def _corpora(table: pd.DataFrame) -> PaperAnswer | None:
    untrained = first_row(table, step="untrained", group=COMBINED, statistic=ASLD)
    after = first_row(levels(table), step="debiased", group=COMBINED, statistic=ASLD)
    if untrained is None or after is None:
        return None
    gap = select(table, step="debiased", group=COMBINED, statistic=ASLD)
    changes = [
        f"{name} {difference_text(row)}"
        for compared, name in (
            (SWAPPED, "a paired change of"),
            (UNSWAPPED, "unswapped GAP changes it by"),
            (NET, "the net effect of the swap is"),
        )
        if (row := first_row(gap, compared=compared)) is not None
    ]
    return PaperAnswer(
        "RQ3. How can gender bias in a corpus be measured without labels made by hand?",
        verdicts.corpora(rows_of(_of_corpora(table), compared=OVER_CONTROL)),
        "by the ASLD of a debiased model that was trained on it: 2.60 debiased, 4.14 on toxic, 4.41 on severely toxic "
        "comments (BERT itself 4.05); corpora of unequal size, one training each, no control",
        f"combined ASLD {with_interval(untrained)} as it is and {with_interval(after)} after "
        f"{int(after.sentences):,} sentences of swapped GAP, {'; '.join(changes)} ({seeds_text(after)}). "
        f"{_beside_control(_of_corpora(table))}",
    )


def _of_corpora(table: pd.DataFrame) -> pd.DataFrame:
    return select(table, step="corpora", group=COMBINED, statistic=ASLD)


def _beside_control(rows: pd.DataFrame) -> str:
    compared = rows_of(rows[rows.compared.notna()])
    if not compared:
        return "Corpora: not measured (see what was left out)."
    listed = "; ".join(
        f"{row.corpus if row.compared == OVER_CONTROL else row.compared} {difference_text(row)}"
        for row in compared
    )
    size = compared[0]
    return (
        f"Trained further on {int(size.sentences):,} sentences of each corpus or of neutral text ({seeds_text(size)}), "
        f"ASLD beyond the neutral text, and corpora compared: {listed}."
    )


def _swapping(table: pd.DataFrame) -> PaperAnswer | None:
    of_gap = select(table, step="swapping", text=GAP, variant="corrected")
    change = first_row(of_gap, group="all", statistic=CHANGE)
    kept = first_row(of_gap, statistic=LEAN_KEPT)
    line = first_row(of_gap, group="all", statistic=SLOPE)
    if change is None or kept is None or line is None:
        return None
    measured = (
        f"mean |APPD| of professions changed by {with_interval(change, 0, unit=' %')} ({seeds_text(line)}). "
        f"{line.note} {_swap_alone(table)}{BOUND} kept {100 * kept.value:.0f} % of their lean "
        f"[{100 * kept.ci_low:.0f}, {100 * kept.ci_high:.0f}]."
    )
    return PaperAnswer(
        "RQ4. How well does swapped text debias BERT, and does it then take he and she for alike whatever the context?",
        verdicts.swapping(*_net_rows(table)),
        "professions lean less, but so do words that are bound to a gender: the model merely treats the "
        "pronouns as interchangeable. No "
        "training on unswapped text is reported",
        measured,
    )


def _net_rows(table: pd.DataFrame) -> tuple[Any | None, Any | None]:
    """What the swap itself did to the mean |APPD| of professions, and to the lean of gender-related words."""
    net = select(table, step="swapping", compared=NET)
    return first_row(net, statistic=MEAN_ABSOLUTE_APPD), first_row(net, statistic=MEAN_LEAN)


def _swap_alone(table: pd.DataFrame) -> str:
    """The swap beside the control."""
    net = select(table, step="swapping", compared=NET)
    rows = [first_row(net, statistic=MEAN_APPD), *_net_rows(table)]
    control = first_row(
        table, step="swapping", text=UNSWAPPED_GAP, variant="corrected", group="all", statistic=CHANGE
    )
    if control is None or any(row is None for row in rows):
        return ""
    signed, absolute, lean = map(difference_text, rows)
    return (
        f"The same sentences unswapped changed mean |APPD| by {with_interval(control, 0, unit=' %')}; what the swap "
        f"itself did, swapped minus unswapped: APPD of professions {signed}; their mean |APPD| {absolute}; lean of "
        f"{BOUND} towards their own gender {lean}. In all, "
    )


def _rate(table: pd.DataFrame) -> PaperAnswer | None:
    of_text = select(table, step="professions", text=MT_GENDER, variant="corrected")
    line = first_row(of_text, group=PARTS[0], statistic=SLOPE)
    if line is None:
        return None
    changes = (first_row(of_text, group=part, statistic=CHANGE) for part in PARTS[1:])
    return PaperAnswer(
        "Figures 8 to 10. Does training on MT Gender lower APPD at one rate, in the text or not?",
        verdicts.rate(*changes),
        "yes: APPD after training is a linear function of that before",
        f"{line.note} ({seeds_text(line)})",
    )


def _more_text(table: pd.DataFrame) -> PaperAnswer | None:
    points = [row for row in curve(table) if row.group == COMBINED]
    if len(points) < 2:
        return None
    by_size = ", ".join(f"{with_interval(row)} ({int(row.sentences):,})" for row in points)
    differences = select(table, step="curve", group=COMBINED, statistic=ASLD)
    changes = [
        f"{name} {int(row.sentences):,} sentences {difference_text(row)}"
        for compared, name in (
            (SINCE_UNTRAINED, "since the model as it was, with"),
            (SINCE_FEWER, "since the size before, with"),
        )
        for row in rows_of(differences, compared=compared)[-1:]
    ]
    return PaperAnswer(
        "Figure 13. Would more swapped text help?",
        verdicts.more_text(next(iter(rows_of(differences, compared=SINCE_FEWER)[-1:]), None)),
        "no: ASLD falls up to 4,000 sentences and stagnates from 6,000 on",
        f"combined ASLD by number of sentences: {by_size}. Paired changes: {'; '.join(changes)}.",
    )


def _tested(row: Any) -> str:
    return "" if math.isnan(row.p_value) else f", {p_equals(row.p_value)}"
