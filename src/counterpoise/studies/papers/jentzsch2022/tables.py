"""The paper's tables from rows of the study, published or measured alike."""

from __future__ import annotations

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.core.numbers import decimal_text
from counterpoise.studies.papers.jentzsch2022.chance import ANY_SEED, MARK, near_chance, with_chance
from counterpoise.studies.papers.jentzsch2022.published import BIAS_TESTS, CORRELATION_TESTS
from counterpoise.studies.papers.jentzsch2022.study_rows import TERMS, TREATMENTS, paper_rows, usual_batches
from counterpoise.studies.replication.findings import Table, Value
from counterpoise.studies.replication.study_table import rows_of

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
    "smallest_detectable": "minimum detectable",
}


def significance(p_values: pd.Series) -> list[str]:
    """The paper's stars after Bonferroni's correction: by 64 as the authors did, or by the tests if these are more."""
    factor = max(BIAS_TESTS, len(p_values))
    return [stats.stars(p) for p in stats.adjust(p_values.to_numpy(float), "bonferroni", factor)]


def table_1(rows: pd.DataFrame, name: str, title: str) -> Table:
    """Absolute and total bias over reviews whose bias is not zero; in brackets where it is not significant."""
    rows = paper_rows(rows)
    rows = rows.assign(star=significance(rows.p_value), mark=_marks(rows))
    sets = [(terms, treatment) for terms in TERMS for treatment in TREATMENTS.values()]
    lines: list[list[Value]] = []
    for keys, of_seed in rows.groupby(["base", "seed"], sort=False):
        by_set = {(row.terms, row.treatment): row for row in rows_of(of_seed)}
        for kind in ("absolute", "total"):
            cells = [_bracketed(by_set[key], COLUMNS[kind]) if key in by_set else None for key in sets]
            lines.append([*_named(keys, rows), kind, *cells])
    columns = [*_heads(rows), "bias", *(f"{terms} {treatment}" for terms, treatment in sets)]
    note = "Means over reviews whose bias is not zero, as in the paper; in brackets where p, corrected, is .05 or more."
    return Table(name, title, columns, lines, decimals=4, note=with_chance(note, rows))


def bases_table(rows: pd.DataFrame) -> Table | None:
    """The base models that were made for the study; None where there is none."""
    made = rows.drop_duplicates("base")
    made = made[made.layers.notna()]
    if made.empty:
        return None
    lines: list[list[Value]] = [
        [row.base, int(row.layers), int(row.parameters), int(row.base_steps), float(row.base_loss)]
        for row in rows_of(made)
    ]
    columns = ["base", "layers", "parameters", "steps of further training", "mean training loss"]
    note = (
        "All or every second layer of the built-in model, trained further on the training reviews without labels, "
        "alike for both. Mean training loss: of masked words, over the whole run, on the texts that it was trained on."
    )
    return Table("bases", "Base models of two sizes", columns, lines, note=note)


def over_seeds(rows: pd.DataFrame) -> Table | None:
    """Each row of table 1 as the mean of several training runs, and how far these lie apart; None with one seed."""
    if len(set(rows.seed)) < 2:
        return None
    lines: list[list[Value]] = []
    trainings = paper_rows(rows).groupby(["base", "terms", "treatment"], sort=False)
    for (base, terms, treatment), by_seed in trainings:
        total, absolute = by_seed.total_nonzero, by_seed.absolute_nonzero
        means = [absolute.mean(), absolute.std(), total.mean(), total.std(), total.min(), total.max()]
        mark = MARK if near_chance(by_seed).any() else ""
        lines.append([str(base), f"{treatment}-{terms}{mark}", len(by_seed), *means, by_seed.accuracy.mean()])
    columns = [
        "base", "condition", "seeds", "absolute", "sd, absolute", "total", "sd, total", "lowest", "highest",
        "accuracy",
    ]  # fmt: skip
    note = "The biases of table 1: mean over seeds and standard deviation between them; the lowest and highest total."
    note = with_chance(note, paper_rows(rows), ANY_SEED)
    return Table("over_seeds", "The rows of table 1 over seeds", columns, lines, decimals=4, note=note)


def table_3(rows: pd.DataFrame, name: str, title: str) -> Table:
    """Biases over all reviews and over those not at zero, with counts in columns that are named rightly."""
    rows = paper_rows(rows)
    columns = ["absolute_nonzero", "total_nonzero", "absolute", "total", "below", "above", "zero"]
    more = [column for column in _MEASURED if column in rows]
    lines: list[list[Value]] = [
        [
            *_named((row.base, row.seed), rows),
            f"{row.treatment}-{row.terms}",
            *(getattr(row, column) for column in columns),
            f"{star}{mark}",
            *(getattr(row, column) for column in more),
        ]
        for row, star, mark in zip(rows_of(rows), significance(rows.p_value), _marks(rows), strict=True)
    ]
    heads = [*_heads(rows), "condition", "abs, not zero", "tot, not zero", "abs, all", "tot, all"]
    note = "In the paper the last three headers are N < 0, N = 0, N > 0; the columns are N < 0, N > 0, N = 0."
    heads += ["N < 0", "N > 0", "N = 0", "p", *(_MEASURED[column] for column in more)]
    return Table(name, title, heads, lines, decimals=4, note=with_chance(note, rows))


def table_5(rows: pd.DataFrame, name: str, title: str) -> Table:
    """Accuracy on test reviews treated like those trained on; recall, precision and F1 are of the negative label."""
    figures = ["accuracy", "recall", "precision", "f1"]
    shown = [column for column in (*figures, "accuracy_64") if column in rows]
    once = paper_rows(rows).drop_duplicates(["base", "seed", "condition"])
    lines: list[list[Value]] = [
        [
            *_named((row.base, row.seed), once),
            f"{row.condition}{mark}",
            *(getattr(row, column) for column in shown),
        ]
        for row, mark in zip(rows_of(once), _marks(once), strict=True)
    ]
    heads = [{"accuracy_64": "accuracy at 64 tokens"}.get(column, column) for column in shown]
    note = (
        "Recall, precision and F1 are those of the negative label, which the paper does not say. "
        "The authors' code reads 64 tokens of a review here, and 512 everywhere else."
    )
    columns = [*_heads(once), "condition", *heads]
    return Table(name, title, columns, lines, note=with_chance(note, once))


def correlations(rows: pd.DataFrame) -> pd.DataFrame:
    """The pairs of table 2: x, y, r, interval, p, p corrected by Bonferroni's factor of 21, n.

    The authors round p to five decimals before they correct it, which changes no star.
    """
    rows = paper_rows(rows)
    table = pd.DataFrame({name: rows[column].astype(float) for name, column in COLUMNS.items()})
    return stats.correlation_table(table, correction="bonferroni", factor=CORRELATION_TESTS)


def table_2(rows: pd.DataFrame) -> Table | None:
    """Pearson's correlations of biases, accuracy and F1; None where there are too few rows for one."""
    if len(paper_rows(rows)) < 4:
        return None
    lines: list[list[Value]] = [
        [f"{row.x}, {row.y}", row.r, row.low, row.high, row.p_adjusted, stats.stars(row.p_adjusted), row.n]
        for row in rows_of(correlations(rows))
    ]
    columns = ["pair", "r", "95 % from", "to", "p (Bonferroni, 21)", "stars", "n"]
    note = "Biases are those over reviews not at zero. Rows of one base model are not independent, which p ignores."
    constant = [name for name, column in COLUMNS.items() if np.ptp(paper_rows(rows)[column]) == 0]
    if constant:
        note += f" No correlation with {' and '.join(constant)}: the same in all rows."
    return Table("measured_2", "Table 2, measured", columns, lines, note=note)


def crossed_table(rows: pd.DataFrame) -> Table | None:
    """Every training rated with every set of terms, means over seeds; None where all were rated with their own."""
    if rows.own.all():
        return None
    lines: list[list[Value]] = [
        [row.base, row.condition, row.terms, row.total, row.absolute]
        for row in rows_of(means_over_seeds(usual_batches(rows)))
    ]
    title = "Trained with one set of terms, rated with each"
    columns = ["base", "condition", "rated with", "total", "absolute"]
    return Table("crossed", title, columns, lines, decimals=4)


def means_over_seeds(rows: pd.DataFrame) -> pd.DataFrame:
    """The two biases, means over seeds."""
    keys = ["base", "condition", "terms"]
    return rows.groupby(keys, sort=False)[["total", "absolute"]].mean().reset_index()


def _bracketed(row: object, column: str) -> str:
    text = f"{decimal_text(getattr(row, column), 4)}{getattr(row, 'mark', '')}"
    return text if getattr(row, "star", "") else f"({text})"


def _marks(rows: pd.DataFrame) -> list[str]:
    """What stands beside the stars of each row: a mark where its classifier is near chance."""
    return [MARK if near else "" for near in near_chance(rows)]


def _heads(rows: pd.DataFrame) -> list[str]:
    """The first columns: the seed is one of them where there are several."""
    return ["base", "seed"] if len(set(rows.seed)) > 1 else ["base"]


def _named(keys: tuple[object, ...], rows: pd.DataFrame) -> list[Value]:
    base, seed = keys
    return [str(base), int(str(seed))] if len(set(rows.seed)) > 1 else [str(base)]
