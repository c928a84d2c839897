"""Tables 3 to 6 and section 4: each measured number beside the printed one, with a verdict."""

from __future__ import annotations

from typing import Any

import pandas as pd

from counterpoise.studies.papers.kurita2019 import keys
from counterpoise.studies.papers.kurita2019.published import (
    NEITHER_PREDICTED,
    NEITHER_PRIOR,
    PAPERS_MODEL,
    TABLE_3,
    TABLE_5,
    TOPIC_CORRELATION,
)
from counterpoise.studies.replication.comparison import OTHER_MODEL, MeasuredLines, why_different
from counterpoise.studies.replication.findings import Table, Value
from counterpoise.studies.replication.study_table import rows_of, select

LINES = MeasuredLines(without=("recipe",))
_CORRECTED = "corrected (see docs/replication/kurita2019.md)"


def table_3(table: pd.DataFrame) -> Table:
    """Effect sizes: three columns of five categories, each printed and measured."""
    rows: list[list[Value]] = []
    for category in TABLE_3:
        column = f"{category.title}: WEAT, GloVe"
        glove = rows_of(table, step="weat_vectors", test=category.published_words)
        rows += [_measured(column, row, category.notebook_glove, 5e-4) for row in glove]
        if not glove:
            rows.append(LINES.not_measured(column, category.notebook_glove, "GloVe 840B is not at hand"))
        tests = [category.test, category.words, category.published_words]
        for step, what, printed in (
            ("weat_model", "WEAT, model", category.notebook_bert),
            ("scores", "log probability bias score", category.notebook_scores),
        ):
            sizes = table[(table.step == step) & table.test.isin(tests)]
            # Corrected, d over attributes is the one with a test.
            untested = (sizes.variant == "corrected") & keys.is_statistic(sizes, keys.D_OVER_SENTENCES)
            rows += [
                _measured(f"{category.title}: {what}", row, printed, 5e-4)
                for row in rows_of(sizes[~untested])
            ]
    note = (
        "The published numbers are those of the authors' notebooks, with their sign; where the paper prints another, "
        "the table of printed numbers says so."
    )
    return LINES.table("table3", "Table 3: effect sizes of the WEAT categories", rows, note=note)


def table_4(table: pd.DataFrame) -> Table:
    """How often neither name is meant."""
    printed = _printed_neither()
    rows = [
        _measured(_case(row), row, printed[row.key] if _is_papers(row) else None, 0.05)
        for row in rows_of(table[table.key.isin(printed)], step="table4")
    ]
    note = (
        "The paper's 10.3 and 9.8 % are gap-development's; the kernel that it cites is asked about those passages "
        "after training on the other two files. Differences are male minus female, p by permutation."
    )
    return LINES.table("table4", "Table 4: probability that the pronoun means neither name", rows, note=note)


def resolution(table: pd.DataFrame) -> Table:
    """How well pronouns are resolved, which the paper does not print."""
    rows = [
        LINES.measured(_case(row), row)
        for row in rows_of(table[~table.key.isin(_printed_neither())], step="table4")
    ]
    title = "Pronoun resolution: accuracy, and F1 as GAP's scorer counts it"
    note = "Mean of the seeds' perceptrons, intervals over Wikipedia pages."
    return LINES.table("resolution", title, rows, note=note)


def table_5(table: pd.DataFrame) -> Table:
    """The share of attributes that lean male."""
    shares = select(table, step="shares", key=keys.SHARE_MALE)
    rows = [_measured(str(row.attributes), row, TABLE_5.get(row.attributes), 0.05) for row in rows_of(shares)]
    rows += [
        LINES.not_measured(kind, share, "its words are not at hand")
        for kind, share in TABLE_5.items()
        if kind not in set(shares.attributes)
    ]
    return LINES.table("table5", "Table 5: attributes that lean male, per cent", rows)


def section_4(table: pd.DataFrame) -> Table:
    """How the topics' bias goes with the probability of neither."""
    rows = [
        _measured(
            f"{row.group} pronouns ({asked_about(row)})",
            row,
            TOPIC_CORRELATION if _is_papers(row) and row.group == "female" else None,
            5e-4,
        )
        for row in rows_of(table, step="section4")
    ]
    title = "Section 4: Spearman's correlation of the topics' male bias with the probability of neither"
    return LINES.table("section4", title, rows)


def table_6(table: pd.DataFrame) -> Table:
    """The topics, with their bias."""
    rows: list[list[Value]] = [
        [number, ", ".join(row.words[:5]), float(row.value), float(row.share)]
        for number, row in enumerate(rows_of(table, step="topics"), start=1)
    ]
    return Table(
        "table6",
        "Table 6: topics of gap-development",
        ["topic", "five heaviest words", "bias, men - women", "mean weight"],
        rows,
        note="Each bias is the sum over fifteen words of weight times log probability bias score; the paper prints "
        "words alone.",
    )


def asked_about(row: Any) -> str:
    """The file of GAP that a row of the case study is about, and the probe where it is not the paper's."""
    file = {"development": "gap-test", "test+validation": "gap-development"}[row.training]
    return file if row.probe == "paper" else f"{file}, {row.probe} probe"


def _case(row: Any) -> str:
    """A row of the case study in words."""
    return f"{row.group}, {row.statistic} ({asked_about(row)})"


def _is_papers(row: Any) -> bool:
    """Whether a row of the case study is about the paper's passages, with the paper's probe."""
    return (row.training, row.probe) == ("test+validation", "paper")


def _measured(what: str, row: Any, published: float | None, tolerance: float) -> list[Value]:
    reason = why_different(row.model, PAPERS_MODEL, row.variant, _CORRECTED)
    return LINES.measured(what, row, published, reason, tolerance, same=reason != OTHER_MODEL)


def _printed_neither() -> dict[str, float]:
    """Table 4 as the paper prints it, and the differences that follow, by the keys of the rows."""
    printed: dict[str, float] = {}
    for statistic, shares in (
        (keys.NEITHER_TRUE, NEITHER_PRIOR),
        (keys.NEITHER_PREDICTED, NEITHER_PREDICTED),
    ):
        printed |= {keys.of_gender(statistic, gender): share for gender, share in shares.items()}
        printed[keys.of_difference(statistic)] = round(shares["male"] - shares["female"], 1)
    return printed
