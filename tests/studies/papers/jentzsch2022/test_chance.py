"""Classifiers near chance are marked beside their stars; the interval is scipy's."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from counterpoise.studies.papers.jentzsch2022 import answers, seed_tables, tables
from counterpoise.studies.papers.jentzsch2022.chance import chance_sentence, near_chance
from counterpoise.studies.papers.jentzsch2022.published import published_rows


@pytest.mark.parametrize("n", [48, 100, 1000, 25_000])
def test_near_chance_is_wilson_s_interval(n):
    right = np.arange(0, n + 1, max(1, n // 200))
    rows = pd.DataFrame({"accuracy": right / n, "reviews": n})
    for count, near in zip(right, near_chance(rows), strict=True):
        interval = scipy_stats.binomtest(int(count), n).proportion_ci(0.95, "wilson")
        assert near == (count / n < 0.6 or interval.low <= 0.5 <= interval.high)


def test_no_published_classifier_is_near_chance():
    assert not near_chance(published_rows()).any()
    assert chance_sentence(published_rows()) == ""
    assert "†" not in str(tables.table_3(published_rows(), "t", "T").rows)


def test_it_is_said_beside_stars_and_in_answers():
    rows = published_rows().assign(batch=32, reviews=25_000)
    rows.loc[(rows.base == "bertbase") & (rows.condition == "R-all"), "accuracy"] = 0.52
    table = tables.table_3(rows, "t", "T")
    stars = {(line[0], line[1]): line[table.columns.index("p")] for line in table.rows}
    assert stars["bertbase", "R-all"] == "***†"
    assert stars["bertbase", "mix-all"] == "***"
    assert table.note.endswith("accuracy below .6, or not significantly different from .5.")
    [line] = [line for line in tables.table_1(rows, "t", "T").rows if line[:2] == ["bertbase", "total"]]
    assert [str(cell).endswith("†") for cell in line[2:]] == [False] * 7 + [True, False]
    said = [answer.measured for answer in answers.answers(rows)]
    assert said[0].startswith("1 of 49 classifiers are near chance (accuracy 0.52 on 25,000 test reviews).")
    assert not any("near chance" in text for text in said[1:])


def test_it_is_marked_in_tables_over_seeds():
    rows = pd.concat([published_rows().assign(batch=32, reviews=25_000, seed=seed) for seed in (0, 1)])
    rows = rows.reset_index(drop=True)
    rows.loc[(rows.base == "bertbase") & (rows.condition == "R-all") & (rows.seed == 1), "accuracy"] = 0.52
    original = (rows.base == "distbase") & (rows.condition == "original") & (rows.seed == 0)
    rows.loc[original, "accuracy"] = 0.51
    for table, marked in ((tables.over_seeds(rows), 1 + 3), (seed_tables.contrast_table(rows), 2 * (1 + 6))):
        lines = [line[:2] for line in table.rows if line[1].endswith("†")]
        assert len(lines) == marked
        assert ["bertbase", "R-all†"] in lines
        assert table.note.endswith("different from .5. A row is marked if any of its classifiers is.")


def test_no_correlation_where_accuracy_is_the_same():
    rows = published_rows().assign(batch=32, accuracy=0.5, f1=0.5)
    text = answers.by_batch_size(rows)
    assert "nan" not in text
    assert "have no correlation here: one of them is the same in all rows" in text
    assert "No correlation with accuracy and f1: the same in all rows." in tables.table_2(rows).note
