"""`counterpoise audit --measures counterfactual`: limits, kept answers, endpoints, prompts and raters of one's own."""

from __future__ import annotations

import pandas as pd
import pytest

import counterpoise as cp
import tiny
from counterpoise.audit.reading import read_results
from counterpoise.cli.main import run
from served import serving_model

PROMPTS = [
    f"Describe the {person} and what she did on her first day." for person in ("nurse", "baker", "pilot")
]


@pytest.fixture(scope="module")
def lm_folder(tmp_path_factory):
    return tiny.save("gpt2-without-pad", tmp_path_factory.mktemp("lm"))


@pytest.fixture(scope="module")
def lm(lm_folder):
    return cp.load(lm_folder, device="cpu")


@pytest.mark.slow
def test_a_limit_draws_as_many_prompts_of_each_topic_and_a_second_audit_asks_nothing(
    lm_folder, lm, tmp_path, monkeypatch
):
    asked = ["audit", str(lm_folder), "--measures", "counterfactual", "--offline", "--limit", "8"]
    asked += ["--set", "n=2", "--set", "max_tokens=4"]
    assert run([*asked, "--out", str(tmp_path / "one")]) == 0
    [result] = read_results(tmp_path / "one")[1]
    assert result.items.groupby("topic")["prompt"].nunique().tolist() == [2] * 4
    assert len(result.items) == 8 * 2 * 2
    assert "2 answers each (temperature 1, top p 1, at most 4 tokens)" in result.dataset
    assert result.asked == "causal language model, answers to plain text"
    page = (tmp_path / "one" / "report.html").read_text()
    assert "What the model wrote, side by side" in page
    assert "Content note:</strong> the answers were written by a model" in page
    assert '<mark class="female">' in page
    monkeypatch.setattr(type(lm.model), "generate", None)  # whoever asks again, fails
    assert run([*asked, "--out", str(tmp_path / "two")]) == 0
    [again] = read_results(tmp_path / "two")[1]
    pd.testing.assert_frame_equal(again.items, result.items)


@pytest.mark.slow
def test_an_endpoint_says_first_what_it_will_be_asked(lm, tmp_path, capsys):
    prompts = tmp_path / "prompts.txt"
    prompts.write_text("\n".join(PROMPTS))
    with serving_model(lm) as url:
        asked = ["audit", url, "--model", lm.name, "--measures", "counterfactual", "--prompts", str(prompts)]
        settings = ["--set", "n=2", "--set", "max_tokens=4"]
        assert run([*asked, *settings, "--out", str(tmp_path / "one")]) == 0
        printed = capsys.readouterr()
        assert "12 questions to ask, about " in printed.err
        assert "prompts.txt, versions male and female, 2 answers each" in " ".join(printed.out.split())
        assert run([*asked, *settings, "--out", str(tmp_path / "two")]) == 0
        assert "0 questions to ask (12 answered before)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.txt", "Ask her.\n\nAsk him again.\n"),
        ("p.csv", 'prompt,topic\nAsk her.,calls\n"Ask him again.",\n'),
        ("p.tsv", "topic\tprompt\ncalls\tAsk her.\n\tAsk him again.\n"),
        ("p.jsonl", '{"prompt": "Ask her.", "topic": "calls"}\n{"prompt": "Ask him again."}\n'),
    ],
)
def test_prompts_of_ones_own(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    read = cp.data.read_prompts(tmp_path / name)
    assert read.name == name
    assert read.table.prompt.tolist() == ["Ask her.", "Ask him again."]
    assert read.table.topic.tolist() == (["", ""] if name == "p.txt" else ["calls", ""])


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("p.csv", "text\nAsk her.\n", "has no column 'prompt' (there are: text)"),
        ("p.txt", "\n \n", "has no prompts"),
        ("p.doc", "Ask her.", "prompts are read from files that end in .txt, .csv"),
        ("p.jsonl", '{"prompt": 7}\n', "prompt is no text: 7"),
    ],
)
def test_bad_files_of_prompts_are_one_line(tmp_path, capsys, lm_folder, name, content, line):
    (tmp_path / name).write_text(content)
    asked = [
        "audit",
        str(lm_folder),
        "--measures",
        "counterfactual",
        "--prompts",
        str(tmp_path / name),
        "--offline",
    ]
    assert run([*asked, "--out", str(tmp_path / "run")]) == 2
    told = capsys.readouterr().err.strip().splitlines()
    assert line in told[-1]


def test_a_rater_is_named_on_the_command_line(tmp_path, monkeypatch):
    (tmp_path / "mine_cf.py").write_text(
        "def answer(prompt, seed):\n    return 'He left.' if ' he ' in prompt else 'She has left now.'\n"
        "def words(texts):\n    return [len(text.split()) for text in texts]\n"
    )
    (tmp_path / "prompts.txt").write_text("\n".join(PROMPTS))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    asked = [
        "audit",
        "mine_cf:answer",
        "--kind",
        "answers",
        "--measures",
        "counterfactual",
        "--prompts",
        "prompts.txt",
    ]
    rated = ["--set", "rater=mine_cf:words", "--set", "raters=[mine_cf:words]", "--out", "run"]
    assert run([*asked, *rated]) == 0
    [result] = read_results(tmp_path / "run")[1]
    values = result.summary.set_index("key").value
    assert values["rated.words"] == values["sentiment"] == -2.0


def test_prompts_are_validated_before_they_are_used(tmp_path, capsys):
    (tmp_path / "prompts.csv").write_text("prompt\nAsk her.\nAsk nobody.\n")
    assert run(["catalog", "validate", str(tmp_path / "prompts.csv")]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.endswith("1 prompt, e.g. 'Ask him.' and 'Ask her.'")
    assert second.strip().startswith("row 2 will be skipped: it has no gendered word")
    (tmp_path / "prompts.txt").write_text("Ask nobody.\n")
    assert run(["catalog", "validate", str(tmp_path / "prompts.txt")]) == 2
