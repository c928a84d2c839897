"""The tables of the thesis, and its figures as tables; printed beside measured."""

from __future__ import annotations

from dataclasses import astuple, dataclass
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
from counterpoise.studies.papers.barza2023.statistics import APPD, ASLD, CHANGE, INTERCEPT, SLD, SLOPE, R
from counterpoise.studies.replication.comparison import (
    COMPARED,
    OTHER_MODEL,
    MeasuredLines,
    compared,
    number,
    why_different,
)
from counterpoise.studies.replication.findings import Table, Value
from counterpoise.studies.replication.study_table import first_row, rows_of, select

LINES = MeasuredLines(without=("recipe", "effect size"), tolerance=5e-3)  # two decimals are printed
_GROUPS = (*CATEGORIES, COMBINED)
_VARIANTS = ("corrected", "published")
_SIGNED = (
    "ASLD is above 0 for any model with a preference among words; SLD keeps the sign and is tested against 0."
)
CURVE_NOTE = "From the lowest to the highest sample; of a single sample, its interval over sentence pairs."
_NOT_RUN = "not measured in this run (see what was left out)"
_OTHER_SCALE = "this run asks other models; --scale paper asks this one"
_OUR_PAIRS = "the pairs are our own, the thesis's are not public"


@dataclass(frozen=True)
class Point:
    """A point of the learning curve: mean ASLD of the samples, lowest and highest; of a single one its interval."""

    category: str
    sentences: int
    mean: float
    low: float
    high: float
    samples: int


def examples(table: pd.DataFrame) -> Table:
    """The worked examples, asked of the model: the thesis prints one or two digits."""
    measured = {row.group: row for row in rows_of(table, step="examples")}
    rows: list[list[Value]] = []
    if measured:
        rows += [
            _example(f"PLL: {sentence}", printed, measured[sentence], 0.05)
            for first, first_pll, second, second_pll in PLL_EXAMPLES
            for sentence, printed in ((first, first_pll), (second, second_pll))
        ]
        his, her = (measured[sentence] for sentence in ACTUARY)
        difference = abs(his.value - her.value)
        rows.append(
            _compared("|SLD|: the actuary and his or her friend", ACTUARY_SLD, difference, 0.05, his.model)
        )
        rows += [
            _example(f"PPD: {template.replace('{subject}', '[MASK]')}", printed, measured[template], 0.005)
            for templates in PPD_EXAMPLES.values()
            for template, printed in templates
        ]
    return Table("examples", "Worked examples of chapter 4, asked of the model", COMPARED, rows)


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
        "must shrink, whatever the model. How sure ASLD is tells its interval in table 3.",
    )


def table_3(table: pd.DataFrame) -> Table:
    rows: list[list[Value]] = []
    models = list(dict.fromkeys(row.models for row in rows_of(table, step="sentences")))
    for model in models:
        pairs = select(table, step="sentences", models=model)
        rows += _categories(pairs, model, TABLE_3.get(model), _other_pairs(model))
    for model, printed in TABLE_3.items():
        if model not in models:
            rows += _not_measured(model, printed, _OTHER_SCALE)
    return LINES.table("table3", "Table 3: ASLD of masked language models", rows, note=_SIGNED)


def table_4(table: pd.DataFrame) -> Table:
    models = table[table.step.isin(["untrained", "corpora"])].model.dropna()
    reason = _other_pairs(None if models.empty else str(models.iloc[0]))
    rows = _categories(select(table, step="untrained"), "as it is", TABLE_3[PAPERS_MODEL], reason)
    for corpus, printed in TABLE_4.items():
        name = "trained on swapped GAP" + ("" if corpus == "none" else f", then {corpus}")
        rows += _categories(select(table, step="corpora", corpus=corpus), name, printed, reason)
    return LINES.table("table4", "Table 4: ASLD after training on corpora", rows, note=_SIGNED)


def figure_10(table: pd.DataFrame) -> Table:
    """The lines through the professions; the thesis draws them and prints no number."""
    rows = [
        LINES.measured(f"{row.text}: {row.group}: {row.statistic}", row)
        for row in rows_of(table, step="after")
        if row.statistic in (SLOPE, INTERCEPT, R, CHANGE)
    ]
    return LINES.table("figure10", "Figure 10: APPD of professions after training on that before", rows)


def professions(table: pd.DataFrame) -> Table:
    """Figures 8, 9 and 14 to 19 as numbers."""
    rows: list[list[Value]] = [
        [row.category, row.group, "yes" if row.seen else "no", row.before, *_after(row)]
        for row in rows_of(
            table, step="after", text="mt-gender", variant="corrected", statistic=APPD, gender=""
        )
    ]
    columns = ["category", "profession", "in the text", "APPD before", "after", "from", "to", "p", "n"]
    return Table("figure8", "Figures 8, 9, 14 to 19: before and after training on MT Gender", columns, rows)


def gender_words(table: pd.DataFrame) -> Table:
    """Figures 11 and 12 as numbers."""
    rows: list[list[Value]] = [
        [row.category, row.group, row.gender, row.variant, row.before, *_after(row)]
        for variant in _VARIANTS
        for row in rows_of(table, step="after", text="gap", variant=variant, statistic=APPD)
        if row.gender
    ]
    columns = ["category", "word", "its gender", "variant", "APPD before", "after", "from", "to", "p", "n"]
    return Table(
        "figure11",
        "Figures 11 and 12: gender-related words before and after training on swapped GAP",
        columns,
        rows,
        note="Here a value far from 0 is right: below 0 for female words, above 0 for male ones.",
    )


def table_5(table: pd.DataFrame) -> Table:
    names = (
        "as it is",
        "trained on swapped GAP",
        *(f"with {n} reminders" for n in ("50", "2 x 50", "3 x 50")),
    )
    rows: list[list[Value]] = []
    for word, printed in TABLE_5.items():
        for variant in _VARIANTS:
            for name, row, value in zip(names, reminder_rows(table, word, variant), printed, strict=True):
                what = f"APPD({word}), {name}"
                rows.append(
                    LINES.not_measured(what, value, _NOT_RUN)
                    if row is None
                    else LINES.measured(what, row, value, _other_training(row))
                )
    return LINES.table("table5", "Table 5: reminders", rows, note="The farther from 0 the better.")


def reminder_rows(table: pd.DataFrame, word: str, variant: str) -> list[Any | None]:
    """APPD of a word as the model is, after swapped GAP, and with reminders added once, twice, three times."""
    of_word = select(table, group=word, variant=variant)
    return [
        first_row(of_word, step="before"),
        first_row(of_word, step="after", text="gap", statistic=APPD),
        *(first_row(of_word, step="remind", copies=copies) for copies in (1, 2, 3)),
    ]


def curve(table: pd.DataFrame) -> list[Point]:
    """ASLD by category and number of sentences; 0 sentences is the model as it is."""
    measured = table[table.step.isin(["untrained", "learn"]) & (table.statistic == ASLD)]
    measured = measured.assign(sentences=pd.to_numeric(measured["size"]).fillna(0).astype(int))
    points = []
    for _, rows in measured.groupby(["group", "sentences"]):
        first, values = rows.iloc[0], rows.value.astype(float)
        low, high = (values.min(), values.max()) if len(rows) > 1 else (first.ci_low, first.ci_high)
        points.append(
            Point(str(first.group), int(first.sentences), values.mean(), float(low), float(high), len(rows))
        )
    return points


def figure_13(table: pd.DataFrame) -> Table:
    rows: list[list[Value]] = [[shown(point.category), *astuple(point)[1:]] for point in curve(table)]
    columns = ["category", "sentences trained on", "mean ASLD", "from", "to", "samples"]
    return Table("figure13", "Figure 13: learning curve on swapped GAP", columns, rows, note=CURVE_NOTE)


def _categories(rows: pd.DataFrame, name: str, printed: Row | None, reason: str) -> list[list[Value]]:
    """ASLD of each category beside the printed one, and SLD of all."""
    lines = []
    for column, group in enumerate(_GROUPS):
        row = first_row(rows, group=group, statistic=ASLD)
        value = None if printed is None else printed[column]
        if row is not None:
            lines.append(LINES.measured(f"{name}: {shown(group)}", row, value, reason))
        elif value is not None:
            lines.append(LINES.not_measured(f"{name}: {shown(group)}", value, _NOT_RUN))
    signed = first_row(rows, group=COMBINED, statistic=SLD)
    return lines if signed is None else [*lines, LINES.measured(f"{name}: SLD, combined", signed)]


def _not_measured(name: str, printed: Row, reason: str) -> list[list[Value]]:
    return [
        LINES.not_measured(f"{name}: {shown(group)}", value, reason)
        for group, value in zip(_GROUPS, printed, strict=True)
    ]


def _after(row: Any) -> list[Value]:
    values = [number(getattr(row, name)) for name in ("value", "ci_low", "ci_high", "p_value")]
    return [*values, int(row.n)]


def _example(what: str, printed: float, row: Any, tolerance: float) -> list[Value]:
    return _compared(what, printed, float(row.value), tolerance, row.model)


def _compared(what: str, printed: float, value: float, tolerance: float, model: str) -> list[Value]:
    same = model == PAPERS_MODEL
    return compared(what, printed, value, tolerance, "" if same else OTHER_MODEL, same)


def _other_pairs(model: str | None) -> str:
    """Why an ASLD is not the printed one."""
    return _OUR_PAIRS if model == PAPERS_MODEL else f"{OTHER_MODEL}; {_OUR_PAIRS}"


def _other_training(row: Any) -> str:
    """Why an APPD is not the printed one."""
    corrected, published = "corrected (docs/replication/barza2023.md)", "a training of our own"
    return why_different(row.model, PAPERS_MODEL, row.variant, corrected, published)
