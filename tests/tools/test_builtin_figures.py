"""The built-in model on film reviews that it was not trained on: the check that its card reports."""

from __future__ import annotations

import csv
import lzma
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForMaskedLM

from pretrain_builtin import BUILTIN
from pretraining import corpus, evaluation, masking


def unseen_reviews(path: Path, count: int) -> list[str]:
    with lzma.open(path, "rt", encoding="utf-8", newline="") as file:
        reviews = [row["review"] for row in csv.DictReader(file) if row["split"] == "test"]
    chosen = np.random.default_rng(0).choice(len(reviews), count, replace=False)
    return [reviews[i].replace("<br />", " ").strip() for i in chosen]


@pytest.mark.slow
def test_masked_accuracy_on_unseen_reviews(data_file) -> None:
    reviews = unseen_reviews(data_file("imdb/imdb_50k_labelled.csv.xz"), 400)
    vocabulary = corpus.Vocabulary.open(BUILTIN)
    model = AutoModelForMaskedLM.from_pretrained(BUILTIN, dtype=torch.float32)
    rows = {
        32: corpus.sentence_rows(reviews, vocabulary),
        128: corpus.packed_rows(vocabulary.encode(reviews), 128, vocabulary),
    }
    card = (BUILTIN / "README.md").read_text(encoding="utf-8").replace("\n", " ")
    told = re.findall(r"loss ([\d.]+) and accuracy ([\d.]+) in rows of (\d+)", card)
    assert [int(length) for _, _, length in told] == list(corpus.HELD_OUT_ROWS)
    for loss, accuracy, length in told:
        masker = masking.Masker(vocabulary, torch.device("cpu"), seed=1)
        chosen = rows[int(length)][: corpus.HELD_OUT_ROWS[int(length)]]
        found = evaluation.evaluate(model, chosen, masker)
        assert found["loss"] == pytest.approx(float(loss), abs=2e-3)
        assert found["masked_accuracy"] == pytest.approx(float(accuracy), abs=2e-3)
