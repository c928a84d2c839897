"""Charts draw what the table says: marks are counted and placed in the SVG that vl-convert makes."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from functools import partial
from importlib import resources

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from counterpoise.measures.base.result import GENDERS
from counterpoise.report import charts
from counterpoise.report.charts import style
from counterpoise.report.charts.overview import TOWARDS, detectable_forest

SVG = "{http://www.w3.org/2000/svg}"

WORDS = pd.DataFrame(
    {
        "word": ["nurse", "clerk", "mason", "pilot"],
        "value": [-0.6, -0.1, 0.8, 0.4],
        "ci_low": [-0.8, -0.3, 0.6, np.nan],
        "ci_high": [-0.4, 0.1, 1.0, np.nan],
        "group": ["female", "female", "male", "male"],
    }
)


def drawn(chart):
    return ElementTree.fromstring(charts.to_svg(chart))


def texts(root):
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


def with_fill(root, colour):
    return [element for element in root.iter() if element.get("fill") == colour]


def dataset(chart):
    """All rows that the specification carries."""
    return [row for rows in chart.to_dict()["datasets"].values() for row in rows]


def test_word_bars_are_coloured_by_their_sign():
    root = drawn(charts.word_bars(WORDS[["word", "value"]]))
    assert len(with_fill(root, style.MALE)) == len(with_fill(root, style.FEMALE)) == 2
    assert set(WORDS.word) <= set(texts(root))


def test_intervals_are_drawn_where_there_are_any():
    chart = charts.word_bars(WORDS[["word", "value", "ci_low", "ci_high"]])
    lines = [line for line in drawn(chart).iter(f"{SVG}line") if line.get("stroke") == style.INK]
    assert len(lines) == 3


def test_groups_are_panels_on_one_scale():
    spec = charts.word_bars(WORDS[["word", "value", "group"]]).to_dict()
    assert [panel["title"]["text"] for panel in spec["vconcat"]] == [["female"], ["male"]]
    assert spec["resolve"]["scale"]["x"] == "shared"


def test_before_and_after_stand_beside_each_other():
    both = pd.concat([WORDS.assign(run="before"), WORDS.assign(value=WORDS.value / 2, run="after")])
    root = drawn(charts.word_bars(both[["word", "value", "run"]]))
    bars = [
        element for element in root.iter(f"{SVG}path") if element.get("fill") in (style.BEFORE, style.AFTER)
    ]
    assert len(bars) == 2 * 4 + 2  # and two in the legend
    assert {"before", "after"} <= set(texts(root))


def test_seen_words_carry_a_star():
    root = drawn(charts.word_bars(WORDS[["word", "value"]].assign(seen=[True, False, False, False])))
    assert "★ nurse" in texts(root)
    assert "mason" in texts(root)


def test_the_scatter_has_the_least_squares_line():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"word": [f"w{n}" for n in range(30)], "before": rng.normal(size=30)})
    table["after"] = 0.4 * table.before + rng.normal(0, 0.1, 30)
    chart = charts.before_after(table, ("base", "tuned"))
    fit = stats.linregress(table.before, table.after)
    assert f"slope {fit.slope:.2f}, r {fit.rvalue:.2f}" in chart.to_dict()["description"]
    ends = [
        row
        for row in dataset(chart)
        if row.get("along") in (table.before.min(), table.before.max()) and "up" in row
    ]
    expected = sorted(fit.intercept + fit.slope * table.before.agg(["min", "max"]))
    assert any(sorted(pair) == pytest.approx(expected) for pair in _pairs([row["up"] for row in ends]))
    assert {"base", "tuned"} <= set(texts(drawn(chart)))


def _pairs(values):
    return [(a, b) for a in values for b in values if a < b]


def test_a_scatter_of_one_value_has_no_line():
    table = pd.DataFrame({"word": ["a", "b"], "before": [0.5, 0.5], "after": [0.1, 0.2]})
    assert "slope" not in charts.before_after(table).to_dict()["description"]


def test_the_workforce_scatter_falls_where_the_model_follows_the_world():
    table = pd.DataFrame(
        {"word": ["mason", "judge", "nurse"], "women_share": [3.0, 50.0, 89.0], "value": [0.9, 0.3, -0.4]}
    )
    fit = stats.linregress(table.women_share, table.value)
    chart = charts.workforce(table.assign(group=["male", "balanced", "female"]))
    assert f"r {fit.rvalue:.2f}" in chart.to_dict()["description"]
    assert {"male", "balanced", "female"} <= set(texts(drawn(chart)))


def test_positive_and_negative_bias():
    """Jentzsch & Turan's bars: means of the non-zero values above and below 0, and of their absolute values."""
    rng = np.random.default_rng(1)
    values = pd.Series(rng.normal(0.01, 0.02, 200)).where(rng.random(200) > 0.3, 0.0)
    table = charts.mean_positive_negative(values, pd.Series(["original"] * 100 + ["mix"] * 100))
    first = values[:100].to_numpy()
    assert table.positive[0] == pytest.approx(first[first > 0].mean())
    assert table.negative[0] == pytest.approx(first[first < 0].mean())
    assert table.absolute[0] == pytest.approx(np.abs(first[first != 0]).mean())
    root = drawn(charts.positive_negative(table))
    assert len(with_fill(root, style.MALE)) == len(with_fill(root, style.FEMALE)) == 2
    families = table.assign(family=["original", "mix"], set=["pronouns", "weat"])
    spec = charts.positive_negative(families).to_dict()
    assert [panel["title"]["text"] for panel in spec["vconcat"]] == [["pronouns"], ["weat"]]


def test_the_forest_has_a_scale_for_each_unit_and_the_ideal_in_each():
    rows = pd.DataFrame(
        {
            "panel": ["lean", "lean", "% male"],
            "label": ["all", "women", "all"],
            "value": [0.2, -0.1, 61.0],
            "ci_low": [0.1, -0.3, np.nan],
            "ci_high": [0.3, 0.1, np.nan],
            "ideal": [0.0, 0.0, 50.0],
            "by_gender": [True, True, False],
        }
    )
    chart = charts.forest(rows)
    spec = chart.to_dict()
    assert len(spec["vconcat"]) == 2
    assert sorted(row["at"] for row in dataset(chart) if "at" in row) == [0.0, 50.0]
    root = drawn(chart)
    intervals = [line.get("stroke") for line in root.iter(f"{SVG}line")]
    assert intervals.count(style.MALE) == intervals.count(style.FEMALE) == 1  # above the ideal, and below it
    assert style.NEUTRAL not in intervals
    assert "% male (ideal 50): all 61.000." in spec["description"]


def test_a_forest_without_an_ideal_has_no_line():
    rows = pd.DataFrame(
        {
            "panel": ["P"],
            "label": ["all"],
            "value": [1.0],
            "ci_low": [0.5],
            "ci_high": [2.0],
            "ideal": [np.nan],
        }
    )
    assert not [row for row in dataset(charts.forest(rows)) if "at" in row]


def test_the_heat_map_shows_values_and_copes_with_missing_effects():
    table = pd.DataFrame(
        {
            "model": ["a", "b"],
            "measure": ["ppd", "ppd"],
            "effect_size": [2.0, np.nan],
            "text": ["0.44", "0.10"],
        }
    )
    assert {"0.44", "0.10", "a", "b", "ppd"} <= set(texts(drawn(charts.heat_map(table))))


def test_the_power_curve_tells_where_it_crosses_four_in_five():
    table = pd.DataFrame(
        {
            "bias": [0.0, 0.1, 0.2] * 2,
            "power": [0.05, 0.85, 0.99, 0.05, 0.2, 0.4],
            "measure": ["x"] * 3 + ["y"] * 3,
        }
    )
    chart = charts.power_curve(table)
    assert chart.to_dict()["description"].endswith("from x 0.100, y more than 0.200.")
    assert {"x", "y"} <= set(texts(drawn(chart)))


def test_inline_pictures_have_ids_of_their_own_and_one_description():
    chart = charts.heat_map(
        pd.DataFrame({"model": ["a"], "measure": ["m"], "effect_size": [1.0], "text": ["1"]})
    )
    first, second = charts.inline_svg(chart, "first"), charts.inline_svg(chart, "second")
    ids = [set(re.findall(r'\bid="([^"]+)"', svg)) for svg in (first, second)]
    assert ids[0]  # the gradient of the legend
    assert not ids[0] & ids[1]
    assert set(re.findall(r"url\(#([^)]+)\)", first)) <= ids[0]
    assert first.count("role=") == first.count("aria-label=") == 1


def test_text_in_pictures_is_escaped():
    svg = charts.inline_svg(
        charts.word_bars(pd.DataFrame({"word": ["<script>x</script>"], "value": [1.0]})), "evil"
    )
    assert "<script" not in svg
    assert "&lt;script&gt;" in svg


@pytest.mark.parametrize("layout", [charts.WIDE, charts.NARROW])
def test_scales_of_biases_hold_their_zero_or_ideal(layout):
    far = WORDS.assign(value=[5.0, 5.1, 5.2, 5.3], ci_low=4.9, ci_high=5.4, label=WORDS.word, panel="p")
    assert "0" in numbers_of_axes(charts.forest(far.assign(ideal=np.nan), layout=layout))
    assert "0" in numbers_of_axes(charts.forest(far.assign(ideal=0.0), layout=layout))
    assert "50" in numbers_of_axes(
        charts.forest(far.assign(value=60.0, ci_low=59.0, ci_high=61.0, ideal=50.0), layout=layout)
    )
    scatter = charts.before_after(far.assign(before=far.value, after=far.value + 1), layout=layout)
    assert numbers_of_axes(scatter).count("0") == 2
    assert (
        numbers_of_axes(charts.workforce(far.assign(women_share=[40.0, 41, 42, 43]), layout=layout)).count(
            "0"
        )
        == 2
    )


def numbers_of_axes(chart):
    return [text.removesuffix(".0") for text in texts(drawn(chart)) if re.fullmatch(r"−?[0-9.]+", text)]


def test_a_sign_that_means_no_gender_has_no_colour_of_one():
    bars = drawn(charts.word_bars(WORDS, by_gender=False))
    means = pd.DataFrame({"condition": ["all"], "positive": [0.1], "negative": [-0.1]})
    for root in (bars, drawn(charts.positive_negative(means, by_gender=False))):
        assert not with_fill(root, style.MALE)
        assert not with_fill(root, style.FEMALE)
        assert with_fill(root, style.NEUTRAL)


def test_men_and_women_have_their_colours_among_other_groups():
    assert style.colours_of(["balanced", "female", "male"]) == [style.CATEGORIES[0], style.FEMALE, style.MALE]
    assert not {style.MALE, style.FEMALE} & {*style.CATEGORIES, style.BEFORE, style.AFTER}


def test_pictures_are_as_wide_as_their_layout():
    """So that text has one size in all of them, however far the page scales them."""
    every = [
        partial(charts.word_bars, WORDS),
        partial(charts.forest, WORDS.assign(panel="p", label=WORDS.word, ideal=0.0)),
        partial(charts.workforce, WORDS.assign(women_share=[90.0, 60, 3, 8])),
        partial(charts.power_curve, pd.DataFrame({"bias": [0.0, 1.0], "power": [0.0, 1.0]})),
    ]
    for draw in every:
        for layout in (charts.WIDE, charts.NARROW):
            width = float(drawn(draw(layout=layout)).get("width"))
            assert width == pytest.approx(layout.width, abs=25)


def test_charts_use_no_colours_but_those_that_the_page_can_turn_dark():
    """Except where a scale mixes them (the heat map): that stays as it is, with text to match."""
    both = pd.concat([WORDS.assign(run=run) for run in ("before", "control", "after")])
    rows = WORDS.assign(
        panel=TOWARDS[GENDERS], label=WORDS.word, ideal=0.0, by_gender=[True, True, False, False]
    )
    curves = pd.DataFrame({"bias": [0.0, 1.0] * 4, "power": [0.0, 1.0] * 4, "measure": list("aabbccdd")})
    seen = WORDS.assign(before=WORDS.value, after=WORDS.value, group=WORDS.word, seen=[True, False] * 2)
    every = [
        charts.word_bars(WORDS),
        charts.word_bars(both),
        charts.workforce(WORDS.assign(women_share=[90.0, 60, 3, 8])),
        charts.before_after(seen),
        charts.forest(rows),
        charts.power_curve(curves),
        detectable_forest(rows),
    ]
    for chart in every:
        found = set(re.findall(r'(?:fill|stroke)="(#[0-9a-fA-F]+)"', charts.to_svg(chart)))
        assert found <= set(exchanged())


def exchanged():
    """The colours that the page exchanges, with what becomes of them on a dark page."""
    sheet = resources.files("counterpoise.report").joinpath("templates/style.css").read_text()
    dark = dict(
        re.findall(r"--(\w+): (#[0-9a-f]{3,6});", sheet.split("prefers-color-scheme: dark")[1].split("}")[0])
    )
    fills, strokes = (
        dict(re.findall(rf'svg \[{kind}="(#[0-9a-f]+)"\] {{ {kind}: var\(--(\w+)\)', sheet))
        for kind in ("fill", "stroke")
    )
    assert fills == strokes
    return {light: dark[name] for light, name in fills.items()}


def test_colours_can_be_told_from_the_page():
    """Text 4.5 to 1, bars and lines 3 to 1 (WCAG 2.2, 1.4.3 and 1.4.11); on white, bars of pale colours have labels."""
    dark = exchanged()
    for ink in (style.INK, style.SOFT):
        assert contrast(ink, "#ffffff") > 4.5
        assert contrast(dark[ink], "#14181c") > 4.5
    for colour in (style.MALE, style.FEMALE, style.NEUTRAL, style.BEFORE, style.AFTER, *style.CATEGORIES):
        assert contrast(colour, "#ffffff") > 2
        assert contrast(dark[colour], "#14181c") > 3
    for colour in (style.MALE, style.FEMALE, style.NEUTRAL, style.AFTER):
        assert contrast(colour, "#ffffff") > 3


def contrast(first, second):
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
