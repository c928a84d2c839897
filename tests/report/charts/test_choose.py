"""Which charts a result gets, and what may stand on one scale."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import runs
from counterpoise.measures.base.result import GENDERS, STEREOTYPE, Direction, Result, make_summary, sources_of
from counterpoise.measures.base.row_builders import correlation_row, figure_row, mean_row, share_row
from counterpoise.measures.base.rows import Ideal, Place, in_group, of_word
from counterpoise.measures.base.source import observe
from counterpoise.report.charts.choose import charts_of, comparison_charts, heat_chart
from counterpoise.report.charts.overview import overview


def made(rows, items, measure="own", sides=GENDERS):
    return replace(
        runs.word_result(measure=measure),
        items=items,
        summary=make_summary(rows, measure, "made", "corrected"),
        sources=sources_of(rows),
        direction=Direction("More.", "Less.", sides),
    )


@pytest.fixture(scope="module")
def items():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "text": [f"text {n}" for n in range(40)],
            "word": [f"word{n % 8}" for n in range(40)],
            "bound": [n % 8 > 5 for n in range(40)],
            "lean": rng.normal(0.4, 0.2, 40),
        }
    )


def records(figure):
    """All rows of data in a figure."""
    return [row for rows in figure.chart.to_dict()["datasets"].values() for row in rows]


def panels(figure):
    return [" ".join(panel["title"]["text"]) for panel in figure.chart.to_dict()["vconcat"]]


def test_counts_and_test_statistics_are_not_drawn(items):
    leans = observe(items, "lean")
    rows = [
        mean_row(leans, "lean", "lean", cluster="word"),
        figure_row(31, "above_zero", "texts above zero", n=40, source=leans.as_source("figure")),
        figure_row(410, "v", "Wilcoxon V", n=40, ideal=Ideal.at(410.0), source=leans.as_source("figure")),
        figure_row(12.5, "variance", "% of variance", n=40),
        figure_row(0.2, "distance", "label distance", n=40, ideal=Ideal.at(0.0)),
    ]
    [forest, *_] = charts_of(made(rows, items))
    assert panels(forest) == ["lean", "label distance"]


def test_a_result_of_nothing_but_counts_has_no_forest(items):
    rows = [figure_row(31, "n", "texts", n=40, source=observe(items, "lean").as_source("figure"))]
    assert charts_of(made(rows, items)) == []


def test_statistics_of_different_units_never_share_a_scale(items):
    leans = observe(items, "lean")
    rows = [
        mean_row(leans, "lean", "lean", cluster="word"),
        share_row(leans, "share", "% male"),
        mean_row(leans, "lean", "lean", cluster="word", at=in_group("some", "some of them")),
        correlation_row(items["lean"], items["lean"] ** 2, "r", "correlation", kind="pearson"),
    ]
    [forest, *_] = charts_of(made(rows, items))
    assert panels(forest) == ["lean", "% male", "correlation"]
    spec = forest.chart.to_dict()
    assert spec.get("resolve", {}).get("scale", {}).get("x") != "shared"
    labels = [row["label"] for row in records(forest) if "label" in row]
    assert labels == ["all", "some of them", "all", "all"]


def test_words_with_a_gender_of_their_own_stand_apart_from_biases(items):
    rows = [mean_row(observe(items, "lean").only(bound=False), "lean", "lean", cluster="word")]
    rows += [
        mean_row(
            words,
            "lean",
            "lean",
            at=of_word(word),
            ideal=Ideal.away_from(0.0) if is_bound else Ideal.at(0.0),
        )
        for (word, is_bound), words in observe(items, "lean").by("word", "bound")
    ]
    result = made(rows, items)
    figures = {figure.name: figure for figure in charts_of(result)}
    assert {row["word"] for row in records(figures["own-words"])} == {f"word{n}" for n in range(6)}
    assert {row["word"] for row in records(figures["own-bound-words"])} == {"word6", "word7"}
    assert "no bias" in figures["own-bound-words"].caption
    assert "no bias" not in figures["own-words"].caption
    both = {figure.name: figure for figure in comparison_charts(result, result, ("one", "two"))}
    assert list(both) == ["own-bars", "own-bound", "own-scatter"]
    assert {row["word"] for row in records(both["own-bars"])} == {f"word{n}" for n in range(6)}
    assert {row["word"] for row in records(both["own-bound"])} == {"word6", "word7"}
    assert "word7" not in {row.get("word") for row in records(both["own-scatter"])}


@pytest.mark.parametrize(("sides", "is_said"), [(GENDERS, True), (STEREOTYPE, False), (None, False)])
def test_captions_speak_of_men_and_women_where_the_sign_does(sides, is_said):
    result = replace(runs.word_result(), direction=Direction("More.", "Less.", sides))
    for figure in charts_of(result) + overview([result]):
        assert ("Blue: towards men" in figure.caption) == is_said
        colours = {row["colour"] for row in records(figure) if "colour" in row}
        assert ("#0072b2" in colours) <= is_said


def test_models_are_columns_of_the_heat_map_and_measures_its_rows():
    ranking = pd.DataFrame(
        {"model": ["b", "a"], "measure": ["ppd", "ppd"], "effect_size": [0.5, -0.5], "value": [0.4, -0.3]}
    )
    figure = heat_chart(ranking, ["a", "b"])
    assert [row["model"] for row in records(figure)] == ["a", "b"]
    assert "green above the ideal, purple below" in figure.caption


def row(key, value, low, high, ideal, detectable, group="all"):
    plain = figure_row(value, key, key, n=10, at=Place("overall", group), ideal=ideal)
    return replace(plain, ci_low=low, ci_high=high, p_value=0.01, smallest_detectable=detectable)


def overview_of(*results: Result):
    [figure] = overview(results)
    return figure, {row["label"].replace("\n", " "): row for row in records(figure) if "label" in row}


def test_the_overview_has_all_measures_in_units_of_what_they_could_detect(items):
    """Worked out by hand: (0.4 - 0) / 0.2 = 2, (44 - 50) / 4 = -1.5, and their intervals likewise."""
    bias = made([row("bias", 0.4, 0.3, 0.5, Ideal.at(0.0), 0.2)], items, "bias")
    share = made([row("share", 44.0, 40.0, 48.0, Ideal.at(50.0), 4.0)], items, "share", STEREOTYPE)
    other = made([row("other", 3.0, 1.0, 5.0, Ideal.at(1.0), 0.1)], items, "other", None)
    figure, drawn = overview_of(bias, share, other)
    numbers = {
        name: [pytest.approx(row[column]) for column in ("value", "ci_low", "ci_high")]
        for name, row in drawn.items()
    }
    assert numbers == {"bias": [2.0, 1.5, 2.5], "share": [-1.5, -2.5, -0.5], "other": [20.0, 0.0, 40.0]}
    titles = [
        panel["layer"][0]["encoding"]["x"]["axis"]["title"] for panel in figure.chart.to_dict()["vconcat"]
    ]
    assert [" ".join(title[0].split()) for title in titles] == [
        "← women men →",
        "← counter-stereotype stereotype →",
        "← below ideal above ideal →",
    ]
    scales = [panel["layer"][0]["encoding"]["x"]["scale"] for panel in figure.chart.to_dict()["vconcat"]]
    assert scales[0] == scales[1] == scales[2]
    assert scales[0]["type"] == "symlog"
    assert scales[0]["domain"] == [-50.0, 50.0]  # a quarter more than the furthest end, either way
    assert "Not drawn" not in figure.caption


def test_what_cannot_be_drawn_in_the_overview_is_named(items):
    drawn = made([row("bias", 0.4, 0.3, 0.5, Ideal.at(0.0), 0.2)], items, "bias")
    missing = [
        made([row("a", 0.4, np.nan, np.nan, Ideal.at(0.0), 0.2)], items, "no interval"),
        made([row("b", 0.4, 0.3, 0.5, Ideal.at(0.0), np.nan)], items, "no detectable"),
        made([row("c", 0.4, 0.3, 0.5, Ideal.none(), 0.2)], items, "no ideal"),
        made([row("d", 0.4, 0.3, 0.5, Ideal.at(0.0), 0.0)], items, "exact"),
    ]
    figure, rows = overview_of(drawn, *missing)
    assert list(rows) == ["bias"]
    assert figure.caption.endswith("effect: no interval, no detectable, no ideal, exact.")
    assert overview(missing) == []


def test_tests_of_one_measure_have_a_row_each(items):
    tests = [row(f"d{n}", n, n - 1, n + 1, Ideal.at(0.0), 0.5, group=f"test {n}") for n in (1, 2)]
    _, rows = overview_of(made(tests, items, "weat-like"))
    assert list(rows) == ["weat-like: test 1", "weat-like: test 2"]
