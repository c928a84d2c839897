"""From the authors' 63 rows come the paper's printed tables; the printed numbers stand here as facts."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from counterpoise import stats
from counterpoise.studies.papers.jentzsch2022 import recomputed, tables
from counterpoise.studies.papers.jentzsch2022.figures import bias_figure
from counterpoise.studies.papers.jentzsch2022.printed_evaluation import FIGURES, agreement, printed_figures
from counterpoise.studies.papers.jentzsch2022.published import (
    BASES,
    CORRELATIONS,
    correlation_bounds,
    published_rows,
)
from counterpoise.studies.papers.jentzsch2022.study_rows import paper_rows

# Table 1 of the paper, as printed: absolute and total bias for pro, weat, all, each original, R, mix.
TABLE_1 = """
distbase    .0021 .0022 .0022 .0035 .0037 .0027 .0047 .0045 (.0052)
distbase    .0009 .0010 -.0012 .0004 -.0015 -.0008 .0016 .0008 (-.0003)
bertbase    .0025 .0036 (.0023) .0037 .0038 .0027 .0056 .0060 .0055
bertbase    .0013 .0031 (-.0000) .0015 .0020 -.0002 .0035 .0041 .0005
bertlarge   .0031 .0050 .0035 .0069 .0048 .0056 .0082 .0095 .0101
bertlarge   -.0016 .0046 .0011 -.0032 -.0011 .0034 .0009 .0042 .0015
robertabase .0024 .0024 .0021 .0031 .0028 (.0023) .0036 .0038 (.0027)
robertabase .0016 .0009 -.0002 .0016 .0007 (.0002) .0020 .0010 (.0000)
robertalarge .0024 .0025 .0020 .0039 .0039 .0028 .0044 .0043 .0041
robertalarge .0015 .0015 .0004 .0025 .0023 .0004 .0023 .0021 .0018
albertbase  .0037 .0029 .0054 .0093 .0082 .0131 .0089 .0080 .0071
albertbase  .0011 -.0004 .0021 .0002 -.0044 -.0034 -.0023 .0009 -.0014
albertlarge .0086 .0049 .0016 .0155 .0074 (.0091) .0172 .0114 .0101
albertlarge .0086 .0034 -.0008 .0130 -.0032 (-.0009) .0137 -.0032 .0034
"""
# Some rows of tables 3 and 4 as printed, under the names that their columns should have.
TABLES_3_4 = """
distbase original-pro 0.0021 0.0009 0.0014 0.0006 6085 10216 8699 ***
distbase mix-all 0.0052 -0.0003 0.0042 -0.0003 10080 10177 4743
bertbase R-all 0.0060 0.0041 0.0049 0.0034 4319 16431 4250 ***
bertbase mix-pro 0.0023 -0.0000 0.0014 -0.0000 7505 7794 9701
bertlarge mix-pro 0.0035 0.0011 0.0014 0.0004 4961 5228 14811 *
bertlarge mix-weat 0.0056 0.0034 0.0029 0.0018 4581 8195 12224 ***
robertabase mix-weat 0.0023 0.0002 0.0017 0.0002 9396 8894 6710
robertabase mix-all 0.0027 0.0000 0.0023 0.0000 10520 10206 4274
robertalarge R-weat 0.0039 0.0023 0.0029 0.0017 6109 12193 6698 ***
albertbase original-all 0.0089 -0.0023 0.0074 -0.0019 9112 11645 4243 ***
albertlarge original-pro 0.0086 0.0086 0.0056 0.0056 2120 14075 8805 ***
albertlarge mix-weat 0.0091 -0.0009 0.0066 -0.0006 9186 8998 6816
albertlarge mix-all 0.0101 0.0034 0.0084 0.0028 8777 11875 4348 ***
"""
TABLE_2 = {
    ("absolute", "total"): "0.373",
    ("absolute", "accuracy"): "-0.481**",
    ("absolute", "f1"): "-0.497***",
    ("total", "accuracy"): "0.044",
    ("total", "f1"): "-0.085",
    ("accuracy", "f1"): "0.886***",
}


@pytest.fixture(scope="module")
def rows():
    return published_rows()


def test_the_rows_are_those_of_the_notebook(rows):
    """The same 63 rows, copied a second time into the tests of the statistics."""
    path = Path(__file__).parents[3] / "stats" / "published.json"
    known = json.loads(path.read_text())["jentzsch2022"]["rows"]
    names = {"original_R": "original-", "N_": "R-", "mix_": "mix-"}
    expected = {}
    for base, spec, bias, below, above, w, p, stars in known:
        condition = next(new + spec[len(old) :] for old, new in names.items() if spec.startswith(old))
        expected[base, condition] = (bias, below, above, w, p, stars)
    found = paper_rows(rows)
    ours = {
        (row.base, f"{row.treatment}-{row.terms}"): (
            row.total,
            row.below,
            row.above,
            row.wilcoxon_w,
            row.p_value,
            star,
        )
        for row, star in zip(found.itertuples(), tables.significance(found.p_value), strict=True)
    }
    assert ours == expected


def test_counts_and_means_agree(rows):
    assert (rows.below + rows.zero + rows.above == 25000).all()
    some = (rows.total_nonzero * (rows.below + rows.above)).to_numpy()
    assert (rows.total * 25000).to_numpy() == pytest.approx(some, abs=1e-6)


def _with_four_decimals(cell):
    return re.sub(r"-?\d\.\d+", lambda number: f"{float(number[0]):.4f}", cell).replace("0.", ".")


def test_table_1_as_printed(rows):
    printed = [line.split() for line in TABLE_1.strip().splitlines()]
    table = tables.table_1(rows, "one", "Table 1")
    assert [[line[0], *map(_with_four_decimals, line[2:])] for line in table.rows] == printed
    assert "(-0.000033)" in table.rows[3]  # the paper prints -.0000


def test_tables_3_and_4_as_printed_with_columns_named_rightly(rows):
    table = tables.table_3(rows, "three", "Tables 3 and 4")
    assert table.columns[-4:] == ["N < 0", "N > 0", "N = 0", "p"]
    lines = {
        " ".join(f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in line).strip()
        for line in table.rows
    }
    assert len(lines) == 63
    assert set(TABLES_3_4.strip().splitlines()) <= lines


def test_fifty_seven_biases_are_highly_significant(rows):
    stars = np.array(tables.significance(paper_rows(rows).p_value))
    clear = paper_rows(rows)[stars == "***"]
    assert len(clear) == 57
    assert ((clear.total > 0).sum(), (clear.total < 0).sum()) == (41, 16)


def test_tables_5_and_6_as_printed(rows):
    """All 49 rows. By another way of rounding: to the nearest unit, halves upwards, in integers."""
    exact = {(line[0], line[1]): line[2:6] for line in tables.table_5(rows, "five", "Tables 5 and 6").rows}
    assert len(exact) == 49
    kinds = {"once": 0, "twice": 0, "neither": 0}
    for figure in printed_figures():
        value = exact[figure.base, figure.condition][FIGURES.index(figure.figure)]
        assert figure.exact == value
        printed = round(1000 * figure.printed)
        once, four = math.floor(1000 * value + 0.5), math.floor(10_000 * value + 0.5)
        twice = (four + 5) // 10
        kind = "once" if printed == once else "twice" if printed == twice else "neither"
        assert figure.rounding == kind
        kinds[kind] += 1
    assert sum(kinds.values()) == 4 * 49
    # Of those that are neither, one accuracy is far off.
    [wrong] = [one for one in printed_figures() if abs(one.printed - one.exact) > 1e-3]
    assert (wrong.base, wrong.condition, wrong.figure) == ("albertbase", "R-pro", "accuracy")
    assert (wrong.printed, wrong.exact) == (0.757, 0.7586)
    text = agreement(printed_figures())
    assert f"{kinds['once']} are the authors' own" in text
    assert text.count(" for .") == kinds["neither"]
    assert text in recomputed.tables_5_and_6(rows).note


def test_the_documentation_says_the_same_of_tables_5_and_6():
    page = (Path(__file__).parents[4] / "docs" / "published-numbers.md").read_text()
    assert agreement(printed_figures()) in " ".join(page.split())


def test_the_evaluations_are_the_authors(rows, data_file):
    known = pd.read_csv(data_file("jentzsch-turan/IMDB_evaluation_df.csv"))
    names = {"N_pro": "R-pro", "N_weat": "R-weat", "N_all": "R-all", "original": "original"}
    names |= {f"mix_{terms}": f"mix-{terms}" for terms in ("pro", "weat", "all")}
    ours = rows.drop_duplicates(["base", "condition"]).set_index(["base", "condition"])
    compared = 0
    for row in known.to_dict("records"):
        treated_alike = row["test_data"] == ("original" if row["spec"] == "original" else "equal")
        if treated_alike:
            of_row = ours.loc[(row["model_id"], names[row["spec"]])]
            assert [of_row[name] for name in FIGURES] == pytest.approx(
                [row[name] for name in FIGURES], abs=1e-12
            )
            compared += 1
    assert compared == 49


def test_table_2_from_the_rows(rows):
    """Where no absolute bias comes in, to the last printed digit; else within what its four decimals allow."""
    for row in tables.correlations(rows).itertuples():
        columns = [tables.COLUMNS[name] for name in (row.x, row.y)]
        assert row.r == pytest.approx(
            scipy_stats.pearsonr(rows[columns[0]], rows[columns[1]]).statistic, abs=1e-12
        )
        published = CORRELATIONS[row.x, row.y]
        if row.x == "absolute":
            low, high = correlation_bounds(rows, columns[1])
            assert low < published < high
            assert row.r == pytest.approx(published, abs=1e-3)
        else:
            assert row.r == pytest.approx(published, abs=5e-7)
        assert f"{published:.3f}{stats.stars(row.p_adjusted)}" == TABLE_2[row.x, row.y]


def test_the_bounds_hold_for_values_within_the_rounding(rows):
    dice = np.random.default_rng(0)
    low, high = correlation_bounds(rows, "accuracy")
    for _ in range(50):
        moved = rows.absolute_nonzero + dice.choice([-5e-5, 5e-5], size=63)
        assert low < np.corrcoef(moved, rows.accuracy)[0, 1] < high


def test_what_is_said_of_table_2(rows):
    verdicts = {line[0]: line[4] for line in recomputed.table_2(rows).rows}
    assert verdicts["accuracy, f1"] == verdicts["total, f1"] == "reproduced"
    assert verdicts["absolute, total"].startswith("reproduced within rounding")


@pytest.mark.parametrize("base", BASES)
def test_figures_3_and_4(rows, base):
    """Mean above and mean below give back the two biases that they came from."""
    records = bias_figure(rows, base, "f", "F").records
    assert [record["set"] for record in records] == ["Pronouns"] * 3 + ["WEAT"] * 3 + ["All"] * 3
    for record, row in zip(records, paper_rows(rows[rows.base == base]).itertuples(), strict=True):
        n = row.below + row.above
        above, below = record["positive"] * row.above, record["negative"] * row.below
        assert (above + below) / n == pytest.approx(row.total_nonzero, abs=1e-9)
        assert (above - below) / n == pytest.approx(row.absolute_nonzero, abs=1e-9)
