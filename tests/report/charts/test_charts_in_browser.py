"""Charts in a real browser: whatever the labels are, nothing is cut, out of view or too small, wide and on a phone."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest

from browser import DESK, opened
from counterpoise.report import charts
from counterpoise.report.charts.agreement import agreement
from counterpoise.report.charts.overview import OTHER, TOWARDS, detectable_forest
from counterpoise.report.page import render_page
from counterpoise.report.table_text import numeric_columns, row_texts
from counterpoise.studies.replication.findings import Findings

pytestmark = pytest.mark.slow

PHONE = {"width": 390, "height": 844}
SMALL_PHONE = {"width": 360, "height": 740}
LABELS = [
    "customer service representative",
    "checkpoint-100000",
    "a label of sixty characters, which is what a model may be called"[:60],
    "an_identifier_without_a_single_space_" + "x" * 23,
    "nurse",
]
VALUES = np.array([0.9, -0.4, 0.2, 12.0, -3.0])


def every_chart():
    words = pd.DataFrame({"word": LABELS, "value": VALUES, "ci_low": VALUES - 0.5, "ci_high": VALUES + 0.5})
    grouped = words.assign(group=[LABELS[2], LABELS[2], LABELS[3], LABELS[3], LABELS[0]])
    runs = pd.concat([words.assign(run=name) for name in LABELS[1:4]])
    rows = words.assign(label=words.word, ideal=0.0, by_gender=True)
    steps = rows.assign(panel=LABELS[2:3] * 3 + LABELS[3:4] * 2, step=[0, 1, 2, 0, 1_000_000], differs=True)
    points = words.assign(before=words.value, after=words.value / 2, women_share=[0.0, 99, 50, 100, 2])
    means = pd.DataFrame({"condition": LABELS, "positive": 0.1, "negative": -0.2, "absolute": 0.15})
    cells = pd.DataFrame(
        [
            {"model": model, "measure": measure, "effect_size": 0.5, "text": "-0.000123"}
            for model in LABELS[:3]
            for measure in LABELS
        ]
    )
    curves = pd.DataFrame(
        [
            {"bias": bias, "power": bias, "measure": name}
            for name in LABELS
            for bias in np.linspace(0, 1, 5).tolist()
        ]
    )
    numbers = pd.DataFrame(
        {"kind": LABELS, "published": VALUES, "measured": VALUES + 0.5, "verdict": "differs"}
    )
    return {
        "bars": partial(charts.word_bars, grouped.assign(seen=True), LABELS[2]),
        "run-bars": partial(charts.word_bars, runs[["word", "value", "run"]], LABELS[3]),
        "curve": partial(charts.step_curve, steps),
        "forest": partial(charts.forest, rows.assign(panel=[LABELS[2]] * 3 + [LABELS[3]] * 2)),
        "overview": partial(detectable_forest, rows.assign(panel=[*TOWARDS.values()] * 2 + [OTHER])),
        "scatter": partial(
            charts.before_after, points.assign(group=words.word, seen=True), (LABELS[2], LABELS[3])
        ),
        "workforce": partial(charts.workforce, points.assign(group=words.word), LABELS[2]),
        "means": partial(charts.positive_negative, means.assign(family=LABELS, set=LABELS[2]), LABELS[2]),
        "heat": partial(charts.heat_map, cells),
        "power": partial(charts.power_curve, curves, LABELS[2]),
        "agreement": partial(agreement, numbers),
    }


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("charts") / "charts.html"
    figures = [charts.Figure(name, name, draw, "A caption.") for name, draw in every_chart().items()]
    text = render_page(
        "study.html",
        study=Findings("Every chart", "With long labels."),
        score=None,
        overview=None,
        figures=figures,
        texts=row_texts,
        numeric_columns=numeric_columns,
    )
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("size", [DESK, {"width": 800, "height": 900}, PHONE, SMALL_PHONE])
def test_long_labels_are_seen_in_full(browser, page, size):
    with opened(browser, page, size) as found:
        assert found.cut_texts() == []
        assert found.out_of_view() == []
        assert found.overflow() <= 0
        assert found.smallest_text() > 9
        assert found.share_of_column() > 0.99


def test_labels_have_all_their_letters(browser, page):
    with opened(browser, page, PHONE) as found:
        texts = found.page.evaluate(
            "[...document.querySelectorAll('figure svg.narrow text')].map(text => text.textContent)"
        )
    together = {text.replace(" ", "") for text in texts}
    for label in LABELS:
        assert label.replace(" ", "") in together


def test_the_instrument_sees_labels_that_are_cut(browser, tmp_path):
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<figure><svg viewBox='0 0 100 20' width='100' height='20'><text x='90' y='15' font-size='5'>much too long"
        "</text></svg></figure><div style='width: 2000px'>wide</div>"
    )
    with opened(browser, bad, PHONE) as found:
        assert found.cut_texts() == ["much too long"]
        assert "DIV: wide" in found.out_of_view()
        assert found.smallest_text() == pytest.approx(5)
        assert found.share_of_column() < 0.5
