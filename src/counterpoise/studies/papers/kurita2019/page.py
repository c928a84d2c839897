"""From the finished cells to the tables of the paper, published beside measured, with a verdict for each number."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from counterpoise.studies.engine.cells import FinishedStudy, label
from counterpoise.studies.papers.kurita2019 import keys
from counterpoise.studies.papers.kurita2019.answers import answers
from counterpoise.studies.papers.kurita2019.comparing import (
    MEASURED,
    PAPERS_MODEL,
    asked_about,
    measured,
    rows_of,
    whole,
    without,
)
from counterpoise.studies.papers.kurita2019.published import (
    NEITHER_PREDICTED,
    NEITHER_PRIOR,
    TABLE_3,
    TABLE_5,
    TOPIC_CORRELATION,
)
from counterpoise.studies.papers.kurita2019.recomputed import printed_table
from counterpoise.studies.replication.findings import Chart, Findings, Table, Value

_TITLE = "Kurita et al. 2019: Measuring Bias in Contextualized Word Representations"
_ABOUT = (
    "Tables 3 to 6 and the case study of section 4, each number beside the printed one. 'Corrected' is how the paper "
    "describes the measure, 'published' what its code did."
)


def gather(study: FinishedStudy) -> None:
    """Writes the tables, charts and answers into the study's folder."""
    table = whole(study.table)
    makers: dict[str, Callable[[pd.DataFrame], Table | None]] = {
        "table3": _table3,
        "table4": _table4,
        "resolution": _resolution,
        "table5": _table5,
        "section4": _section4,
        "table6": _table6,
    }
    made = [make(table) for name, make in makers.items() if _wanted(name, study.only)]
    tables = [printed_table(table), *(table for table in made if table is not None and table.rows)]
    if study.missing:
        tables.append(_left_out(study))
    models = sorted(set(table.model.dropna()))
    notes = (
        [f"measured with {', '.join(models)}; the paper's model is {PAPERS_MODEL}"]
        if models != [PAPERS_MODEL]
        else []
    )
    Findings(_TITLE, _ABOUT, answers(table), tables, _charts(table), notes).write(study.folder)


def _wanted(name: str, only: Sequence[str]) -> bool:
    return not only or name in only or (name == "resolution" and "table4" in only)


def _table3(table: pd.DataFrame) -> Table:
    """Effect sizes: three columns of five categories, each printed and measured."""
    rows: list[list[Value]] = []
    for one in TABLE_3:
        column = f"{one.title}: WEAT, GloVe"
        found = table[(table.step == "weat_vectors") & (table.test == one.published_words)]
        rows += [measured(column, row, one.notebook_glove, 5e-4) for row in rows_of(found)]
        if found.empty:
            rows.append(without(column, one.notebook_glove, "GloVe 840B is not at hand"))
        for step, what in (("weat_model", "WEAT, model"), ("scores", "log probability bias score")):
            some = table[(table.step == step) & table.test.isin([one.test, one.words, one.published_words])]
            # Corrected, d over attributes is the one with a test.
            untested = (some.variant == "corrected") & keys.is_statistic(some, keys.D_OVER_SENTENCES)
            printed = one.notebook_bert if step == "weat_model" else one.notebook_scores
            rows += [measured(f"{one.title}: {what}", row, printed, 5e-4) for row in rows_of(some[~untested])]
    return Table(
        "table3",
        "Table 3: effect sizes of the WEAT categories",
        MEASURED,
        rows,
        note="The published numbers are those of the authors' notebooks, with their sign; where the paper prints "
        "another, the table of printed numbers says so.",
    )


def _table4(table: pd.DataFrame) -> Table:
    """How often neither name is meant."""
    rows: list[list[Value]] = []
    printed = _printed_neither()
    for row in rows_of(table[(table.step == "table4") & table.key.isin(printed)]):
        what = f"{row.group}, {row.statistic} ({asked_about(row)})"
        is_printed = (row.training, row.probe) == ("test+validation", "paper")  # the paper's passages
        rows.append(measured(what, row, printed[row.key] if is_printed else None, 0.05))
    return Table(
        "table4",
        "Table 4: probability that the pronoun means neither name",
        MEASURED,
        rows,
        note="The paper's 10.3 and 9.8 % are gap-development's; the kernel that it cites is asked about those "
        "passages after training on the other two files. Differences are male minus female, p by permutation.",
    )


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


def _resolution(table: pd.DataFrame) -> Table:
    """How well pronouns are resolved, which the paper does not print."""
    some = table[(table.step == "table4") & ~table.key.isin(_printed_neither())]
    rows = [measured(f"{row.group}, {row.statistic} ({asked_about(row)})", row) for row in rows_of(some)]
    return Table(
        "resolution",
        "Pronoun resolution: accuracy, and F1 as GAP's scorer counts it",
        MEASURED,
        rows,
        note="Mean of the seeds' perceptrons, intervals over Wikipedia pages.",
    )


def _table5(table: pd.DataFrame) -> Table:
    """The share of attributes that lean male."""
    some = table[(table.step == "shares") & (table.key == keys.SHARE_MALE)]
    rows = [measured(str(row.attributes), row, TABLE_5.get(row.attributes), 0.05) for row in rows_of(some)]
    here = set(some.attributes)
    for kind, share in TABLE_5.items():
        if kind not in here:
            rows.append(without(kind, share, "its words are not at hand"))
    return Table("table5", "Table 5: attributes that lean male, per cent", MEASURED, rows)


def _section4(table: pd.DataFrame) -> Table:
    """How the topics' bias goes with the probability of neither."""
    rows: list[list[Value]] = []
    for row in rows_of(table[table.step == "section4"]):
        is_printed = (row.training, row.probe, row.group) == ("test+validation", "paper", "female")
        rows.append(
            measured(
                f"{row.group} pronouns ({asked_about(row)})",
                row,
                TOPIC_CORRELATION if is_printed else None,
                5e-4,
            )
        )
    return Table(
        "section4",
        "Section 4: Spearman's correlation of the topics' male bias with the probability of neither",
        MEASURED,
        rows,
    )


def _table6(table: pd.DataFrame) -> Table:
    """The topics, with their bias."""
    some = table[table.step == "topics"]
    rows: list[list[Value]] = [
        [number, ", ".join(row.words[:5]), float(row.value), float(row.share)]
        for number, row in enumerate(rows_of(some), start=1)
    ]
    return Table(
        "table6",
        "Table 6: topics of gap-development",
        ["topic", "five heaviest words", "bias, men - women", "mean weight"],
        rows,
        note="Each bias is the sum over fifteen words of weight times log probability bias score; the paper prints "
        "words alone.",
    )


def _left_out(study: FinishedStudy) -> Table:
    rows: list[list[Value]] = [[label(one.step, one.factors), one.reason] for one in study.missing]
    return Table("left_out", "Left out", ["cell", "reason"], rows)


def _charts(table: pd.DataFrame) -> list[Chart]:
    """Forest of table 3's scores, and the topics as bars."""
    charts = []
    scores = table[(table.step == "scores") & (table.variant == "corrected")]
    scores = scores[keys.is_statistic(scores, keys.D)]
    if len(scores):
        records = [
            {
                "panel": "d",
                "label": row.group,
                "value": row.value,
                "ci_low": row.ci_low,
                "ci_high": row.ci_high,
                "ideal": 0.0,
            }
            for row in rows_of(scores)
        ]
        charts.append(Chart("scores", "Table 3: log probability bias score, d", "forest", records))
    topics = table[table.step == "topics"].sort_values("value", ascending=False)
    if len(topics):
        records = [{"word": ", ".join(row.words[:3]), "value": row.value} for row in rows_of(topics)]
        charts.append(Chart("topics", "Bias of topics", "word_bars", records, axis="men - women"))
    return charts
