"""A verdict per measure: a difference with its interval, or none with what would have been seen."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import counterpoise as cp
import runs
from counterpoise.core.numbers import estimate_text, number_text
from counterpoise.measures.base.result import Direction
from counterpoise.report.compare_page import comparison_figures, render_comparison, write_comparison
from counterpoise.report.verdicts import verdicts

EVIL = "<script>alert(1)</script>"
WITHOUT_SIDES = Direction("The words stand in one order.", "The words stand in several orders.")


def compared(tmp_path, **leans):
    return cp.compare(
        *(
            runs.save_run(tmp_path / name, runs.word_result(name, lean=lean, seed=n))
            for n, (name, lean) in enumerate(leans.items())
        )
    )


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (1.5, 0.5, "B leans less towards men than A: "),
        (0.5, 1.5, "B leans more towards men than A: "),
        (-1.5, -0.5, "B leans less towards women than A: "),
        (-0.5, -1.5, "B leans more towards women than A: "),
        (0.5, -0.5, "B leans more towards women than A: "),
        (-0.5, 0.5, "B leans more towards men than A: "),
    ],
)
def test_who_leans_more_and_towards_whom(tmp_path, before, after, expected):
    found = compared(tmp_path, A=before, B=after)
    row = found.rows.iloc[0]
    low, high = sorted((abs(row.ci_low), abs(row.ci_high)))
    [verdict] = verdicts(found)
    assert verdict.kind == "difference"
    told = estimate_text(abs(row.difference), low, high, 0)
    assert verdict.text == f"{expected}{told} in lean."


def test_no_difference_is_told_with_what_would_have_been_seen(tmp_path):
    found = compared(tmp_path, A=0.3, B=0.3)
    row = found.rows.iloc[0]
    assert row.p_adjusted > 0.05
    [verdict] = verdicts(found)
    assert verdict.kind == "same"
    assert verdict.text.startswith("B and A do not differ clearly in lean: ")
    assert (
        f"these items detect a difference of {number_text(row.smallest_detectable)} or more" in verdict.text
    )


def test_the_same_and_nothing_in_common(tmp_path):
    result = runs.word_result()
    same = cp.compare(*(runs.save_run(tmp_path / name, result) for name in "ab"))
    assert verdicts(same)[0].text == "b and a give the same answers to all 60 items."
    other = runs.word_result("other")
    other = replace(other, items=other.items.assign(text="x" + other.items.text))
    apart = cp.compare(tmp_path / "a", runs.save_run(tmp_path / "other", other))
    assert verdicts(apart)[0].text == "one and other cannot be compared: the two share no items."


def test_a_direction_without_sides_tells_higher_and_lower(tmp_path):
    folders = [
        runs.save_run(tmp_path / name, runs.word_result(name, lean=lean, seed=n, direction=WITHOUT_SIDES))
        for n, (name, lean) in enumerate({"A": 1.5, "B": 0.5}.items())
    ]
    assert verdicts(cp.compare(*folders))[0].text.startswith("lean is lower with B than with A: ")


def test_the_page_and_the_numbers_beside_it(tmp_path):
    found = compared(tmp_path, A=1.5, B=0.5)
    page = write_comparison(found, tmp_path / "out").read_text()
    assert verdicts(found)[0].text in page
    assert "The items that changed most" in page
    assert page.count("<figure>") == 3  # heat map, bars before and after, scatter
    document = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert document["models"] == ["A", "B"]
    assert document["verdicts"][0]["text"] == verdicts(found)[0].text
    assert len(document["differences"]) == len(found.rows)
    assert [figure.name for figure in comparison_figures(found)] == ["models", "own-bars", "own-scatter"]


def test_three_models_have_a_ranking_on_the_page(tmp_path):
    page = render_comparison(compared(tmp_path, A=0.0, B=0.05, C=3.0))
    assert "Ranking by distance from the ideal" in page
    assert len(verdicts(compared(tmp_path, A=0.0, B=0.05, C=3.0))) == 3


def test_text_in_a_comparison_is_escaped(tmp_path):
    folders = []
    for n, name in enumerate("AB"):
        result = runs.word_result(f"{EVIL}{name}", seed=n)
        items = result.items.assign(text=EVIL + result.items.text)
        evil = replace(
            result,
            items=items,
            direction=Direction(EVIL, EVIL),
            summary=result.summary.assign(statistic=EVIL),
        )
        folders.append(runs.save_run(tmp_path / name, evil))
    page = render_comparison(cp.compare(*folders))
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
