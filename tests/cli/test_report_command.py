"""`counterpoise report` as a person meets it."""

from __future__ import annotations

import pytest

import runs
from counterpoise.cli.main import run


@pytest.fixture
def folder(tmp_path):
    return runs.save_run(tmp_path / "run", runs.word_result())


@pytest.mark.parametrize(
    ("format", "name"),
    [
        ("html", "report.html"),
        ("md", "report.md"),
        ("card", "model-card.md"),
        ("latex", "report.tex"),
        ("lm-eval", "results_lm-eval.json"),
        ("every-eval-ever", "every-eval-ever.json"),
    ],
)
def test_every_format_is_a_file_in_the_folder(folder, capsys, format, name):
    assert run(["report", str(folder), "--format", format]) == 0
    assert capsys.readouterr().out.strip() == str(folder / name)
    assert (folder / name).stat().st_size > 500


def test_charts_are_files_too(folder, capsys):
    assert run(["report", str(folder), "--charts", "svg"]) == 0
    written = capsys.readouterr().out.split()
    assert str(folder / "charts" / "own-forest.svg") in written
    assert all(name.endswith(".svg") for name in written)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere is not a run: it has no manifest.json"),
        (
            ["{run}", "--format", "docx"],
            "there is no format 'docx' (there are: card, every-eval-ever, html, latex, lm-eval, md)",
        ),
        (["{run}", "--charts", "gif"], "there is no format of charts 'gif' (there are: pdf, png, svg)"),
    ],
)
def test_mistakes_are_one_line(folder, capsys, arguments, message):
    assert run(["report", *(argument.format(run=folder) for argument in arguments)]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
