"""The paper's tables from rows of the study, published or measured alike."""

from __future__ import annotations

import pandas as pd

from counterpoise import stats
from counterpoise.studies.papers.jentzsch2022.published import BIAS_TESTS, CORRELATION_TESTS
from counterpoise.studies.papers.jentzsch2022.study_rows import TERMS, TREATMENTS, nine, records
from counterpoise.studies.replication.findings import Table, Value

COLUMNS = {
    "absolute": "absolute_nonzero",
    "total": "total_nonzero",
    "accuracy": "accuracy",
    "f1": "f1",
}
# Of the total bias over all reviews; the paper has none of these.
_MEASURED = {
    "ci_low": "95 % from",
    "ci_high": "to",
    "effect_size": "effect size r",
    "smallest_detectable": "could see",
}
_SEVERAL = ("seed",)  # shown where there is more than one


def significance(p_values: pd.Series) -> list[str]:
    """The paper's stars after Bonferroni's correction: by 64 as the authors did, or by the tests if these are more."""
    factor = max(BIAS_TESTS, len(p_values))
    return [stats.stars(p) for p in stats.adjust(p_values.to_numpy(float), "bonferroni", factor)]


def table_1(rows: pd.DataFrame, name: str, title: str) -> Table:
    """Absolute and total bias over reviews whose bias is not zero; in brackets where it is not significant."""
    rows = nine(rows)
    rows = rows.assign(star=significance(rows.p_value))
    sets = [(terms, treatment) for terms in TERMS for treatment in TREATMENTS.values()]
    lines: list[list[Value]] = []
    for keys, some in rows.groupby(["base", "seed"], sort=False):
        found = {(row.terms, row.treatment): row for row in records(some)}
        for kind in ("absolute", "total"):
            cells = [_bracketed(found[one], COLUMNS[kind]) if one in found else None for one in sets]
            lines.append([*_named(keys, rows), kind, *cells])
    columns = [*_heads(rows), "bias", *(f"{terms} {treatment}" for terms, treatment in sets)]
    note = "Means over reviews whose bias is not zero, as in the paper; in brackets where p, corrected, is .05 or more."
    return Table(name, title, columns, lines, decimals=4, note=note)


def over_seeds(rows: pd.DataFrame, name: str, title: str) -> Table:
    """Each row of table 1 as the mean of several trainings, and how far these lie apart."""
    lines: list[list[Value]] = []
    for (base, terms, treatment), some in nine(rows).groupby(["base", "terms", "treatment"], sort=False):
        total, absolute = some.total_nonzero, some.absolute_nonzero
        means = [absolute.mean(), absolute.std(), total.mean(), total.std(), total.min(), total.max()]
        lines.append([str(base), f"{treatment}-{terms}", len(some), *means, some.accuracy.mean()])
    columns = [
        "base",
        "condition",
        "seeds",
        "absolute",
        "sd, absolute",
        "total",
        "sd, total",
        "lowest",
        "highest",
        "accuracy",
    ]
    note = "The biases of table 1: mean over seeds and standard deviation between them; the lowest and highest total."
    return Table(name, title, columns, lines, decimals=4, note=note)


def table_3(rows: pd.DataFrame, name: str, title: str) -> Table:
    """Biases over all reviews and over those not at zero, with counts in columns that are named rightly."""
    rows = nine(rows)
    columns = ["absolute_nonzero", "total_nonzero", "absolute", "total", "below", "above", "zero"]
    more = [column for column in _MEASURED if column in rows]
    lines: list[list[Value]] = [
        [
            *_named((row.base, row.seed), rows),
            f"{row.treatment}-{row.terms}",
            *(getattr(row, column) for column in columns),
            star,
            *(getattr(row, column) for column in more),
        ]
        for row, star in zip(records(rows), significance(rows.p_value), strict=True)
    ]
    heads = [*_heads(rows), "condition", "abs, not zero", "tot, not zero", "abs, all", "tot, all"]
    note = "In the paper the last three headers are N < 0, N = 0, N > 0; the columns are N < 0, N > 0, N = 0."
    heads += ["N < 0", "N > 0", "N = 0", "p", *(_MEASURED[column] for column in more)]
    return Table(name, title, heads, lines, decimals=4, note=note)


def table_5(rows: pd.DataFrame, name: str, title: str) -> Table:
    """Accuracy on test reviews treated like those trained on; recall, precision and F1 are of the negative label."""
    figures = ["accuracy", "recall", "precision", "f1"]
    shown = [column for column in (*figures, "accuracy_64") if column in rows]
    once = nine(rows).drop_duplicates(["base", "seed", "condition"])
    lines: list[list[Value]] = [
        [*_named((row.base, row.seed), once), row.condition, *(getattr(row, column) for column in shown)]
        for row in records(once)
    ]
    heads = [{"accuracy_64": "accuracy at 64 tokens"}.get(column, column) for column in shown]
    note = (
        "Recall, precision and F1 are those of the negative label, which the paper does not say. "
        "The authors' code reads 64 tokens of a review here, and 512 everywhere else. The paper's figures are rounded "
        "twice and may differ by .001."
    )
    return Table(name, title, [*_heads(once), "condition", *heads], lines, note=note)


def correlations(rows: pd.DataFrame) -> pd.DataFrame:
    """The pairs of table 2: x, y, r, interval, p, p corrected by Bonferroni's factor of 21, n.

    The authors round p to five decimals before they correct it, which changes no star.
    """
    rows = nine(rows)
    table = pd.DataFrame({name: rows[column].astype(float) for name, column in COLUMNS.items()})
    return stats.correlation_table(table, correction="bonferroni", factor=CORRELATION_TESTS)


def table_2(rows: pd.DataFrame, name: str, title: str) -> Table:
    """Pearson's correlations of biases, accuracy and F1."""
    lines: list[list[Value]] = [
        [f"{row.x}, {row.y}", row.r, row.low, row.high, row.p_adjusted, stats.stars(row.p_adjusted), row.n]
        for row in records(correlations(rows))
    ]
    columns = ["pair", "r", "95 % from", "to", "p (Bonferroni, 21)", "stars", "n"]
    note = "Biases are those over reviews not at zero. Rows of one base model are not independent, which p ignores."
    return Table(name, title, columns, lines, note=note)


def _bracketed(row: object, column: str) -> str:
    text = f"{getattr(row, column):.4f}"
    return text if getattr(row, "star", "") else f"({text})"


def _heads(rows: pd.DataFrame) -> list[str]:
    return ["base", *(name for name in _SEVERAL if len(set(rows[name])) > 1)]


def _named(keys: tuple[object, ...], rows: pd.DataFrame) -> list[Value]:
    base, seed = keys
    return [str(base), int(str(seed))] if len(set(rows.seed)) > 1 else [str(base)]
