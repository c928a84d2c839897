"""A comparison as a table for a paper: the numbers of the runs, marks from paired tests, and text that stays text."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from itertools import combinations

import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import counterpoise as cp
import runs
from counterpoise.core.errors import InputError
from counterpoise.core.numbers import estimate_text
from counterpoise.report.comparison_formats import write_format
from counterpoise.report.comparison_table import letters, table_rows, tidy_rows

ODD = "50 % of |A| & B_1 <b>#1</b> {x} \\cmd ~ ^ $5 [y](z)"
LEANS = {"bert": 1.0, "roberta": 0.3, ODD: 0.25}


@pytest.fixture(scope="module")
def results():
    return {
        name: {
            measure: runs.word_result(name, lean=lean * sign, seed=seed, measure=measure)
            for measure, sign in (("own", 1), ("lpbs", -1))
        }
        for seed, (name, lean) in enumerate(LEANS.items())
    }


@pytest.fixture(scope="module")
def comparison(results, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return cp.compare(
        *(runs.save_run(folder / f"{n}", *found.values()) for n, found in enumerate(results.values()))
    )


def p_of_pair(results, measure, first, second):
    """Student's t over the mean differences of words, which both models were asked about."""
    words = [results[name][measure].items.groupby("word").own.mean() for name in (first, second)]
    return stats.ttest_1samp(words[1] - words[0], 0).pvalue


def test_cells_are_the_numbers_of_the_runs(comparison, results):
    rows = table_rows(comparison)
    assert [row.title for row in rows] == ["own", rows[1].title]
    assert rows[1].title.startswith("Gender association of professions (LPBS)")
    for measure, row in zip(("own", "lpbs"), rows, strict=True):
        assert (row.statistic, row.ideal) == ("lean", "0")
        for name, cell in row.cells.items():
            own = results[name][measure].headline
            assert cell.text == estimate_text(own.value, own.ci_low, own.ci_high)
        distances = {name: abs(results[name][measure].items.own.mean()) for name in LEANS}
        assert row.closest == [min(distances, key=distances.get)]


def test_letters_name_the_models_that_differ_after_correction(comparison, results):
    letter = letters(comparison)
    assert list(letter.values()) == ["a", "b", "c"]
    overall = comparison.rows[(comparison.rows.measure == "own") & (comparison.rows.level == "overall")]
    adjusted = multipletests(overall.p_value, method="holm")[1]
    [row, _] = table_rows(comparison)
    expected = {name: [] for name in LEANS}
    for first, second in combinations(LEANS, 2):
        lean = (overall["first"] == first) & (overall["second"] == second) & (overall.key == "lean")
        assert overall.p_value[lean].item() == pytest.approx(p_of_pair(results, "own", first, second))
        if adjusted[lean.to_numpy()].item() < 0.05:
            expected[first].append(letter[second])
            expected[second].append(letter[first])
    assert expected["bert"] == ["b", "c"]  # 1 against .3 and .25 with a spread of .2 between words
    assert expected["roberta"] == ["a"]
    assert {name: list(cell.differs_from) for name, cell in row.cells.items()} == expected


def test_csv_is_tidy(comparison, results, tmp_path):
    path = write_format(comparison, tmp_path, "csv")["table"]
    table = pd.read_csv(path)
    assert path.name == "comparison.csv"
    assert not table.duplicated(["measure", "key", "model"]).any()
    assert set(table[table.is_headline].key) == {"lean"}
    own = table[(table.measure == "own") & (table.key == "lean")].set_index("model")
    assert list(own.index) == list(LEANS)
    for name in LEANS:
        assert own.value[name] == pytest.approx(results[name]["own"].items.own.mean())
        assert own.n[name] == 60
    assert own.reference.fillna("").tolist() == ["", "bert", "bert"]
    assert own.difference.isna().tolist() == [True, False, False]
    assert own.difference["roberta"] == pytest.approx(own.value["roberta"] - own.value["bert"])
    assert own.difference_p_value["roberta"] == pytest.approx(p_of_pair(results, "own", "bert", "roberta"))
    assert own.difference_n["roberta"] == 60
    assert "60.0" not in path.read_text()
    assert len(tidy_rows(comparison)) == len(pd.read_csv(io.StringIO(path.read_text())))


def test_markdown_has_a_column_per_model_and_the_references(comparison, tmp_path):
    text = write_format(comparison, tmp_path, "md")["table"].read_text()
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {8}  # seven columns, whatever the text
    assert "bert (a)" in lines[0]
    assert lines[2].split("|")[4].strip().endswith("(b, c)")
    assert not re.search(r"(?<!\\)<b>", text)
    references = text.split("## References")[1]
    assert "Keita Kurita" in references
    assert "Marion Bartl" in references
    assert "Nobody (2020). Nothing." in references


def test_latex_is_whole_and_escaped_and_cites_what_is_in_the_bib_file(comparison, tmp_path):
    files = write_format(comparison, tmp_path, "latex")
    text, references = files["table"].read_text(), files["references"].read_text()
    assert files["references"].name == "comparison.bib"
    assert re.findall(r"\\cite\{(.*?)\}", text) == ["kurita2019,bartl2020"]
    assert re.findall(r"@\w+\{(\w+),", references) == ["kurita2019", "bartl2020"]
    assert text.count("\\toprule") == text.count("\\midrule") == text.count("\\bottomrule") == 1
    assert text.count("\\begin{tabular}") == text.count("\\end{tabular}") == 1 + 3 + 2 * 3
    body = text[text.index("\\toprule") : text.index("\\bottomrule")]
    rows = [line for line in body.splitlines() if "&" in line]
    assert len(rows) == 3
    for line in rows:
        assert line.endswith(r" \\")
        assert len(re.findall(r"(?<!\\)&", line)) == 4
        assert not re.search(r"(?<!\\)[%#_]", line)
        assert not re.search(r"(?<!\\)\$", line.replace("$-$", ""))
        assert not re.search(r"[<>|^]", line)
    brackets = re.findall(r"(?<!\\)[{}]", re.sub(r"(?<!\\)%.*", "", text))
    assert brackets.count("{") == brackets.count("}")
    assert r"\textsuperscript{b,c}" in rows[1]
    assert rows[1].count("\\textbf") == 1


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
@pytest.mark.parametrize("columns", ["onecolumn", "twocolumn"])
def test_latex_fits_the_page(comparison, tmp_path, columns):
    table = write_format(comparison, tmp_path, "latex")["table"]
    packages = re.search(r"\\usepackage\{.*?\}", table.read_text())[0]
    text = f"\\documentclass[{columns}]{{article}}{packages}\\begin{{document}}\\input{{{table}}}\\end{{document}}"
    (tmp_path / "paper.tex").write_text(text)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout
    assert "Overfull" not in ended.stdout


def test_a_model_without_the_statistic_has_an_empty_cell(results, tmp_path):
    changed = runs.word_result("third", seed=5)
    changed.summary["key"] = "x." + changed.summary.key
    changed.summary["statistic"] = "another statistic"
    folders = [
        runs.save_run(tmp_path / str(n), result)
        for n, result in enumerate([results["bert"]["own"], results["roberta"]["own"], changed])
    ]
    found = cp.compare(*folders)
    [row] = table_rows(found)
    assert list(row.cells) == ["bert", "roberta"]
    line = write_format(found, tmp_path / "out", "md")["table"].read_text().splitlines()[4]
    assert line.startswith("| own | lean | 0 | ")
    assert line.split("|")[6].strip() == ""


def test_every_format_has_the_numbers_and_the_page_is_the_default(comparison, tmp_path):
    for format in ("html", "md", "latex", "csv"):
        files = write_format(comparison, tmp_path / format, format)
        assert all(path.is_file() for path in files.values())
        assert files["numbers"].name == "comparison.json"
    assert next(iter(write_format(comparison, tmp_path / "default"))) == "page"


def test_an_unknown_format_writes_nothing(comparison, tmp_path):
    with pytest.raises(InputError, match=r"there is no format 'latx'.*did you mean 'latex'"):
        write_format(comparison, tmp_path / "out", "latx")
    assert not (tmp_path / "out").exists()
