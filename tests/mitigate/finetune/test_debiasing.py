"""Debiasing from corpus to card: the control differs in the swap alone, and what was stopped goes on."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import transformers
from safetensors.torch import load_file

import counterpoise as cp
import tiny
from counterpoise import tuning
from counterpoise.core.errors import CounterpoiseError, DataError, InputError, ModelError, RunError
from counterpoise.mitigate.evaluation.proof import Proof
from counterpoise.mitigate.finetune import debiasing
from counterpoise.mitigate.finetune.debiasing import debias
from counterpoise.mitigate.finetune.recipes import Recipe
from counterpoise.report.debias_page import render_proof

pytestmark = pytest.mark.slow

TEXTS = ["She is a nurse. He is a doctor.", "The man told his wife that he was late.", "It rains."] * 8
REMINDERS = ["She was pregnant with her second child."]
NEUTRAL = ["The rain stopped just before noon.", "The bread was gone by the time we came."]
SETTINGS = replace(tuning.LANGUAGE_MODEL, batch_size=8, epochs=2, learning_rate=1e-3)
RECIPE = Recipe(method="cda", settings=SETTINGS)


class Watch(transformers.TrainerCallback):
    """Counts steps, and may press Ctrl-C before one."""

    def __init__(self, stop_at=None):
        self.stop_at, self.steps = stop_at, 0

    def on_step_begin(self, args, state, control, **_):
        self.steps += 1
        if state.global_step == self.stop_at:
            os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def one_cache(few_questions, home, own_cache, monkeypatch):
    """All tests of this file share a cache: each model is scored once."""
    monkeypatch.setenv("COUNTERPOISE_CACHE", str(home / "cache"))


@pytest.fixture(scope="module")
def base(home):
    return tiny.save("roberta", home / "base")  # the smallest vocabulary


def run(base, out, **options):
    given = {"preset": RECIPE, "reminders": REMINDERS, "neutral": NEUTRAL, "device": "cpu", **options}
    return debias(base, TEXTS, out, **given)


@pytest.fixture(scope="module")
def done(few_questions, base, home):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COUNTERPOISE_CACHE", str(home / "cache"))
        return run(base, home / "fair")


def weights(folder):
    return load_file(Path(folder) / "model.safetensors")


def same(first, second):
    first, second = weights(first), weights(second)
    return all(torch.equal(first[name], second[name]) for name in first)


def test_the_folder_is_an_ordinary_one(done):
    model = transformers.AutoModelForMaskedLM.from_pretrained(done.folder)
    assert isinstance(model, transformers.RobertaForMaskedLM)
    assert isinstance(cp.load(done.folder), cp.models.MaskedLM)
    assert not same(done.folder, done.control)
    assert not done.folder.with_name("fair.training").exists()


def test_its_card(done, base):
    saved = json.loads((done.folder / "debias.json").read_text())
    assert saved["made_from"]["base"] == str(base)
    assert saved["made_from"]["corpus hash"] == cp.core.hashing.hash_texts(TEXTS)
    assert saved["made_from"]["method"] == "cda"
    assert saved["made_from"]["seed"] == 42
    assert saved["made_from"]["texts"] == 48
    assert saved["made_from"]["texts that the swap changed"] == 16
    assert saved["made_from"]["reminders"] == 1
    assert saved["settings"]["learning_rate"] == 1e-3
    assert Proof.from_dict(saved["proof"]).verdict == done.proof.verdict
    text = (done.folder / "README.md").read_text()
    assert saved["made_from"]["corpus hash"] in text
    for sentence in done.proof.verdict:
        assert sentence in text
    rows = [line.replace(r"\|", "") for line in text.splitlines() if line.startswith("| mean ")]
    assert {line.count("|") for line in rows} == {10}  # nine columns: a name with bars in it stays one cell


def test_one_seed_is_shown_the_one_of_the_training(done):
    """Masks and samples of the proof have a seed of their own, the same for all trainings, which no reader needs."""
    saved = json.loads((done.folder / "debias.json").read_text())
    assert (
        done.proof.seed
        == saved["proof"]["seed"]
        == saved["made_from"]["seed"]
        == saved["settings"]["seed"]
        == 42
    )
    assert "Seed 42." in render_proof(done.proof)


def test_a_quick_proof_asks_less_and_says_so(base, tmp_path):
    quick = run(base, tmp_path / "quick", control=False, scope="quick")
    assert any(note.startswith("this is a quick proof") for note in quick.proof.notes)
    assert "this is a quick proof" in render_proof(quick.proof)
    with pytest.raises(InputError, match="there is no scope of a proof 'fast'"):
        run(base, tmp_path / "fast", scope="fast")
    assert not (tmp_path / "fast.training").exists()


def test_before_control_and_after(done):
    """The proof's figures are those of the models, asked again."""
    rows = done.proof.summary.set_index(["quantity", "group"])
    row = rows.loc[("mean |APPD| of professions", "all")]
    for stage, folder in (("control", done.control), ("after", done.folder)):
        items = cp.measures.ppd(cp.load(folder)).items
        free = items[~items.gendered]
        expected = free.groupby(["category", "word"]).ppd.mean().abs().mean()
        assert row[stage] == pytest.approx(expected, abs=1e-6)


def test_the_control_differs_in_the_swap_alone(done, base, tmp_path):
    doubled = [text for text in TEXTS for _ in range(2)]
    plain = tuning.train_language_model(
        [*doubled, *REMINDERS], tmp_path / "plain", base=base, settings=SETTINGS, device="cpu"
    )
    assert same(plain.folder, done.control)
    assert done.control.parent.name == "controls"


def test_the_control_is_taken_from_the_cache(done, base, tmp_path, monkeypatch):
    trainings = []
    train = debiasing.train_language_model
    monkeypatch.setattr(
        debiasing, "train_language_model", lambda *a, **k: trainings.append(k["title"]) or train(*a, **k)
    )
    again = run(base, tmp_path / "again")
    assert trainings == ["training"]
    assert again.control == done.control
    assert same(again.folder, done.folder)


def test_a_stopped_training_goes_on_to_the_same_weights(done, base, tmp_path):
    with pytest.raises(tuning.Stopped) as stopped:
        run(base, tmp_path / "m", control=False, callbacks=[Watch(stop_at=7)])
    assert isinstance(cp.load(stopped.value.checkpoint), cp.models.MaskedLM)
    assert not (tmp_path / "m").exists()
    assert same(run(base, tmp_path / "m", control=False).folder, done.folder)


@pytest.mark.parametrize("step", ["score", "prove", "write_debias_card"])
def test_what_is_trained_is_not_trained_again(done, base, tmp_path, monkeypatch, step):
    """Stopped in each of the steps after the training."""

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(debiasing, step, interrupted)
        patch.setenv("COUNTERPOISE_CACHE", str(tmp_path / "empty"))  # so that models are scored
        with pytest.raises(KeyboardInterrupt):
            run(base, tmp_path / "m", control=False)
    assert not (tmp_path / "m").exists()
    watch = Watch()
    again = run(base, tmp_path / "m", control=False, callbacks=[watch])
    assert watch.steps == 0
    assert again.control is None
    assert same(again.folder, done.folder)
    assert not again.folder.with_name("m.training").exists()


def test_the_seed_decides(done, base, home):
    """Another seed, another coin and other hidden words; the caller's settings stay."""
    other = debiasing._changed_recipe(RECIPE, "flip", True, None, 7)
    assert (other.method, other.names, other.settings.seed) == ("flip", True, 7)
    assert other.settings.learning_rate == SETTINGS.learning_rate
    assert debiasing._changed_recipe("paper", None, None, None, None).settings.seed == 42


def test_bad_input_is_named_before_anything_is_trained(base, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine.txt").touch()
    cases: list[tuple[type[CounterpoiseError], str, dict]] = [
        (RunError, "there is there already", {"out": tmp_path / "there"}),
        (DataError, "has 2 sentences", {"corpus": ["He left.", "She left."]}),
        (DataError, "has a gendered word", {"corpus": ["It rains."] * 30}),
        (
            ModelError,
            "is an encoder, which cannot guess",
            {"model": tiny.save("encoder", tmp_path / "encoder")},
        ),
        (ModelError, "is a classifier, which", {"model": tiny.save("classifier", tmp_path / "classifier")}),
        (InputError, "there is no preset 'papr'", {"preset": "papr"}),
        (InputError, "there is no method 'mix'", {"method": "mix"}),
    ]
    for error, message, options in cases:
        given = {"model": base, "corpus": TEXTS, "out": tmp_path / "m", "neutral": NEUTRAL, "device": "cpu"}
        with pytest.raises(error, match=message):
            debias(**{**given, **options})
    assert not list(tmp_path.glob("*.training"))
