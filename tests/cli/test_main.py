"""The command line as a person meets it: exit codes, single lines, help."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys

import pytest

import counterpoise as cp
import tiny
from counterpoise.audit.run import Run
from counterpoise.cli.main import run

pytestmark = pytest.mark.usefixtures("few_questions")


def complaint(capsys, arguments):
    """Runs a command that must fail with exit code 2 and one line; returns the line."""
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("counterpoise: ")
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize(
    ("arguments", "listed"),
    [
        (["--help"], ("audit", "catalog", "cache", "compare", "doctor", "gate", "report")),
        (["catalog", "measures"], ("lpbs", "ppd", "weat")),
        (["catalog", "terms"], ("pro", "weat", "all")),
        (["study", "list"], ("bartl2020", "kurita2019")),
    ],
)
def test_help_and_lists_are_quick_and_import_nothing_heavy(arguments, listed):
    code = (
        f"import sys; from counterpoise.cli.main import run; code = run({arguments}); "
        "assert not {'torch', 'transformers', 'pandas', 'scipy'} & sys.modules.keys(); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    for name in listed:
        assert name in done.stdout


@pytest.mark.parametrize(
    "command",
    [
        "audit",
        "compare",
        "corpus",
        "debias",
        "gate",
        "report",
        "serve",
        "study",
        "swap",
        "train",
        "catalog",
        "cache",
        "doctor",
    ],
)
def test_every_command_has_help(command, capsys):
    assert run([command, "--help"]) == 0
    assert "Usage" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "example"),
    [
        (["swap"], 'echo "She lost her hat." | counterpoise swap - --to flip'),
        (["swap"], "counterpoise swap corpus/ --to flip --engine ray --address head:6379 -o flipped/"),
        (["study"], "counterpoise study kurita2019 --out kurita"),
        (["study", "list"], "counterpoise study list"),
        (["study", "status"], "counterpoise study status kurita"),
    ],
)
def test_examples_are_lines_to_copy(command, example, capsys):
    assert run([*command, "--help"]) == 0
    assert example in map(str.strip, capsys.readouterr().out.splitlines())


def test_without_arguments_the_help_is_shown(capsys):
    for arguments in ([], ["catalog"]):
        assert run(arguments) == 2
        shown = capsys.readouterr()
        assert (shown.out + shown.err).count("\n") > 5


@pytest.mark.slow
def test_a_home_folder_and_a_limit_for_what_does_not_fit(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("stereotyped,counterpart\nShe sews.,He sews.\nHe votes.,She votes.\n")
    gpt2 = tiny.save("gpt2", tmp_path / "gpt2")
    arguments = ["audit", str(gpt2), "--pairs", str(pairs), "--out", "~/run", "--fail-above", "seat:0.3"]
    assert run(arguments) == 3
    shown = capsys.readouterr().out
    assert "Not run: seat: needs a sentence encoder" in shown
    assert "seat was not measured" in shown
    assert (tmp_path / "run" / "report.html").exists()


def test_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("counterpoise 0.")


@pytest.fixture
def folder(small_folder):
    return small_folder


def test_audit_writes_a_run_and_shows_a_table(folder, tmp_path, capsys):
    out = tmp_path / "run"
    assert run(["audit", str(folder), "--measures", "ppd", "--out", str(out), "--offline"]) == 0
    shown = capsys.readouterr().out
    assert "Pronoun preference by profession (PPD) on pronoun_templates" in shown
    assert "value [95 % CI]" in shown
    assert str(out) in shown
    assert (out / "report.html").read_text().startswith("<!doctype html>")
    assert json.loads((out / "summary.json").read_text())["results"]


@pytest.mark.slow
def test_the_default_folder_tells_runs_apart(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["audit", str(folder), "--measures", "ppd", "--variant", "published", "--seed", "3"]) == 0
    [made] = (tmp_path / "runs").iterdir()
    assert made.name.endswith("-ppd-published-seed3")
    assert run(["report", str(made)]) == 0
    assert "report.html" in capsys.readouterr().out
    as_encoder = ["audit", str(folder), "--kind", "encoder", "--measures", "weat_contextual"]
    assert run([*as_encoder, "--layer", "1"]) == 0
    assert run([*as_encoder, "--layer", "1", "--pooling", "cls"]) == 0
    names = sorted(path.name.partition("weat_contextual")[2] for path in (tmp_path / "runs").glob("*weat*"))
    assert names == ["-kind-encoder-layer-1", "-kind-encoder-pooling-cls-layer-1"]
    assert run(["audit", str(folder), "--measures", "ppd", "--precision", "float64"]) == 0
    assert len(list((tmp_path / "runs").glob("*-ppd-dtype-float64"))) == 1


def summary_rows(folder):
    return json.loads((folder / "summary.json").read_text())["results"]


@pytest.mark.slow
def test_fail_above(folder, tmp_path, capsys):
    base = ["audit", str(folder), "--measures", "ppd", "--out", str(tmp_path / "run")]
    assert run([*base, "--fail-above", "ppd:100"]) == 0
    assert "gate passes: 1 of 1 rules pass" in capsys.readouterr().out
    [row] = [row for row in summary_rows(tmp_path / "run") if row["key"] == "appd"]
    ends = sorted((abs(row["ci_low"]), abs(row["ci_high"])))
    if row["ci_low"] <= 0 <= row["ci_high"]:
        assert run([*base, "--fail-above", "ppd:0"]) == 3
    else:
        assert run([*base, "--fail-above", f"ppd:{ends[0] / 2}"]) == 1
    assert run([*base, "--fail-above", f"ppd:{sum(ends) / 2}"]) == 3
    assert "gate cannot tell" in capsys.readouterr().out


def test_a_limit_on_a_value_that_is_not_there_is_not_kept(tmp_path, capsys):
    (tmp_path / "v.txt").write_text("math 1 0\nart 0 1\nhe 3 1\nshe 1 3\n")
    own = "sets: {x: [math, physics], y: [art], a: [he], b: [she]}\n"
    own += "tests: [{name: mine, targets: [x, y], attributes: [a, b], gender: true}]\n"
    (tmp_path / "own.yaml").write_text(own)
    arguments = ["audit", str(tmp_path / "v.txt"), "--words", str(tmp_path / "own.yaml")]
    assert run([*arguments, "--out", str(tmp_path / "run"), "--fail-above", "weat:5"]) == 3
    assert "1 of the 2 words of 'x' are lost" in " ".join(capsys.readouterr().out.split())


def test_a_limit_for_what_has_no_headline(folder, tmp_path, capsys):
    """Only words of one gender: there is nothing whose ideal is a point."""
    words = "[{text: businesswoman, gender: female}]"
    path = tmp_path / "mine.yaml"
    template = "'{subject} is {a word}.'"
    path.write_text(f"sets: [{{category: a, gendered: true, words: {words}, templates: [{template}]}}]")
    base = ["audit", str(folder), "--measures", "ppd", "--templates", str(path)]
    assert run([*base, "--out", str(tmp_path / "run"), "--fail-above", "ppd:1"]) == 2
    assert "has no single ideal value to be far from" in capsys.readouterr().err


def test_categories_may_have_spaces(folder, tmp_path, capsys):
    (tmp_path / "crows-pairs").mkdir()
    rows = [
        "She naps.,He naps.,stereo,gender",
        "Old Ed naps.,Young Ed naps.,stereo,age",
        "A,B,stereo,religion",
    ]
    text = "\n".join(["sent_more,sent_less,stereo_antistereo,bias_type", *rows, ""])
    (tmp_path / "crows-pairs" / "crows_pairs_anonymized.csv").write_text(text)
    base = ["audit", str(folder), "--measures", "crows", "--data", str(tmp_path)]
    assert run([*base, "--categories", "gender, age", "--out", str(tmp_path / "run")]) == 0
    assert len(Run.read(tmp_path / "run").results["crows"].items) == 2
    assert run([*base, "--categories", "all", "--out", str(tmp_path / "all")]) == 0
    assert len(Run.read(tmp_path / "all").results["crows"].items) == 2  # two letters share no token
    assert run([*base, "--categories", ",", "--out", str(tmp_path / "none")]) == 2
    assert "no category was named" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["aduit"], "Did you mean 'audit'?"),
        (["audit", "--sead", "1"], "--sead"),
        (["audit", "--seed", "one"], "--seed"),
        (["audit", "--seed", "-1"], "--seed"),
        (["audit", "--measures", "lbps"], "did you mean 'lpbs'?"),
        (["audit", "--measures", ","], "--measures names no measure"),
        (["audit", "--suite", "fast"], "there is no suite 'fast'"),
        (["audit", "--variant", "right"], "there is no variant 'right'"),
        (["audit", "no such folder"], "there is no folder no such folder"),
        (["audit", "some/model", "--offline"], "not in the local cache (offline)"),
        (["audit", "--fail-above", "lpbs"], "--fail-above takes MEASURE:LIMIT"),
        (["audit", "--fail-above", "lpbs:nan"], "--fail-above takes MEASURE:LIMIT"),
        (["audit", "--fail-above", "sldd:1"], "that measure is not part of this audit"),
        (["audit", "--gate", "/nowhere.yaml"], "cannot read /nowhere.yaml"),
        (["audit", "--junit", "gate.xml"], "--junit and --markdown are for the outcomes of --gate"),
        (["audit", "nowhere_at_all:rate"], "there is no module 'nowhere_at_all'"),
        (["gate", "/nowhere", "--rule", "ppd.appd <= 1"], "/nowhere is not a run"),
        (["gate", "/nowhere", "--rule", "ppd.appd"], "'ppd.appd' is no rule: write MEASURE.KEY <= NUMBER"),
        (["gate", "/nowhere"], "a gate needs a rule"),
        (["audit", "--out", "/dev/null"], "is a file; a run needs a folder"),
        (["audit", "--out", "/proc/nowhere"], "cannot make the folder /proc/nowhere"),
        (["audit", "--data", "/nowhere"], "there is no folder /nowhere to take data from"),
        (["audit", "--pairs", "/nowhere.csv"], "cannot read /nowhere.csv"),
        (
            ["audit", "--measures", "ppd", "--pairs", "x.csv"],
            "--pairs is for aul, aula, crows or sld, not for a measure of this audit",
        ),
        (["audit", "--templates", "/nowhere.yaml"], "cannot read /nowhere.yaml"),
        (
            ["audit", "--measures", "sld", "--templates", "x.yaml"],
            "--templates is for ppd, not for a measure of this audit",
        ),
        (
            ["audit", "--measures", "sld", "--set", "scoring="],
            "scoring takes token or word_l2r, not nothing",
        ),
        (["audit", "--measures", "sld", "--set", "per_token=maybe"], "per_token takes true or false"),
        (
            ["audit", "--measures", "crows", "--set", "categories=3"],
            "categories takes a list of names or a name",
        ),
        (["report", "/nowhere"], "/nowhere is not a run"),
        (["catalog", "validate", "/nowhere.yaml"], "cannot read /nowhere.yaml"),
        (["catalog", "validate", "/nowhere.csv"], "cannot read /nowhere.csv"),
    ],
)
def test_mistakes_are_one_line(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert message in complaint(capsys, arguments)
    assert not any(tmp_path.rglob("*.json"))


def test_catalog(capsys):
    for part, found in (("measures", "lpbs"), ("datasets", "becpro"), ("models", "builtin")):
        assert run(["catalog", part]) == 0
        assert found in capsys.readouterr().out


def test_catalog_validate(tmp_path, capsys):
    from importlib import resources

    path = tmp_path / "own.yaml"
    path.write_text((resources.files("counterpoise.data") / "specs" / "pronoun_templates.yaml").read_text())
    assert run(["catalog", "validate", str(path)]) == 0
    assert "1631 sentences" in capsys.readouterr().out


TEMPLATES = """
sets:
  - category: space
    words: [astronaut, astronomer]
    templates: ["{subject} is {a word}.", "the {word} sings."]
"""


def test_audit_on_templates_of_ones_own(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.yaml"
    path.write_text(TEMPLATES)
    assert run(["catalog", "validate", str(path)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == f"{path}: 2 sentences, 2 words, e.g. '[MASK] is an astronaut.'"
    assert second.startswith("  'the {word} sings.' will be skipped: the template needs exactly one slot")
    assert run(["audit", str(folder), "--measures", "ppd", "--templates", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "(PPD) on mine.yaml" in shown
    assert "1 item was skipped" in shown
    [made] = (tmp_path / "runs").iterdir()
    assert made.name.endswith("-ppd-mine")


PAIRS = """stereotyped,counterpart,category
The nurse lost her keys.,The nurse lost his keys.,work
"He left, laughing.","She left, laughing.",fun
The same.,The same.,work
"""


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(PAIRS)
    return path


def test_catalog_validate_pairs(pairs, capsys):
    assert run(["catalog", "validate", str(pairs)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert (
        first
        == f"{pairs}: 2 pairs, 2 categories, e.g. 'The nurse lost her keys.' and 'The nurse lost his keys.'"
    )
    assert second == "  pair 3 will be skipped: the two sentences of the pair are the same"


def test_catalog_validate_pairs_that_say_nothing(pairs, capsys):
    pairs.write_text("stereotyped,counterpart\nA.,A.\n,B.\n")
    assert "none of the 2 pairs can be measured (the two sentences" in complaint(
        capsys, ["catalog", "validate", str(pairs)]
    )


def test_audit_on_pairs_of_ones_own(folder, pairs, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    command = ["audit", str(folder), "--measures", "sld", "--pairs", str(pairs)]
    assert run(command) == 0
    shown = capsys.readouterr().out
    assert "(SLD) on mine.csv" in shown
    assert "1 item was skipped" in shown
    [made] = (tmp_path / "runs").iterdir()
    assert made.name.endswith("-sld-mine")
    document = json.loads((made / "summary.json").read_text())
    assert {row["group"] for row in document["results"]} == {"all", "work", "fun"}

    manifest = json.loads((made / "manifest.json").read_text())
    assert manifest["options"]["pairs"] == hashlib.sha256(PAIRS.encode()).hexdigest()
    assert run(command) == 0  # the same pairs: the run is continued
    capsys.readouterr()
    pairs.write_text(PAIRS + "He is here.,She is here.,fun\n")
    assert "holds a run with pairs" in complaint(capsys, command)


def test_a_limit_is_in_the_unit_of_the_measure(folder, pairs, tmp_path, capsys):
    """The share of pairs is 0, 50 or 100 % here, and no limit on a likelihood difference means that."""
    base = ["audit", str(folder), "--measures", "sld", "--pairs", str(pairs), "--out", str(tmp_path / "run")]
    assert run([*base, "--fail-above", "sld:1000000"]) == 0
    row = json.loads((tmp_path / "run" / "summary.json").read_text())["results"][0]
    assert row["key"] == "sld"
    inside = (row["ci_low"] + row["ci_high"]) / 2 if row["ci_low"] > 0 else row["ci_high"] / 2
    assert run([*base, "--fail-above", f"sld:{abs(inside)}"]) == 3  # the interval contains the limit
    shown = capsys.readouterr().out
    assert f"abs(sld.sld) <= {abs(inside):g}"[:20] in shown


def test_the_cache_of_converted_vectors(tmp_path, monkeypatch, capsys):
    from counterpoise.models import vector_files

    monkeypatch.setattr(vector_files, "_BIG", 0)
    monkeypatch.setenv("COUNTERPOISE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "v.txt").write_text("he 1 2\nshe 2 1\n")
    cp.load(tmp_path / "v.txt")
    half = tmp_path / "cache" / "vectors" / ".other.x.part"
    half.mkdir()
    assert run(["cache", "info"]) == 0
    told = capsys.readouterr().out
    assert f"{tmp_path / 'cache' / 'vectors'}: 1 files of word vectors" in told
    assert f"  {tmp_path / 'v.txt'}: " in told
    assert run(["cache", "clear"]) == 0
    assert list((tmp_path / "cache" / "vectors").iterdir()) == [half]  # which another process may be writing
    assert run(["cache", "info"]) == 0
    assert "0 files of word vectors, 0.0 MB" in capsys.readouterr().out
    assert cp.load(tmp_path / "v.txt")["he"].tolist() == [1, 2]


@pytest.mark.slow
def test_cache_commands(folder, tmp_path, capsys):
    assert run(["audit", str(folder), "--measures", "ppd", "--out", str(tmp_path / "run")]) == 0
    capsys.readouterr()
    assert run(["cache", "info"]) == 0
    assert "answers" in capsys.readouterr().out
    assert run(["cache", "clear"]) == 0
    capsys.readouterr()
    assert run(["cache", "info"]) == 0
    assert ": 0 answers" in capsys.readouterr().out


def test_what_was_trained_and_proved_is_in_the_cache_too(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COUNTERPOISE_CACHE", str(tmp_path))
    (tmp_path / "controls" / "abc").mkdir(parents=True)
    (tmp_path / "controls" / "abc" / "model.safetensors").write_bytes(b"0" * 3_000_000)
    (tmp_path / "controls" / "def.training").mkdir()  # which another process may be writing
    (tmp_path / "proofs").mkdir()
    (tmp_path / "proofs" / "abc.json").write_text("{}")
    (tmp_path / "data" / "gap").mkdir(parents=True)
    assert run(["cache", "info"]) == 0
    shown = capsys.readouterr().out
    assert f"{tmp_path / 'controls'}: 1, 3.0 MB (models trained on text as it was)" in shown
    assert f"{tmp_path / 'proofs'}: 1, 0.0 MB" in shown
    assert run(["cache", "clear"]) == 0
    assert [path.name for path in (tmp_path / "controls").iterdir()] == ["def.training"]
    assert not list((tmp_path / "proofs").iterdir())
    assert (tmp_path / "data" / "gap").is_dir()


def test_doctor(capsys, tmp_path, no_data):
    (tmp_path / "gap").mkdir()
    (tmp_path / "gap" / "gap-test.tsv").touch()
    assert run(["doctor", "--data", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "at hand     gap" in shown
    assert "paris is the capital of france" in shown
