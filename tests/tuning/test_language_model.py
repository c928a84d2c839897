"""Training of language models: it learns, goes on exactly where it was, and leaves whole folders or none."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
from dataclasses import replace

import pytest
import torch
import transformers
from safetensors.torch import load_file

import counterpoise as cp
import tiny
from counterpoise import tuning
from counterpoise.core.errors import InputError, ModelError, RunError
from counterpoise.tuning.callbacks import PeriodicCheckpoint

pytestmark = pytest.mark.slow

SETTINGS = replace(tuning.LANGUAGE_MODEL, batch_size=8, learning_rate=3e-3)
TEXTS = ["She is a nurse. He is a doctor.", "The man told his wife that he was late.", "It rains."] * 10
KEEP = ["The train was late.", "Nobody saw the dog in the garden."] * 4


class StopAt(transformers.TrainerCallback):
    """Presses Ctrl-C before a step."""

    def __init__(self, step):
        self.step = step

    def on_step_begin(self, args, state, control, **_):
        if state.global_step == self.step:
            os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture(scope="module")
def bases(tmp_path_factory):
    """Tiny models; BERT's with dropout, which must go on exactly too."""
    return {kind: tiny.save(kind, tmp_path_factory.mktemp(kind)) for kind in ("bert", "gpt2")}


def train(base, out, **options):
    return tuning.train_language_model(
        TEXTS, out, base=base, **{"settings": SETTINGS, "device": "cpu", **options}
    )


@pytest.fixture(scope="module")
def trained(bases, tmp_path_factory):
    return train(bases["bert"], tmp_path_factory.mktemp("out") / "model", keep=KEEP)


def test_the_folder_is_whole(trained, bases):
    assert trained.steps == 18  # 40 sentences and 8 neutral ones in batches of 8, three times
    assert isinstance(cp.load(trained.folder), cp.models.MaskedLM)
    assert not trained.folder.with_name("model.training").exists()
    card = json.loads((trained.folder / "training.json").read_text())
    assert card["made_from"]["sentences"] == 40
    assert card["made_from"]["base"] == str(bases["bert"])
    assert "not known until it is measured" in (trained.folder / "README.md").read_text()
    weights = load_file(trained.folder / "model.safetensors")
    assert {one.dtype for one in weights.values()} == {torch.float32}


def test_it_learns(bases, tmp_path):
    """What it is trained on becomes more probable, with hidden tokens and with next ones."""
    settings = replace(SETTINGS, epochs=8)
    sentences = ["She is a nurse.", "It rains."]
    before, after = (
        cp.load(bases["bert"]),
        cp.load(train(bases["bert"], tmp_path / "m", settings=settings).folder),
    )
    gain = after.pseudo_log_likelihood(sentences) - before.pseudo_log_likelihood(sentences)
    assert (gain > 5).all()
    before, after = (
        cp.load(bases["gpt2"]),
        cp.load(train(bases["gpt2"], tmp_path / "c", settings=settings).folder),
    )
    assert isinstance(after, cp.models.CausalLM)
    assert (after.log_likelihood(sentences) - before.log_likelihood(sentences) > 5).all()


def test_a_causal_base_without_a_pad_token(tmp_path):
    """Padding needs a number only, which nothing attends to: the tokenizer stays as it is."""
    base = tiny.save("gpt2-without-pad", tmp_path / "base")
    after = cp.load(train(base, tmp_path / "m", settings=replace(SETTINGS, epochs=8)).folder)
    assert after.tokenizer.pad_token is None
    sentences = ["She is a nurse.", "It rains."]
    assert (after.log_likelihood(sentences) - cp.load(base).log_likelihood(sentences) > 5).all()


def test_a_base_without_any_token_to_pad_with_is_refused(tmp_path):
    base = tiny.save("gpt2-without-pad", tmp_path / "base")
    tokenizer = transformers.AutoTokenizer.from_pretrained(base)
    tokenizer.eos_token = tokenizer.bos_token = None
    tokenizer.save_pretrained(base)
    with pytest.raises(ModelError, match="has neither a pad token nor an end-of-text token") as refused:
        train(base, tmp_path / "m")
    assert "\n" not in str(refused.value)
    assert list(tmp_path.iterdir()) == [base]


def test_neutral_predictions_are_kept(bases, tmp_path):
    """KL(base || model) at a mask of a neutral sentence: with a heavy weight it moves less."""
    kept = train(bases["bert"], tmp_path / "kept", keep=KEEP * 4, keep_weight=30.0)
    free = train(bases["bert"], tmp_path / "free")

    def log_probs(folder):
        model = cp.load(folder)
        inputs = model.tokenizer("The [MASK] was late.", return_tensors="pt")
        with torch.no_grad():
            return model.model(**inputs).logits[0, 2].log_softmax(-1)

    wanted = log_probs(bases["bert"])
    moved = [float((wanted.exp() * (wanted - log_probs(one.folder))).sum()) for one in (kept, free)]
    assert moved[0] < 0.7 * moved[1]


def test_the_same_training_ends_in_the_same_weights(bases, trained, tmp_path):
    """Equal to the bit, for the same number of threads."""
    again = train(bases["bert"], tmp_path / "m", keep=KEEP)
    first, second = (load_file(one.folder / "model.safetensors") for one in (trained, again))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_stopped_training_goes_on_to_the_same_weights(bases, trained, tmp_path):
    """Stopped in the middle of an epoch, at its beginning and before its end; equal to the bit."""
    for step in (2, 6, 16):
        with pytest.raises(
            tuning.Stopped, match=f"training was stopped after step {step + 1} of 18"
        ) as stopped:
            train(bases["bert"], tmp_path / "m", keep=KEEP, callbacks=[StopAt(step)])
        assert isinstance(cp.load(stopped.value.checkpoint), cp.models.MaskedLM)
        assert not (tmp_path / "m").exists()
    last = train(bases["bert"], tmp_path / "m", keep=KEEP)
    first, second = (load_file(one.folder / "model.safetensors") for one in (trained, last))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_crash_in_the_middle_of_an_epoch_loses_what_came_after_the_last_checkpoint(
    bases, trained, tmp_path, monkeypatch
):
    monkeypatch.setattr(PeriodicCheckpoint, "seconds", 0.0)

    class Crash(transformers.TrainerCallback):
        def on_step_begin(self, args, state, control, **_):
            if state.global_step == 9:
                raise MemoryError

    with pytest.raises(MemoryError):
        train(bases["bert"], tmp_path / "m", keep=KEEP, callbacks=[Crash()])
    assert (tmp_path / "m.training" / "checkpoint-9").is_dir()
    begun = []

    class Note(transformers.TrainerCallback):
        def on_step_begin(self, args, state, control, **_):
            begun.append(state.global_step)

    last = train(bases["bert"], tmp_path / "m", keep=KEEP, callbacks=[Note()])
    assert begun[0] == 9
    first, second = (load_file(one.folder / "model.safetensors") for one in (trained, last))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_other_options_do_not_continue_it(bases, tmp_path):
    with pytest.raises(tuning.Stopped):
        train(bases["bert"], tmp_path / "m", callbacks=[StopAt(1)])
    for options, message in [
        ({"settings": replace(SETTINGS, seed=1)}, "with seed 42 instead of 1"),
        ({"keep": KEEP}, "with keep None instead of '"),
        ({"masking": tuning.Masking(share=0.2)}, "with masking {"),
    ]:
        with pytest.raises(RunError, match=message):
            train(bases["bert"], tmp_path / "m", **options)


def test_a_full_disk_is_one_line_and_nothing_is_lost(bases, trained, tmp_path):
    """Files may not grow beyond a size from the second epoch on, as on a disk that is full."""

    class Fill(transformers.TrainerCallback):
        def on_step_begin(self, args, state, control, **_):
            if state.global_step == 8:
                resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with pytest.raises(RunError, match=r"cannot write .*; make room there") as full:
            train(bases["bert"], tmp_path / "m", keep=KEEP, callbacks=[Fill()])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "\n" not in str(full.value)
    assert not (tmp_path / "m").exists()
    begun = []

    class First(transformers.TrainerCallback):
        def on_train_begin(self, args, state, control, **_):
            begun.append(state.global_step)

    last = train(bases["bert"], tmp_path / "m", keep=KEEP, callbacks=[First()])
    assert begun == [6]  # after the first epoch
    first, second = (load_file(one.folder / "model.safetensors") for one in (trained, last))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_model_is_published_whole_or_not_at_all(bases, tmp_path):
    settings = replace(SETTINGS, epochs=1)
    done = train(bases["bert"], tmp_path / "m", publish=False, settings=settings)
    assert not done.folder.exists()
    assert isinstance(cp.load(done.unpublished), cp.models.MaskedLM)
    with pytest.raises(PermissionError), done.publishing():  # other errors are not called a full disk
        raise PermissionError(errno.EPERM, "not allowed")
    assert not done.folder.exists()
    with (
        pytest.raises(RunError, match="make room there, and the same command goes on"),
        done.publishing(),
    ):
        raise OSError(errno.ENOSPC, "No space left on device")
    again = train(bases["bert"], tmp_path / "m", publish=False, settings=settings)
    with again.publishing() as folder:
        (folder / "note.txt").write_text("mine")
    assert (again.folder / "note.txt").read_text() == "mine"
    assert list(tmp_path.iterdir()) == [again.folder]


def test_bad_input(bases, tmp_path):
    for kind, message in [("classifier", "is a classifier"), ("encoder", "is an encoder")]:
        base = tiny.save(kind, tmp_path / kind)
        with pytest.raises(ModelError, match=f"{message}, which cannot guess words"):
            train(base, tmp_path / "m")
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("he 1 0\nshe 0 1\n")
    with pytest.raises(ModelError, match="is word vectors, which cannot guess words"):
        train(vectors, tmp_path / "m")
    with pytest.raises(InputError, match="there is no text to train on"):
        tuning.train_language_model(["", " \n"], tmp_path / "m", base=bases["bert"])
    with pytest.raises(InputError, match="not one text"):
        tuning.train_language_model("She left.", tmp_path / "m", base=bases["bert"])
    for options, message in [
        ({"keep_weight": 0.0}, "keep_weight must be above 0"),
        ({"settings": tuning.Settings()}, "trained without validation"),
    ]:
        with pytest.raises(InputError, match=message):
            train(bases["bert"], tmp_path / "m", **options)
    with pytest.raises(InputError, match="patience needs validation"):
        tuning.Settings(validation=0.0)
    with pytest.raises(InputError, match="a classifier needs validation"):
        tuning.train_classifier(["a", "b"], [0, 1], tmp_path / "m", settings=tuning.LANGUAGE_MODEL)
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine.txt").touch()
    with pytest.raises(RunError, match="is there already"):
        train(bases["bert"], tmp_path / "there")
