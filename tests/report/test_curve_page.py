"""What a curve says, shows and prints, from runs with known numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import checkpoints
from browser import DESK, opened
from counterpoise.core.files import write_text
from counterpoise.measures.base.result import Direction
from counterpoise.report.audits_terminal import print_audits
from counterpoise.report.charts import step_curve
from counterpoise.report.curve_page import render_audits
from counterpoise.report.curve_wording import curve_claims, differs
from counterpoise.studies.audits.results import ModelAudits, headline_table

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def curve(tmp_path_factory):
    leans = {0: 0.0, 500: 0.0, 1000: 0.6, 3000: 1.2}
    curve = checkpoints.made(tmp_path_factory.mktemp("curve"), leans, f"model {EVIL}")
    return replace(curve, failed={"checkpoint-2000": f"cannot load it {EVIL}"}, skipped=("tokenizer.json",))


def test_the_sentence_tells_the_last_step_beside_the_first(curve):
    [claim] = curve_claims(curve)
    last = curve.rows.iloc[-1]
    assert claim.kind == "difference"
    assert claim.text.startswith("Step 3,000 leans more towards men than step 0: ")
    assert f"{last.difference:.2f}" in claim.text
    assert claim.text.count("(p < .001)") == 1
    told_apart = int(differs(curve.rows).sum())
    assert claim.text.endswith(f" {told_apart} of the 3 later steps differ from step 0.")


def test_a_number_that_cannot_be_tested_is_told_side_by_side(tmp_path):
    curve = checkpoints.made(tmp_path, {0: 0.0, 500: 0.5})
    curve.rows["difference"] = np.nan
    [claim] = curve_claims(curve)
    assert claim.kind == "unsure"
    assert "at step 0 and" in claim.text
    assert "without a paired test" in claim.text


def test_the_page_says_how_p_values_are_adjusted_and_escapes_what_others_wrote(curve):
    page = render_audits(curve)
    assert EVIL not in page
    assert "checkpoint-2000: cannot load it &lt;script&gt;" in page
    assert "adjusted by Holm's method over all steps of a measure." in page
    assert page.count('scope="row" class="num"') == 4
    assert "tokenizer.json" in page


def test_a_long_table_is_cut_and_says_so(tmp_path, curve):
    many = replace(curve, rows=curve.rows.loc[np.repeat(curve.rows.index, 100)])
    page = render_audits(many)
    assert page.count('scope="row" class="num"') == 200
    assert "200 more rows are in curve.csv" in page


def test_a_chart_fills_the_points_that_differ(curve):
    rows = curve.rows.assign(panel="own", differs=differs(curve.rows))
    chart = step_curve(rows)
    [points] = [layer for layer in chart.to_dict()["vconcat"][0]["layer"] if layer["mark"]["type"] == "point"]
    assert points["encoding"]["fillOpacity"]["field"] == "differs"
    assert "at step 3,000" in chart.to_dict()["description"]


def test_what_is_printed(curve, capsys, tmp_path):
    print_audits(curve, tmp_path / "curve.html")
    out = capsys.readouterr().out
    assert "4 checkpoints, steps 0 to 3,000" in out
    assert "Differs. Step 3,000 leans more towards men than step 0" in out
    assert "failed: checkpoint-2000: cannot load it" in out
    assert "Skipped, since they are no models: tokenizer.json" in out


def test_views(curve, tmp_path):
    assert repr(curve) == "<BiasCurve of 4 checkpoints, steps 0 to 3,000: own>"
    assert curve.report() == curve.folder / "curve.html"
    assert curve.report(tmp_path / "page.html").is_file()
    assert [figure.name for figure in curve.plot()] == ["own-curve"]
    assert "Missing: checkpoint-2000." in curve._repr_html_()
    assert r"\begin{tabular}" in curve.to_latex()
    assert curve.to_frame() is curve.rows


def test_models_that_are_no_curve_stand_side_by_side(curve, capsys, tmp_path):
    results = {name: list(run.results.values()) for name, run in curve.runs.items()}
    rows, firsts = headline_table(results)
    audits = ModelAudits(curve.folder, curve.runs, rows, firsts, {}, (), (), 0)
    assert rows.model.tolist() == list(curve.runs)
    assert audits.report() == curve.folder / "models.html"
    print_audits(audits, audits.report())
    out = capsys.readouterr().out
    assert all(name in out for name in curve.runs)
    assert "Gender bias of 4 models" in (curve.folder / "models.html").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("size", [DESK, {"width": 390, "height": 844}], ids=["desk", "phone"])
def test_nothing_is_cut_or_out_of_view(browser, curve, tmp_path, size):
    small = curve.rows.assign(**{name: curve.rows[name] * 1e-5 for name in ("value", "ci_low", "ci_high")})
    directed = {
        name: replace(one, direction=Direction("More.", "Less.")) for name, one in curve.firsts.items()
    }
    write_text(tmp_path / "curve.html", render_audits(replace(curve, rows=small, firsts=directed)))
    with opened(browser, tmp_path / "curve.html", size) as found:
        assert [url for url in found.requests if not url.startswith(("file:", "data:"))] == []
        assert found.complaints == []
        assert found.overflow() <= 0
        assert found.out_of_view() == []
        assert found.cut_texts() == []
        assert found.smallest_text() > 9
        assert found.share_of_column() > 0.99
        assert found.violations() == []
