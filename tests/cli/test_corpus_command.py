import gzip
import json
import re

import numpy as np
import pandas as pd
import pytest

import counterpoise as cp
import tiny
from corpora import planted
from counterpoise.cli.main import run
from counterpoise.corpus.counting import count_files
from counterpoise.corpus.counting.rows import SCORE

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def texts():
    return planted(1.0, 1500, 1)


def lines(path, some):
    path.write_text("\n".join(some) + "\n")
    return str(path)


def summary(folder):
    return json.loads((folder / "summary.json").read_text())


def test_one_corpus_is_described(tmp_path, capsys, texts):
    out = tmp_path / "out"
    assert run(["corpus", lines(tmp_path / "a.txt", texts), "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "a.txt: 1,500 documents" in shown
    lead = re.search(
        r"^([\d.]+) % of gendered pronouns are male \(([\d,]+) of 1,500; 95 % interval", shown, re.MULTILINE
    )
    male = sum(" he " in text for text in texts)
    assert lead is not None
    assert float(lead[1]) == pytest.approx(100 * male / 1500, abs=0.5)
    assert lead[2] == f"{male:,}"
    assert shown.index(lead[0]) < shown.index("spread of the professions' log odds")
    assert re.search(r"near women: \w+ \(\d\.\d times\)", shown)
    assert "compared" not in shown
    assert {path.name for path in out.iterdir()} == {
        "counts", "manifest.json", "report.html", "summary.json", "words.parquet",
    }  # fmt: skip
    document = summary(out)
    assert document["schema"] == 1
    assert document["corpora"][0]["totals"]["documents"] == 1500
    assert {"measure", "dataset", "value", "ci_low", "ci_high", "p_value", "p_adjusted", "n"} <= set(
        document["results"][0]
    )
    assert document["findings"][0]["fact"].startswith(lead[0])
    page = (out / "report.html").read_text()
    assert "Professions near men and near women" in page
    assert "In context" in page
    assert "nurse" in page
    assert json.loads((out / "manifest.json").read_text())["kind"] == "corpus"
    assert len(pd.read_parquet(out / "words.parquet")) > 20


def test_formats_give_the_same_numbers(tmp_path, texts):
    few = texts[:600]
    lines(tmp_path / "a.txt", few)
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress((tmp_path / "a.txt").read_bytes()))
    table = pd.DataFrame({"id": range(600), "review": few})
    table.to_csv(tmp_path / "a.csv", index=False)
    table.to_csv(tmp_path / "a.tsv", index=False, sep="\t")
    table.to_parquet(tmp_path / "a.parquet")
    table.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    found = [
        cp.corpus.measure_corpus(tmp_path / name, column="review").summary.value.tolist()
        for name in ("a.txt", "a.txt.gz", "a.csv", "a.tsv", "a.parquet", "a.jsonl")
    ]
    for values in found[1:]:
        np.testing.assert_array_equal(values, found[0])


def test_several_are_compared(tmp_path, capsys, texts):
    out = tmp_path / "out"
    files = [lines(tmp_path / "<b>large.txt", texts), lines(tmp_path / "small.txt", planted(0.0, 700, 2))]
    assert run(["corpus", *files, "--out", str(out)]) == 0
    assert "compared in samples of" in capsys.readouterr().out
    rows = summary(out)["differences"]
    assert rows[0]["statistic"] == SCORE
    assert rows[0]["p_adjusted"] < 0.01
    page = (out / "report.html").read_text()
    assert "Words that carry the difference" in page
    assert "&lt;b&gt;large.txt" in page
    assert "<b>large" not in page
    assert (out / "differences.parquet").exists()


def test_one_document_is_in_the_singular(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("He is here. She is there.\n")
    assert run(["corpus", str(tmp_path / "a.txt"), "--out", str(tmp_path / "out")]) == 2
    assert "1 document with gendered words" in capsys.readouterr().err


def test_no_quotes(tmp_path, capsys, texts):
    arguments = ["corpus", lines(tmp_path / "a.txt", texts), "--out", str(tmp_path / "out")]
    assert run(arguments) == 0
    assert "The page quotes lines of the corpus" in capsys.readouterr().out
    assert run([*arguments, "--no-quotes"]) == 0
    assert "The page quotes" not in capsys.readouterr().out
    assert "In context" not in (tmp_path / "out" / "report.html").read_text()


def test_concordance(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("He left.\nThe \x1b[31m nurse came.\n")
    (tmp_path / "b.txt").write_text("Nobody.\n")
    assert run(["corpus", "a.txt", "b.txt", "--concordance", "nurse", "--width", "8"]) == 0
    assert capsys.readouterr().out == (
        "a.txt: 'nurse' occurs 1 time in 1 document\n2  \\x1b[31m  nurse  came.\n\nb.txt: 'nurse' does not occur\n"
    )
    assert {path.name for path in tmp_path.iterdir()} == {"a.txt", "b.txt"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--concordance", "--"], "a concordance is of a word, not of '--'"),
        (["--concordance", "nurse", "--lines", "0"], "1 to 1,000 lines, not 0"),
        (["--concordance", "nurse", "--out", "out"], "--concordance only prints; leave out --out"),
    ],
)
def test_mistakes_about_concordances(tmp_path, capsys, options, message):
    (tmp_path / "a.txt").write_text("A nurse.\n")
    assert run(["corpus", str(tmp_path / "a.txt"), *options]) == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert shown.count("\n") == 1


def test_what_was_counted_is_not_counted_again(tmp_path, monkeypatch, texts):
    first = lines(tmp_path / "a.txt", texts)
    second = lines(tmp_path / "b.txt", planted(0.0, 1500, 2))
    out = tmp_path / "out"
    counted = []
    whole = count_files.CorpusCounter

    class Watched(whole):
        def finish(self, name, **options):
            counted.append(name)
            if name == "b.txt" and len(counted) == 2:
                raise KeyboardInterrupt
            return super().finish(name, **options)

    monkeypatch.setattr(count_files, "CorpusCounter", Watched)
    arguments = ["corpus", first, second, "--out", str(out)]
    assert run(arguments) == 130
    assert not (out / "report.html").exists()
    assert run(arguments) == 0
    assert counted == ["a.txt", "b.txt", "b.txt"]  # both have as many words, so that nothing is sampled
    assert run(arguments) == 0
    assert len(counted) == 3
    assert run([*arguments, "--window", "4"]) == 0
    assert counted[3:] == ["a.txt", "b.txt"]


def test_standard_input_and_own_professions(tmp_path, monkeypatch, texts):
    import io
    import sys

    class Stdin:
        buffer = io.BytesIO("\n".join(texts).encode())

    monkeypatch.setattr(sys, "stdin", Stdin)
    (tmp_path / "mine.txt").write_text("nurse\nGarden\n\n")
    arguments = ["corpus", "-", "--professions", str(tmp_path / "mine.txt"), "--out", str(tmp_path / "out")]
    assert run(arguments) == 0
    [row] = [row for row in summary(tmp_path / "out")["results"] if row["statistic"] == SCORE]
    assert row["n"] == 2


def test_jigsaw_has_the_thesis_beside(tmp_path, texts):
    folder = tmp_path / "data" / "jigsaw"
    folder.mkdir(parents=True)
    labels = ["toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate"]
    table = pd.DataFrame({"id": np.arange(1000), "comment_text": texts[:1000]} | dict.fromkeys(labels, 0))
    table.loc[:600, "toxic"] = 1
    table.to_csv(folder / "train.csv", index=False)
    assert (
        run(["corpus", "jigsaw:toxic", "--data", str(tmp_path / "data"), "--out", str(tmp_path / "out")]) == 0
    )
    assert "Barza 2023, table 4" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", [], "a.txt is empty"),
        ("\n\n", [], "a.txt has no words"),
        ("The tree is tall.\n" * 50, [], "no gendered word"),
        ("He is here.\nShe is here.\n" * 3, [], "too small for an interval: 6 documents"),
        ("He is here.\n", ["--method", "model", "--seeds", "0,1"], "needs 3 different ones"),
        ("He is here.\n", ["--method", "model", "--seeds", "a"], "--seeds are numbers such as 0,1,2"),
        ("He is here.\n", ["--method", "model", "--reference", "builtin"], "a.txt has 1 sentence;"),
        ("He is here.\n", ["--address", "a:1"], "add --engine ray"),
        ("He is here.\n", ["--method", "magic"], "there is no method 'magic'"),
        ("He is here.\n", ["--window", "word"], "--window is `sentence` or 1 to 100 words, not 'word'"),
        ("He is here.\n", ["--window", "500"], "the window is `sentence` or 1 to 100 words, not 500"),
        ("He is here.\n", ["--terms", "some"], "there is no set of terms 'some'"),
        ("He is here.\n", ["--professions", "no-such-file"], "No such file"),
        ("He is here.\n", ["--encoding", "utf-99"], "there is no encoding 'utf-99'"),
    ],
)
def test_mistakes_are_one_line(tmp_path, capsys, text, options, message):
    (tmp_path / "a.txt").write_text(text)
    assert run(["corpus", str(tmp_path / "a.txt"), "--out", str(tmp_path / "out"), *options]) == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert shown.count("\n") == 1


def test_both_methods_on_one_page(few_questions, tmp_path, capsys, texts):
    base = tiny.save("roberta", tmp_path / "base")
    files = [lines(tmp_path / "a.txt", texts), lines(tmp_path / "b.txt", planted(0.0, 1500, 2))]
    options = [
        "--method",
        "both",
        "--reference",
        str(base),
        "--sentences",
        "40",
        "--epochs",
        "1",
        "--device",
        "cpu",
    ]
    out = tmp_path / "out"
    assert run(["corpus", *files, *options, "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "compared in samples of" in shown
    assert "ASLD, corpus - control" in shown
    page = (out / "report.html").read_text()
    assert "What a model learns from it" in page
    assert "Professions near men and near women" in page
    learnt = summary(out)["learnt"]
    assert learnt["sentences"] == 40
    assert learnt["seeds"] == [0, 1, 2]
    assert {row["statistic"] for row in learnt["differences"]} >= {"ASLD", "SLD", "APPD"}
    assert len(pd.read_parquet(out / "learnt.parquet").corpus.unique()) == 2


def test_one_file_given_twice(tmp_path, capsys, texts):
    path = lines(tmp_path / "a.txt", texts[:100])
    copy = lines(tmp_path / "copy.txt", texts[:100])
    assert run(["corpus", path, path, "--out", str(tmp_path / "out")]) == 2
    assert "a.txt is given twice" in capsys.readouterr().err
    assert run(["corpus", path, copy, "--out", str(tmp_path / "out")]) == 2
    assert "a.txt and copy.txt hold the same text" in capsys.readouterr().err


def test_a_folder_with_something_else_is_left_alone(tmp_path, capsys, texts):
    path = lines(tmp_path / "a.txt", texts[:100])
    assert run(["corpus", path, "--out", str(tmp_path)]) == 2
    assert "holds something else" in capsys.readouterr().err
    assert run(["corpus", path, "--out", path]) == 2
    assert "is a file" in capsys.readouterr().err
