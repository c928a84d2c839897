"""The numbers on the built-in model's card are those of the files beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import yaml
from transformers import AutoModelForMaskedLM, AutoTokenizer

import counterpoise

FOLDER = Path(counterpoise.__file__).parent / "models" / "builtin"
CARD = (FOLDER / "README.md").read_text(encoding="utf-8")
LogProb = Callable[[str, str], float]


def table(section: str) -> list[list[str]]:
    """The cells of the rows under the heading of a section's table."""
    text = CARD.split(f"\n## {section}\n")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return rows[2:]


@pytest.fixture(scope="module")
def log_prob() -> LogProb:
    """Plain transformers, one sentence at a time: log P(word) at the first mask."""
    tokenizer = AutoTokenizer.from_pretrained(FOLDER)
    model = AutoModelForMaskedLM.from_pretrained(FOLDER, dtype=torch.float32).eval()

    def answer(text: str, word: str) -> float:
        encoded = tokenizer(text, return_tensors="pt")
        place = encoded["input_ids"][0].tolist().index(tokenizer.mask_token_id)
        with torch.no_grad():
            log_probs = model(**encoded).logits[0, place].log_softmax(-1)
        return float(log_probs[tokenizer.convert_tokens_to_ids(word)])

    return answer


def test_front_matter() -> None:
    front = yaml.safe_load(CARD.split("---\n")[1])
    assert front["license"] == "apache-2.0"
    assert front["language"] == "en"
    assert front["library_name"] == "transformers"
    assert front["pipeline_tag"] == "fill-mask"


def test_figures_are_those_of_the_training_record() -> None:
    recorded = json.loads((FOLDER / "training.json").read_text(encoding="utf-8"))
    told = {
        f"{name}-{length}": {"loss": float(loss), "masked_accuracy": float(accuracy)}
        for name, length, loss, accuracy in table("Figures")
    }
    assert told == recorded["eval"]
    assert f"{recorded['steps']:,} steps" in CARD


def test_probes_are_what_the_model_answers(log_prob: LogProb) -> None:
    rows = table("Probes")
    assert len(rows) == 8
    for text, *answers in rows:
        for answer in answers:
            word, probability = answer.split()
            found = torch.tensor(log_prob(text, word)).exp().item()
            assert found == pytest.approx(float(probability), abs=6e-4), (text, word)


def test_gender_associations_are_what_the_model_answers(log_prob: LogProb) -> None:
    def male_minus_female(text: str) -> float:
        return log_prob(text, "he") - log_prob(text, "she")

    prior = male_minus_female("[MASK] is a [MASK].")
    told = re.search(r"That prior is ([\d.]+)", CARD)
    assert told is not None
    assert prior == pytest.approx(float(told[1]), abs=1e-3)
    cells = [cell for row in table("What it has learnt about gender") for cell in row]
    scores = dict(zip(cells[::2], map(float, cells[1::2]), strict=True))
    assert len(scores) == 20
    for occupation, score in scores.items():
        found = male_minus_female(f"[MASK] is a {occupation}.") - prior
        assert found == pytest.approx(score, abs=1e-3), occupation
    assert male_minus_female("[MASK] is an engineer.") - prior == pytest.approx(1.088, abs=1e-3)
    for occupation in ("secretary", "librarian", "teacher"):
        assert male_minus_female(f"[MASK] is a {occupation}.") > 0
