"""Tables 3 to 6 and section 4: each measured number beside the printed one, with a verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from counterpoise.core.numbers import decimal_text
from counterpoise.studies.papers.kurita2019 import keys
from counterpoise.studies.papers.kurita2019.effect_sizes import table_3_tests
from counterpoise.studies.papers.kurita2019.published import (
    NEITHER_PREDICTED,
    NEITHER_PRIOR,
    PAPERS_MODEL,
    TABLE_3,
    TABLE_5,
    TOPIC_CORRELATION,
)
from counterpoise.studies.replication.comparison import (
    OTHER_MODEL,
    ComparedLine,
    MeasuredLines,
    why_different,
)
from counterpoise.studies.replication.findings import Table, Value
from counterpoise.studies.replication.study_table import rows_of, select

LINES = MeasuredLines(without=("recipe",), kind=keys.PER_CENT)
_CORRECTED = "corrected (see docs/replication/kurita2019.md)"
_UNITS = "Interval and p cover both Wikipedia pages and training seeds."
_WEAT_TESTS = {"weat1": "WEAT 1", "weat4": "WEAT 4", "weat6": "WEAT 6", "weat7": "WEAT 7", "weat8": "WEAT 8"}


def table_3(table: pd.DataFrame) -> Table:
    """Effect sizes: three columns of five categories, each printed and measured."""
    rows: list[ComparedLine] = []
    d = keys.EFFECT_SIZE
    for category in TABLE_3:
        column = f"{category.title}: WEAT, GloVe"
        glove = rows_of(table, step="weat_vectors", test=category.published_words)
        rows += [_measured(column, row, category.notebook_glove, 5e-4, d) for row in glove]
        if not glove:
            rows.append(
                LINES.not_measured(column, category.notebook_glove, "GloVe 840B is not at hand", kind=d)
            )
        tests = [category.test, category.words, category.published_words]
        for step, what, printed in (
            ("weat_model", "WEAT, model", category.notebook_bert),
            ("scores", "log probability bias score", category.notebook_scores),
        ):
            sizes = table[(table.step == step) & table.test.isin(tests)]
            # Corrected, d over attributes is the one with a test.
            untested = (sizes.variant == "corrected") & keys.is_statistic(sizes, keys.D_OVER_SENTENCES)
            rows += [
                _measured(f"{category.title}: {what}", row, printed, 5e-4, d)
                for row in rows_of(sizes[~untested])
            ]
    note = (
        "Published numbers are those of the authors' notebooks and keep their sign: d is that of African American "
        "minus European American names, and of black minus white. The first table shows where the paper prints "
        "something else. Interval and p are over the same units: target words for WEAT, attributes for the corrected "
        "score, sentences for the published score."
    )
    return LINES.table("table3", "Table 3: effect sizes of the WEAT categories", rows, note=note)


def weat_words(_: pd.DataFrame) -> Table:
    """Which targets WEAT has in each category of table 3."""
    rows: list[list[Value]] = []
    for category, *tests in zip(
        TABLE_3, table_3_tests(published=True).tests, table_3_tests(published=False).tests, strict=True
    ):
        for variant, test in zip(("published", "corrected"), tests, strict=True):
            first, second = (f"{len(words.words)}: {', '.join(words.words)}" for words in (test.x, test.y))
            which = category.which if variant == "published" else "all"
            rows.append([category.title, variant, _WEAT_TESTS[category.words], which, first, second])
    return Table(
        "weat_words",
        "Table 3: the target words of WEAT",
        ["category", "variant", "words of", "which of them", "first targets", "second targets"],
        rows,
        note="The paper gives WEAT 3 as the source of its European and African American names, but its code has the "
        "names of WEAT 4 (Caliskan et al. 2017). It keeps those in BERT's vocabulary and then cuts the longer list at "
        "its end to the length of the shorter one. Career and family have all eight male and eight female names of "
        "WEAT 6. The log probability bias score has other targets: he and she, boys and girls, men and women, black "
        "and white, flower and insect.",
    )


def table_4(table: pd.DataFrame) -> Table:
    """How often neither name is meant."""
    printed = _printed_neither()
    rows = [
        _measured(_case(row), row, printed[row.key] if _is_papers(row) else None, 0.05)
        for row in rows_of(table[table.key.isin(printed)], step="table4")
    ]
    note = (
        "The paper's 10.3 and 9.8 % are those of gap-development, which the kernel that it cites predicts after "
        "training on the other two files. Predictions are means over the training seeds, differences are male minus "
        f"female. {_UNITS}"
    )
    return LINES.table("table4", "Table 4: probability that the pronoun means neither name", rows, note=note)


def resolution(table: pd.DataFrame) -> Table:
    """How well pronouns are resolved, which the paper does not print."""
    rows = [
        LINES.measured(_case(row), row)
        for row in rows_of(table[~table.key.isin(_printed_neither())], step="table4")
    ]
    title = "Pronoun resolution: accuracy, and F1 as GAP's scorer counts it"
    note = (
        f"Means over the training seeds. {_UNITS} The perceptron's inputs are standardised over the training passages, "
        "unless the setting standardise is false; the kernel that the paper cites feeds the vectors as they are, and "
        "has batch norm after its first layer."
    )
    return LINES.table("resolution", title, rows, note=note)


def seeds(table: pd.DataFrame) -> Table:
    """How far single trainings differ, which is part of every interval of the case study; tested numbers first."""
    several = table[table.by_seed.map(lambda values: isinstance(values, list) and len(values) > 1)]
    rows = sorted(rows_of(several), key=lambda row: not row.p_by_seed)
    return Table(
        "seeds",
        "The case study by training seed",
        ["number", "lowest", "highest", "sd", "each seed", "lowest p", "highest p"],
        [_seeds_line(row) for row in rows],
        note="Training runs that differ only in their seed (folds, initial weights, order of passages, dropout) give "
        "different numbers. 'Lowest p' and 'highest p' are what testing one run at a time gives, over single "
        "passages as in the paper: by permutation for a difference, by Student's t for a correlation.",
    )


def _seeds_line(row: Any) -> list[Value]:
    values, alone = row.by_seed, row.p_by_seed or [None]
    each = ", ".join(decimal_text(value, keys.decimals(row.key)) for value in values)
    return [_case(row), min(values), max(values), float(np.std(values, ddof=1)), each, min(alone), max(alone)]


def table_5(table: pd.DataFrame) -> Table:
    """The share of attributes that lean male."""
    shares = select(table, step="shares", key=keys.SHARE_MALE)
    rows = [_measured(str(row.attributes), row, TABLE_5.get(row.attributes), 0.05) for row in rows_of(shares)]
    rows += [
        LINES.not_measured(kind, share, "its words are not at hand")
        for kind, share in TABLE_5.items()
        if kind not in set(shares.attributes)
    ]
    skipped = [
        f"{row.attributes}, {row.variant}: {row.why_skipped}" for row in rows_of(shares) if row.skipped > 0
    ]
    note = (
        "The authors' notebook has 815 of 921 titles, 184 of 230 positive and 288 of 365 negative traits. One "
        "attribute is one observation."
    )
    if skipped:
        note += f" Skipped: {'; '.join(skipped)}."
    return LINES.table("table5", "Table 5: attributes that lean male, per cent", rows, note=note)


def section_4(table: pd.DataFrame) -> Table:
    """How the topics' bias goes with the probability of neither."""
    rows = [
        _measured(
            f"{row.group} pronouns ({asked_about(row)})",
            row,
            TOPIC_CORRELATION if _is_papers(row) and row.group == "female" else None,
            5e-4,
            keys.CORRELATION,
        )
        for row in rows_of(table, step="section4")
    ]
    title = "Section 4: Spearman's correlation of the topics' male bias with the probability of neither"
    note = f"Mean of the correlations of the training seeds. {_UNITS} The paper has female pronouns alone."
    return LINES.table("section4", title, rows, note=note)


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


def _measured(
    what: str, row: Any, published: float | None, tolerance: float, kind: str = keys.PER_CENT
) -> ComparedLine:
    reason = why_different(row.model, PAPERS_MODEL, row.variant, _CORRECTED)
    line = LINES.measured(what, row, published, reason, tolerance, same=reason != OTHER_MODEL, kind=kind)
    # As the authors' code counts, p is 0 where none of 100,000 shuffles has a larger difference.
    cells: list[Value] = [
        "< 0.00001" if column == "p" and value == 0 else value
        for column, value in zip(LINES.columns, line.cells, strict=True)
    ]
    return replace(line, cells=cells)


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
