"""The scores of table 3 and the bias of topics, as charts of the report; the paper has no figures of them."""

from __future__ import annotations

import pandas as pd

from counterpoise.studies.papers.kurita2019 import keys
from counterpoise.studies.replication.findings import Chart
from counterpoise.studies.replication.study_table import rows_of, select


def scores_figure(table: pd.DataFrame) -> list[Chart]:
    """The effect sizes of the log probability bias score, corrected, with their intervals."""
    scores = select(table, step="scores", variant="corrected")
    records = [
        {
            "panel": "d",
            "label": row.group,
            "value": row.value,
            "ci_low": row.ci_low,
            "ci_high": row.ci_high,
            "ideal": 0.0,
        }
        for row in rows_of(scores[keys.is_statistic(scores, keys.D)])
    ]
    return [Chart("scores", "Table 3: log probability bias score, d", "forest", records)]


def topics_figure(table: pd.DataFrame) -> list[Chart]:
    """The bias of each topic, the most male first."""
    topics = select(table, step="topics").sort_values("value", ascending=False)
    records = [{"word": ", ".join(row.words[:3]), "value": row.value} for row in rows_of(topics)]
    return [Chart("topics", "Bias of topics", "word_bars", records, axis="men - women")]
