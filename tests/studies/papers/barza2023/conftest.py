"""The study's cells one after another, on a few sentences with a tiny model."""

from __future__ import annotations

import pytest

import few
import tiny
from counterpoise.data.corpus import Corpus
from counterpoise.studies.engine.cells import Cell, FinishedCell
from counterpoise.studies.papers.barza2023 import cells, training
from counterpoise.studies.papers.barza2023.pair_scores import some_pairs

SETTINGS = {
    "device": "cpu",
    "recipe": "paper",
    "training": {"epochs": 1, "batch_size": 16, "learning_rate": 5e-4},
    "sentences": 48,
    "pairs": 6,
    "corpora": ["jigsaw:toxic", "jigsaw:severe_toxic"],
    "sizes": [2, 6],
    "repeats": 5,
    "reminders": 10,
}
SEEDS = (0, 1)


@pytest.fixture(scope="session")
def settings():
    return SETTINGS


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    return str(tiny.save("bert", tmp_path_factory.mktemp("tiny") / "model"))


@pytest.fixture(scope="session")
def done(data_file, model, tmp_path_factory):
    """Finished cells by step."""
    data_file("gap/gap-test.tsv")
    data_file("mt-gender/en.txt")
    other = str(tiny.save("roberta", tmp_path_factory.mktemp("other") / "model"))
    finished: dict[str, list[FinishedCell]] = {}

    def carry_out(step, factors, *needs, function=None):
        folder = tmp_path_factory.mktemp(step)
        agreeing = {
            name: [one for one in finished[name] if {**one.factors, **factors} == {**factors, **one.factors}]
            for name in needs
        }
        cell = Cell(step, factors, SETTINGS, folder, agreeing)
        result = getattr(cells, function or step)(cell)
        finished.setdefault(step, []).append(FinishedCell(factors, result, folder))

    whole, asked = Corpus.of, {"model": model}
    training.sentences_to_train_on.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "pronoun_templates", few.templates)
        patch.setattr(cells, "some_pairs", lambda at_most: some_pairs(at_most or SETTINGS["pairs"]))
        patch.setattr(training.Corpus, "of", lambda name: Corpus(name, whole(name).texts[:60]))
        carry_out("examples", asked)
        for name in (model, other):
            carry_out("sentences", {"models": name})
        carry_out("samples", {"models": model}, "sentences")
        carry_out("compared", {}, "sentences")
        carry_out("before", asked)
        for seed in SEEDS:
            carry_out("after", {**asked, "text": "mt-gender", "seed": seed})
            for text in ("gap", "gap-unswapped"):
                carry_out("after_gap", {**asked, "text": text, "seed": seed}, function="after")
            for wording in ("bound", "neutral"):
                reminder = {"word": "pregnant", "wording": wording, "copies": 3, "seed": seed}
                carry_out("remind", {**asked, **reminder})
        carry_out("remind", {**asked, "word": "pregnant", "wording": "bound", "copies": 1, "seed": 0})
        carry_out("professions", asked, "before", "after")
        carry_out("swapping", asked, "before", "after_gap")
        carry_out("reminded", asked, "after_gap", "remind")
        carry_out("untrained", asked)
        carry_out("debiased", asked, "untrained", "after_gap")
        for size in (24, 48):
            for sample in SEEDS:
                carry_out("learn", {**asked, "size": size, "sample": sample})
        carry_out("curve", asked, "untrained", "learn")
    training.sentences_to_train_on.cache_clear()
    return finished
