"""Markdown, the model card and LaTeX: complete, escaped, and as their readers want them."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace

import pytest
import yaml
from huggingface_hub import ModelCard

import runs
from counterpoise.core.errors import InputError, RunError
from counterpoise.core.numbers import estimate_parts
from counterpoise.measures.base.result import Direction
from counterpoise.report.card import BEGIN, END
from counterpoise.report.formats import write_format

ODD = "50 % of |A| & B_1 <b>#1</b> {x} \\cmd ~ ^ $5 [y](z)"


@pytest.fixture
def folder(tmp_path):
    return runs.save_run(tmp_path / "run", runs.word_result("my/model"))


@pytest.fixture
def odd(tmp_path):
    result = runs.word_result(ODD)
    summary = result.summary.assign(statistic=ODD)
    return runs.save_run(
        tmp_path / "odd",
        replace(result, summary=summary, direction=Direction(ODD, ODD), citation=ODD, warnings=(ODD,)),
    )


def test_markdown_has_the_headline_and_every_row(folder):
    text = write_format(folder, "md").read_text()
    result = runs.word_result("my/model")
    assert text.startswith("# my/model: gender bias")
    assert "The model reads people as men." in text
    for row in result.summary[result.summary.level != "word"].itertuples():
        assert f"| {row.group} | " in text
        value, interval = estimate_parts(row.value, row.ci_low, row.ci_high)
        assert f"| {value} | " in text
        assert interval.replace("[", r"\[").replace("]", r"\]") in text or interval in text


def test_markdown_is_escaped(odd):
    text = write_format(odd, "md").read_text()
    assert not re.search(r"(?<!\\)<b>", text)
    assert not re.search(r"(?<!\\)\[y", text)
    cells = {len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines() if line.startswith("|")}
    assert cells == {10}  # nine columns in every row, whatever the text


def test_the_hub_reads_the_card(folder):
    card = ModelCard(write_format(folder, "card").read_text())
    [first, *_] = card.data.eval_results
    result = runs.word_result("my/model")
    assert card.data.model_name == "my/model"
    assert first.metric_type == "own"
    assert first.metric_value == pytest.approx(result.overall.value.iloc[0])
    assert first.metric_args["ci_low"] == pytest.approx(result.overall.ci_low.iloc[0])
    assert "## Bias, risks, and limitations" in card.text


def test_metadata_survive_odd_names(odd):
    text = write_format(odd, "card").read_text()
    [entry] = yaml.safe_load(text.split("---\n")[1])["model-index"]
    assert entry["name"] == ODD
    assert entry["results"][0]["task"]["type"] == "other"  # a measure that is not in the catalogue


@pytest.mark.parametrize(
    ("kind", "task"), [("masked", "fill-mask"), ("causal", "text-generation"), ("coreference", "other")]
)
def test_the_task_of_the_card_is_that_of_the_model(kind, task, tmp_path):
    results = runs.word_result(measure="lpbs"), runs.word_result(measure="sld")  # of several kinds of model
    folder = runs.save_run(tmp_path / "run", *results, kind=kind)
    text = write_format(folder, "card").read_text()
    [entry] = yaml.safe_load(text.split("---\n")[1])["model-index"]
    assert {result["task"]["type"] for result in entry["results"]} == {task}
    metrics = [metric["type"] for result in entry["results"] for metric in result["metrics"]]
    assert set(metrics) == {"lpbs", "sld"}  # on one dataset: none of them gets lost


def test_latex_tables_are_whole_and_escaped(odd):
    text = write_format(odd, "latex").read_text()
    assert text.count("\\toprule") == text.count("\\bottomrule") == 1
    body = text[text.index("\\midrule") : text.index("\\bottomrule")]
    for line in body.splitlines()[1:]:
        assert line.endswith(r" \\")
        assert len(re.findall(r"(?<!\\)&", line)) == 8
        assert not re.search(r"(?<!\\)[%#_]", line)
        assert not re.search(r"(?<!\\)\$", line.replace("$-$", ""))
        assert not re.search(r"[<>|^~]", line)
    assert r"50 \% of \textbar{}A\textbar{} \& B\_1 \textless{}b\textgreater{}\#1" in body


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
@pytest.mark.parametrize("columns", ["onecolumn", "twocolumn"])
def test_latex_tables_fit_the_page(odd, tmp_path, columns):
    table = write_format(odd, "latex")
    packages = re.search(r"\\usepackage\{.*?\}", table.read_text())[0]
    text = f"\\documentclass[{columns}]{{article}}{packages}\\begin{{document}}\\input{{{table}}}\\end{{document}}"
    (tmp_path / "paper.tex").write_text(text)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout
    assert "Overfull" not in ended.stdout
    assert "Missing character" not in ended.stdout


def test_an_unfinished_run_says_so_in_every_format(tmp_path):
    folder = runs.save_run(tmp_path / "half", runs.word_result(), finished=False)
    for format in ("md", "card", "latex"):
        assert "not finished" in write_format(folder, format).read_text()


def test_an_unknown_format_and_no_run(folder, tmp_path):
    with pytest.raises(InputError, match=r"there is no format 'mdd'.*did you mean 'md'"):
        write_format(folder, "mdd")
    with pytest.raises(RunError, match="is not a run"):
        write_format(tmp_path, "md")


def test_the_card_holds_no_raw_html(tmp_path):
    evil = "<script>alert(1)</script>: 'a' \"b\" \\ <b>"
    result = runs.word_result(evil)
    result = replace(result, dataset=evil, summary=result.summary.assign(statistic=evil))
    text = write_format(runs.save_run(tmp_path / "run", result), "card").read_text()
    assert not re.search(r"(?<!\\)<", text.replace(BEGIN, "").replace(END, ""))
    [entry] = yaml.safe_load(text.split("---\n")[1])["model-index"]
    assert entry["name"] == entry["results"][0]["dataset"]["name"] == evil
    assert ModelCard(text).data.model_name == evil
