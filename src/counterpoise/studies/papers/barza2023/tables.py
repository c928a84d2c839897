"""The tables of the thesis, and its figures as tables; printed beside measured."""

from __future__ import annotations

from typing import Any

import pandas as pd

from counterpoise.studies.papers.barza2023.published import (
    ACTUARY,
    ACTUARY_SLD,
    CATEGORIES,
    COMBINED,
    PAPERS_MODEL,
    PLL_EXAMPLES,
    PPD_EXAMPLES,
    TABLE_3,
    TABLE_4,
    TABLE_5,
    Row,
    shown,
)
from counterpoise.studies.papers.barza2023.statistics import (
    APPD,
    ASLD,
    BALANCED_SLD,
    CHANGE,
    INTERCEPT,
    PLL,
    PPD,
    SHIFT,
    SLD,
    SLOPE,
    R,
)
from counterpoise.studies.papers.barza2023.training import BOUND_WORDING, GAP
from counterpoise.studies.replication.comparison import (
    OTHER_MODEL,
    ComparedLine,
    MeasuredLines,
    compared,
    number,
    table_of_lines,
    why_different,
)
from counterpoise.studies.replication.findings import Table, Value
from counterpoise.studies.replication.study_table import first_row, rows_of, select

LINES = MeasuredLines(
    without=("recipe", "effect size"), tolerance=5e-3, kind=ASLD
)  # two decimals are printed
_GROUPS = (*CATEGORIES, COMBINED)
_VARIANTS = ("corrected", "published")
_SIGNED = (
    "ASLD is above 0 for any model with a preference among words. SLD keeps the sign and is tested against 0; "
    "balanced, stereotypes about women and about men weigh alike, so that a general preference for male or female "
    "words cancels out."
)
CURVE_NOTE = "Interval over samples and sentence pairs; with a single sample, over pairs."
_NOT_RUN = "not measured in this run (see what was left out)"
_OTHER_SCALE = "this run asks other models; --scale paper asks this one"
_OUR_PAIRS = "the pairs are our own, the thesis's are not public"


def examples(table: pd.DataFrame) -> Table:
    """The worked examples, asked of the model: the thesis prints one or two digits."""
    measured = {row.group: row for row in rows_of(table, step="examples")}
    rows: list[ComparedLine] = []
    if measured:
        rows += [
            _example(f"PLL: {sentence}", printed, measured[sentence], 0.05, PLL)
            for first, first_pll, second, second_pll in PLL_EXAMPLES
            for sentence, printed in ((first, first_pll), (second, second_pll))
        ]
        his, her = (measured[sentence] for sentence in ACTUARY)
        difference = abs(his.value - her.value)
        rows.append(
            _compared(
                "|SLD|: the actuary and his or her friend", ACTUARY_SLD, difference, 0.05, his.model, PLL
            )
        )
        rows += [
            _example(
                f"PPD: {template.replace('{subject}', '[MASK]')}", printed, measured[template], 0.005, PPD
            )
            for templates in PPD_EXAMPLES.values()
            for template, printed in templates
        ]
    return table_of_lines("examples", "Worked examples of chapter 4, asked of the model", rows)


def figure_6(table: pd.DataFrame) -> Table:
    rows: list[list[Value]] = [
        [row.models, row.group, int(row.sentences), row.value, row.lowest, row.highest, int(row.n)]
        for row in rows_of(table, step="samples")
    ]
    return Table(
        "figure6",
        "Figure 6: ASLD of random samples of the sentence pairs",
        ["model", "category", "pairs in a sample", "mean", "lowest", "highest", "samples"],
        rows,
        note="Samples without replacement from some 115 pairs overlap more the larger they are, so that their spread "
        "must shrink, whatever the model. The interval in table 3 shows how certain ASLD is.",
    )


def table_3(table: pd.DataFrame) -> Table:
    rows: list[ComparedLine] = []
    models = list(dict.fromkeys(row.models for row in rows_of(table, step="sentences")))
    for model in models:
        pairs = select(table, step="sentences", models=model)
        rows += _categories(pairs, model, TABLE_3.get(model), _other_pairs(model))
    for model, printed in TABLE_3.items():
        if model not in models:
            rows += _not_measured(model, printed, _OTHER_SCALE)
    return LINES.table("table3", "Table 3: ASLD of masked language models", rows, note=_SIGNED)


def table_4(table: pd.DataFrame) -> Table:
    models = table[table.step.isin(["untrained", "debiased", "corpora"])].model.dropna()
    reason = _other_pairs(None if models.empty else str(models.iloc[0]))
    measured = levels(table)
    rows = _categories(select(measured, step="untrained"), "as it is", TABLE_3[PAPERS_MODEL], reason)
    gap, learned = select(measured, step="debiased"), select(measured, step="corpora")
    rows += _categories(gap, f"swapped GAP{_size(gap)}", TABLE_4["none"], reason)
    for corpus in dict.fromkeys([*TABLE_4, *learned.corpus.dropna()]):
        if corpus != "none":
            of_corpus = select(learned, corpus=corpus)
            name = f"swapped GAP, then {corpus}{_size(of_corpus)}"
            rows += _categories(of_corpus, name, TABLE_4.get(corpus), reason)
    return LINES.table("table4", "Table 4: ASLD after training on corpora", rows, note=_SIGNED)


def figure_10(table: pd.DataFrame) -> Table:
    """The lines through the professions; the thesis draws them and prints no number."""
    rows = [
        LINES.measured(f"{row.text}: {row.group}: {row.statistic}", row)
        for row in rows_of(table[table.step.isin(["professions", "swapping"])])
        if row.statistic in (SLOPE, INTERCEPT, R, SHIFT, CHANGE)
    ]
    return LINES.table(
        "figure10",
        "Figure 10: APPD of professions after training on that before",
        rows,
        note="Means over training seeds, intervals over professions and seeds.",
    )


def table_5(table: pd.DataFrame) -> Table:
    names = (
        "as it is",
        "trained on swapped GAP",
        *(f"with {n} reminders" for n in ("50", "2 x 50", "3 x 50")),
    )
    rows: list[ComparedLine] = []
    for word, printed in TABLE_5.items():
        for variant in _VARIANTS:
            for name, row, value in zip(names, reminder_rows(table, word, variant), printed, strict=True):
                what = f"APPD({word}), {name}"
                rows.append(
                    LINES.not_measured(what, value, _NOT_RUN, kind=APPD)
                    if row is None
                    else LINES.measured(what, row, value, _other_training(row), kind=APPD)
                )
    return LINES.table(
        "table5",
        "Table 5: reminders",
        rows,
        note="The farther below 0 the better. Only the comparison with the control sentences tells what is due to the "
        "reminded word.",
    )


def reminder_rows(table: pd.DataFrame, word: str, variant: str) -> list[Any | None]:
    """APPD of a word as the model is, after swapped GAP, and with reminders added once, twice, three times."""
    of_word = select(levels(table), group=word, variant=variant, statistic=APPD)
    reminded = select(of_word, step="reminded", word=word, wording=BOUND_WORDING)
    return [
        first_row(of_word, step="before"),
        first_row(of_word, step="swapping", text=GAP),
        *(first_row(reminded, copies=copies) for copies in (1, 2, 3)),
    ]


def levels(table: pd.DataFrame) -> pd.DataFrame:
    """The rows about single models; the others compare two."""
    return table[table.compared.isna()]


def curve(table: pd.DataFrame) -> list[Any]:
    """ASLD by category and number of sentences; 0 sentences is the model as it is."""
    return rows_of(levels(table), step="curve", statistic=ASLD)


def figure_13(table: pd.DataFrame) -> Table:
    rows: list[list[Value]] = [
        [
            shown(row.group),
            int(row.sentences),
            row.value,
            number(row.ci_low),
            number(row.ci_high),
            int(row.seeds),
        ]
        for row in curve(table)
    ]
    columns = ["category", "sentences trained on", "ASLD", "from", "to", "samples"]
    return Table("figure13", "Figure 13: learning curve on swapped GAP", columns, rows, note=CURVE_NOTE)


def _categories(rows: pd.DataFrame, name: str, printed: Row | None, reason: str) -> list[ComparedLine]:
    """ASLD of each category beside the printed one, and SLD of all."""
    lines = []
    for column, group in enumerate(_GROUPS):
        row = first_row(rows, group=group, statistic=ASLD)
        value = None if printed is None else printed[column]
        if row is not None:
            lines.append(LINES.measured(f"{name}: {shown(group)}", row, value, reason))
        elif value is not None:
            lines.append(LINES.not_measured(f"{name}: {shown(group)}", value, _NOT_RUN))
    for statistic in (BALANCED_SLD, SLD):
        signed = first_row(rows, group=COMBINED, statistic=statistic)
        if signed is not None:
            lines.append(LINES.measured(f"{name}: {statistic}, combined", signed))
    return lines


def _size(rows: pd.DataFrame) -> str:
    """How many sentences were trained on, and how often."""
    if rows.empty:
        return ""
    return f" ({int(rows.sentences.iloc[0]):,} sentences, {int(rows.seeds.iloc[0])} seeds)"


def _not_measured(name: str, printed: Row, reason: str) -> list[ComparedLine]:
    return [
        LINES.not_measured(f"{name}: {shown(group)}", value, reason)
        for group, value in zip(_GROUPS, printed, strict=True)
    ]


def _example(what: str, printed: float, row: Any, tolerance: float, kind: str) -> ComparedLine:
    return _compared(what, printed, float(row.value), tolerance, row.model, kind)


def _compared(
    what: str, printed: float, value: float, tolerance: float, model: str, kind: str
) -> ComparedLine:
    same = model == PAPERS_MODEL
    return compared(what, printed, value, tolerance, "" if same else OTHER_MODEL, same, kind=kind)


def _other_pairs(model: str | None) -> str:
    """Why an ASLD is not the printed one."""
    return _OUR_PAIRS if model == PAPERS_MODEL else f"{OTHER_MODEL}; {_OUR_PAIRS}"


def _other_training(row: Any) -> str:
    """Why an APPD is not the printed one."""
    corrected, published = "corrected (docs/replication/barza2023.md)", "a training of our own"
    return why_different(row.model, PAPERS_MODEL, row.variant, corrected, published)
