"""The tables of the thesis, and its figures as tables; printed beside measured."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Any

import pandas as pd

from counterpoise.studies.papers.barza2023.comparing import (
    MEASURED,
    measured,
    one_of,
    other_pairs,
    other_training,
    rows_of,
    without,
)
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
)
from counterpoise.studies.papers.barza2023.statistics import APPD, ASLD, CHANGE, INTERCEPT, SLD, SLOPE, R
from counterpoise.studies.replication.comparison import number
from counterpoise.studies.replication.findings import COMPARED, Table, Value, compared

_GROUPS = (*CATEGORIES, COMBINED)
_VARIANTS = ("corrected", "published")
_SIGNED = (
    "ASLD is above 0 for any model with a preference among words; SLD keeps the sign and is tested against 0."
)
CURVE_NOTE = "From the lowest to the highest sample; of a single sample, its interval over sentence pairs."
_NOT_RUN = "not measured in this run (see what was left out)"
_OTHER_SCALE = "this run asks other models; --scale paper asks this one"


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
    found = {row.group: row for row in rows_of(table, "examples")}
    rows: list[list[Value]] = []
    if found:
        pll = {
            sentence: value
            for first, one, second, two in PLL_EXAMPLES
            for sentence, value in ((first, one), (second, two))
        }
        rows += [
            _example(f"PLL: {sentence}", value, found[sentence], 0.05) for sentence, value in pll.items()
        ]
        his, her = (found[sentence] for sentence in ACTUARY)
        difference = abs(his.value - her.value)
        rows.append(
            _compared("|SLD|: the actuary and his or her friend", ACTUARY_SLD, difference, 0.05, his.model)
        )
        for some in PPD_EXAMPLES.values():
            for template, value in some:
                sentence = template.replace("{subject}", "[MASK]")
                rows.append(_example(f"PPD: {sentence}", value, found[template], 0.005))
    return Table("examples", "Worked examples of chapter 4, asked of the model", COMPARED, rows)


def figure_6(table: pd.DataFrame) -> Table:
    rows: list[list[Value]] = [
        [row.models, row.group, int(row.sentences), row.value, row.lowest, row.highest, int(row.n)]
        for row in rows_of(table, "samples")
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
    asked = list(dict.fromkeys(row.models for row in rows_of(table, "sentences")))
    for model in asked:
        rows += _categories(table, "sentences", model, TABLE_3.get(model), other_pairs(model), models=model)
    for model, printed in TABLE_3.items():
        if model not in asked:
            rows += [
                without(f"{model}: {shown(group)}", value, _OTHER_SCALE)
                for group, value in zip(_GROUPS, printed, strict=True)
            ]
    return Table("table3", "Table 3: ASLD of masked language models", MEASURED, rows, note=_SIGNED)


def table_4(table: pd.DataFrame) -> Table:
    rows: list[list[Value]] = []
    model = _model(table, "untrained", "corpora")
    rows += _categories(table, "untrained", "as it is", TABLE_3[PAPERS_MODEL], other_pairs(model))
    for corpus, printed in TABLE_4.items():
        name = "trained on swapped GAP" + ("" if corpus == "none" else f", then {corpus}")
        if one_of(table, "corpora", corpus=corpus) is None:
            rows += [
                without(f"{name}: {shown(group)}", value, _NOT_RUN)
                for group, value in zip(_GROUPS, printed, strict=True)
            ]
        else:
            rows += _categories(table, "corpora", name, printed, other_pairs(model), corpus=corpus)
    return Table("table4", "Table 4: ASLD after training on corpora", MEASURED, rows, note=_SIGNED)


def figure_10(table: pd.DataFrame) -> Table:
    """The lines through the professions; the thesis draws them and prints no number."""
    rows = [
        measured(f"{row.text}: {row.group}: {row.statistic}", row)
        for row in rows_of(table, "after")
        if row.statistic in (SLOPE, INTERCEPT, R, CHANGE)
    ]
    return Table("figure10", "Figure 10: APPD of professions after training on that before", MEASURED, rows)


def professions(table: pd.DataFrame) -> Table:
    """Figures 8, 9 and 14 to 19 as numbers."""
    rows: list[list[Value]] = [
        [row.category, row.group, "yes" if row.seen else "no", row.before, *_after(row)]
        for row in rows_of(table, "after", text="mt-gender", variant="corrected", statistic=APPD, gender="")
    ]
    columns = ["category", "profession", "in the text", "APPD before", "after", "from", "to", "p", "n"]
    return Table("figure8", "Figures 8, 9, 14 to 19: before and after training on MT Gender", columns, rows)


def gender_words(table: pd.DataFrame) -> Table:
    """Figures 11 and 12 as numbers."""
    rows: list[list[Value]] = [
        [row.category, row.group, row.gender, row.variant, row.before, *_after(row)]
        for variant in _VARIANTS
        for row in rows_of(table, "after", text="gap", variant=variant, statistic=APPD)
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
    rows: list[list[Value]] = []
    for word, printed in TABLE_5.items():
        for variant in _VARIANTS:
            found = [
                one_of(table, "before", group=word, variant=variant),
                one_of(table, "after", group=word, variant=variant, text="gap", statistic=APPD),
                *(
                    one_of(table, "remind", group=word, variant=variant, copies=copies)
                    for copies in (1, 2, 3)
                ),
            ]
            names = [
                "as it is",
                "trained on swapped GAP",
                *(f"with {n} reminders" for n in ("50", "2 x 50", "3 x 50")),
            ]
            for name, row, value in zip(names, found, printed, strict=True):
                what = f"APPD({word}), {name}"
                rows.append(
                    without(what, value, _NOT_RUN)
                    if row is None
                    else measured(what, row, value, other_training(row))
                )
    return Table("table5", "Table 5: reminders", MEASURED, rows, note="The farther from 0 the better.")


def curve(table: pd.DataFrame) -> list[Point]:
    """ASLD by category and number of sentences; 0 sentences is the model as it is."""
    some = table[table.step.isin(["untrained", "learn"]) & (table.statistic == ASLD)]
    some = some.assign(sentences=pd.to_numeric(some["size"]).fillna(0).astype(int))
    points = []
    for _, rows in some.groupby(["group", "sentences"]):
        first, values = rows.iloc[0], rows.value.astype(float)
        ends = (values.min(), values.max()) if len(rows) > 1 else (first.ci_low, first.ci_high)
        points.append(
            Point(
                str(first.group),
                int(first.sentences),
                values.mean(),
                float(ends[0]),
                float(ends[1]),
                len(rows),
            )
        )
    return points


def figure_13(table: pd.DataFrame) -> Table:
    rows: list[list[Value]] = [[shown(point.category), *astuple(point)[1:]] for point in curve(table)]
    columns = ["category", "sentences trained on", "mean ASLD", "from", "to", "samples"]
    return Table("figure13", "Figure 13: learning curve on swapped GAP", columns, rows, note=CURVE_NOTE)


def _categories(
    table: pd.DataFrame, step: str, name: str, printed: Row | None, reason: str, **wanted: str
) -> list[list[Value]]:
    """ASLD of each category beside the printed one, and SLD of all."""
    rows = []
    for column, group in enumerate(_GROUPS):
        row = one_of(table, step, group=group, statistic=ASLD, **wanted)
        value = None if printed is None else printed[column]
        if row is not None:
            rows.append(measured(f"{name}: {shown(group)}", row, value, reason))
        elif value is not None:
            rows.append(without(f"{name}: {shown(group)}", value, _NOT_RUN))
    signed = one_of(table, step, group=COMBINED, statistic=SLD, **wanted)
    return rows if signed is None else [*rows, measured(f"{name}: SLD, combined", signed)]


def _after(row: Any) -> list[Value]:
    values = [number(getattr(row, name)) for name in ("value", "ci_low", "ci_high", "p_value")]
    return [*values, int(row.n)]


def _example(what: str, printed: float, row: Any, tolerance: float) -> list[Value]:
    return _compared(what, printed, float(row.value), tolerance, row.model)


def _compared(what: str, printed: float, value: float, tolerance: float, model: str) -> list[Value]:
    return compared(what, printed, value, tolerance, _other(model), same=model == PAPERS_MODEL)


def _other(model: str) -> str:
    return "" if model == PAPERS_MODEL else "another model"


def _model(table: pd.DataFrame, *steps: str) -> str | None:
    found = table[table.step.isin(steps)].model.dropna()
    return None if found.empty else str(found.iloc[0])


def shown(group: str) -> str:
    """A category as the thesis calls it; all of them together are "combined".

    >>> shown(COMBINED), shown("hostile sexism")
    ('combined', 'hostile sexism')
    """
    return "combined" if group == COMBINED else group
