"""The example notebook, executed as a user would: every result shows itself, and nothing is left on the screen."""

from __future__ import annotations

import re
from pathlib import Path

import nbclient
import nbformat
import pytest

pytestmark = pytest.mark.slow

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook" / "counterpoise.ipynb"
# What each cell that ends with one of our results shows, by the name that the cell ends with.
SHOWN = {
    "result": "Pronoun preference by profession (PPD): builtin on pronoun_templates",
    "audit": "Is builtin fair to women and men?",
    "audit.plot()": "Pronoun preference",
    "run": "Is builtin fair to women and men?",
    "cp.corpus.measure_corpus(texts)": "texts: gender in the text",
    "debiased": "fairer: what debiasing gained and what it broke",
    "comparison": "builtin, fairer: gender bias compared",
}


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebook")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COUNTERPOISE_CACHE", str(folder / "cache"))
        patch.setenv("COUNTERPOISE_PROGRESS", "1")
        patch.delenv("COUNTERPOISE_DATA", raising=False)
        nbclient.NotebookClient(
            notebook, timeout=1200, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
        ).execute()
    return notebook, folder


def outputs(cell, kind):
    return [output["data"][kind] for output in cell.outputs if kind in output.get("data", {})]


def last_line(cell):
    return cell.source.splitlines()[-1]


@pytest.mark.parametrize("line", SHOWN)
def test_results_show_themselves(executed, line):
    [cell] = [cell for cell in executed[0].cells if cell.cell_type == "code" and last_line(cell) == line]
    shown = outputs(cell, "text/html")[-1]
    assert SHOWN[line] in shown
    assert 'class="counterpoise"' in shown
    assert "data:image/svg+xml;base64," in shown
    if line != "audit.plot()":
        assert '<table class="dataframe">' in shown


def test_nothing_else_is_printed(executed):
    """No warnings, and the progress bars are gone."""
    for cell in executed[0].cells:
        if cell.cell_type == "code":
            streams = [output.text for output in cell.outputs if output.output_type == "stream"]
            assert streams == [] or "print(" in cell.source
            bars = [shown for shown in outputs(cell, "text/html") if "<progress" in shown]
            assert bars == []


def test_plain_text_is_one_line(executed):
    """Where there is no HTML, as in a terminal, a result is a line and not a wall of tables."""
    [cell] = [
        cell for cell in executed[0].cells if cell.cell_type == "code" and last_line(cell) == "comparison"
    ]
    assert re.fullmatch(r"<Comparison of builtin, fairer: ppd>", outputs(cell, "text/plain")[-1])


def test_the_files_are_written(executed):
    folder = executed[1]
    assert (folder / "runs/builtin/report.html").is_file()
    assert (folder / "runs/comparison.html").is_file()


def test_the_notebook_is_stored_without_outputs():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.get("outputs") and not cell.get("execution_count") for cell in notebook.cells)
