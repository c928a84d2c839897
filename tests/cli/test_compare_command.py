"""`counterpoise compare` as a person meets it."""

from __future__ import annotations

import json

import pytest

import runs
import tiny
from adapters import save_adapter
from counterpoise.cli.main import run


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return [
        str(runs.save_run(folder / name, runs.word_result(name, lean=lean, seed=n)))
        for n, (name, lean) in enumerate({"before": 1.5, "after": 0.5}.items())
    ]


def test_runs_are_compared_and_the_verdict_is_shown(folders, tmp_path, capsys):
    out = tmp_path / "out"
    assert run(["compare", *folders, "--out", str(out), "--charts", "svg"]) == 0
    shown = capsys.readouterr().out
    assert "after leans less towards men than before" in shown
    assert str(out / "compare.html") in shown
    assert (out / "compare.html").exists()
    assert json.loads((out / "comparison.json").read_text())["schema"] == 1
    assert {path.name for path in (out / "charts").iterdir()} == {
        "models.svg",
        "own-bars.svg",
        "own-scatter.svg",
    }


@pytest.mark.parametrize(
    ("format", "names"),
    [("md", ["comparison.md"]), ("latex", ["comparison.tex", "comparison.bib"]), ("csv", ["comparison.csv"])],
)
def test_a_table_for_a_paper(folders, tmp_path, capsys, format, names):
    out = tmp_path / "out"
    assert run(["compare", *folders, "--out", str(out), "--format", format]) == 0
    assert {path.name for path in out.iterdir()} == {*names, "comparison.json"}
    shown = capsys.readouterr().out
    assert all(str(out / name) in shown for name in names)


@pytest.mark.slow
def test_an_adapter_is_of_one_model_beside_runs(few_questions, tmp_path, capsys):
    base = tiny.save("llama", tmp_path / "base")
    adapter = save_adapter(base, tmp_path / "adapter")
    options = ["--measures", "sld", "--out"]
    assert run(["audit", str(base), *options, str(tmp_path / "run")]) == 0
    command = ["compare", str(tmp_path / "run"), str(base), "--adapter", str(adapter), *options]
    assert run([*command, str(tmp_path / "out")]) == 0
    manifest = json.loads((tmp_path / "out" / "2-base" / "manifest.json").read_text())
    assert manifest["options"]["loading"]["adapter"] == str(adapter)


@pytest.mark.parametrize("option", ["--adapter", "--revision", "--model"])
@pytest.mark.parametrize("beside", ["builtin", None])
def test_what_belongs_to_one_model_is_not_for_two_or_none(option, beside, folders, tmp_path, capsys):
    models = ["builtin", beside] if beside else folders
    assert run(["compare", *models, option, "x", "--out", str(tmp_path / "out")]) == 2
    assert f"{option} belongs to one model" in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_models_are_audited_first(few_questions, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    models = [str(tiny.save(kind, tmp_path / kind)) for kind in ("bert", "distilbert")]
    assert run(["compare", *models, "--measures", "ppd", "--offline"]) == 0
    assert (tmp_path / "runs" / "compare-bert-distilbert" / "1-bert" / "summary.json").exists()
    assert "distilbert" in capsys.readouterr().out


@pytest.mark.slow
def test_models_that_are_audited_first_are_loaded_as_asked(few_questions, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    models = [str(tiny.save("gpt2", tmp_path / name)) for name in ("one", "two")]
    asked = [
        "compare",
        *models,
        "--measures",
        "ppd",
        "--offline",
        "--precision",
        "float64",
        "--start",
        "none",
    ]
    assert run(asked) == 0
    for folder in ("1-one", "2-two"):
        manifest = json.loads((tmp_path / "runs" / "compare-one-two" / folder / "manifest.json").read_text())
        assert manifest["options"]["precision"] == "float64"
        assert manifest["options"]["text_start"] == ""
    assert run(["compare", *models, "--chat", "--out", str(tmp_path / "chat")]) == 2
    assert "has no chat template" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{0}"], "a comparison needs two models or runs"),
        (["{0}", "{0}"], "is compared with itself"),
        (["{0}", "{1}", "--measures", "pdd"], "there is no measure 'pdd'"),
        (["{0}", "{1}", "--format", "card"], "there is no format 'card'"),
        (["{0}", "{1}", "--charts", "gif"], "there is no format of charts 'gif'"),
        (["{0}", "./nowhere", "--offline"], "nowhere"),
    ],
)
def test_mistakes_are_one_line(folders, tmp_path, capsys, arguments, message):
    filled = [argument.format(*folders) for argument in arguments]
    assert run(["compare", *filled, "--out", str(tmp_path / "out")]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
