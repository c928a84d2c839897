"""Numbers that are not finite end a training with the reason; neither a model nor a checkpoint is kept."""

from __future__ import annotations

import os
import signal
from dataclasses import replace

import pytest
import torch
import transformers

import tiny
from counterpoise import tuning
from counterpoise.cli.main import run
from counterpoise.core.errors import ModelError

pytestmark = pytest.mark.slow

CLASSIFIER = tuning.Settings(batch_size=8, epochs=3, patience=None, learning_rate=1e-3, max_length=32)
LANGUAGE_MODEL = replace(tuning.LANGUAGE_MODEL, batch_size=8)
TEXTS = ["She is a nurse.", "He was late and told his wife about it."] * 20
UNUSED = -1  # the last position, which no text reaches: its vector moves no loss


class Poison(transformers.TrainerCallback):
    """Makes weights infinite after a step: all of them, or the vector of a position that no text reaches."""

    def __init__(self, step, everything=True, at="on_step_end"):
        self.step, self.everything = step, everything
        setattr(self, at, self.poison)

    def poison(self, args, state, control, model, **_):
        if state.global_step == self.step:
            with torch.no_grad():
                if self.everything:
                    for weights in model.parameters():
                        weights.fill_(torch.inf)
                else:
                    model.bert.embeddings.position_embeddings.weight[UNUSED] = torch.nan


class StopAt(transformers.TrainerCallback):
    """Presses Ctrl-C before a step."""

    def __init__(self, step):
        self.step = step

    def on_step_begin(self, args, state, control, **_):
        if state.global_step == self.step:
            os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return tiny.save("bert", tmp_path_factory.mktemp("base"))


@pytest.fixture
def changed_base(base, tmp_path):
    """The base with a change to one of its weights."""

    def save(change):
        model = transformers.AutoModelForMaskedLM.from_pretrained(base)
        with torch.no_grad():
            change(model)
        folder = tmp_path / "base"
        model.save_pretrained(folder)
        tiny.wordpiece().save_pretrained(folder)
        return folder

    return save


def train_classifier(base, out, **options):
    options = {"settings": CLASSIFIER, "device": "cpu", **options}
    return tuning.train_classifier(TEXTS, ["neg", "pos"] * 20, out, base=base, **options)


def train_language_model(base, out, **options):
    options = {"settings": LANGUAGE_MODEL, "device": "cpu", **options}
    return tuning.train_language_model(TEXTS, out, base=base, **options)


BOTH = pytest.mark.parametrize("train", [train_classifier, train_language_model])


@BOTH
def test_a_base_with_weights_that_are_not_finite(train, changed_base, tmp_path):
    def change(model):
        model.bert.encoder.layer[1].output.dense.weight[3, 3] = torch.nan

    base = changed_base(change)
    with pytest.raises(
        ModelError, match=r"weights of the base model are not finite \(bert\.encoder\.layer\.1\.output"
    ) as refused:
        train(base, tmp_path / "model")
    assert "\n" not in str(refused.value)
    assert list(tmp_path.iterdir()) == [base]


def test_a_loss_that_overflows(changed_base, tmp_path):
    """All weights of the base are finite, but what it makes of them is not."""
    base = changed_base(lambda model: model.cls.predictions.transform.LayerNorm.weight.fill_(3e38))
    with pytest.raises(
        ModelError,
        match=r"^training failed at step 1 of 15: the loss is (nan|inf); no model is kept, "
        r"try a learning rate below 5e-05$",
    ):
        train_language_model(base, tmp_path / "model")
    assert list(tmp_path.iterdir()) == [base]


@BOTH
def test_training_that_diverges(train, base, tmp_path):
    """After the checkpoint of the first epoch, too: the same call would come to the same end from there."""
    with pytest.raises(ModelError, match=r"training failed at step 8 of 15: the loss is nan"):
        train(base, tmp_path / "model", callbacks=[Poison(7)])
    assert list(tmp_path.iterdir()) == []


@BOTH
def test_weights_that_no_loss_shows(train, base, tmp_path):
    """They are found before a checkpoint is written."""
    with pytest.raises(
        ModelError,
        match=r"at step 10 of 15: weights of bert\.embeddings\.position_embeddings\.weight are not",
    ):
        train(base, tmp_path / "model", callbacks=[Poison(7, everything=False)])
    assert list(tmp_path.iterdir()) == []


def test_a_loss_in_validation(base, tmp_path):
    with pytest.raises(ModelError, match=r"at step 5 of 15: the loss in validation is nan"):
        train_classifier(base, tmp_path / "model", callbacks=[Poison(5, at="on_epoch_end")])
    assert list(tmp_path.iterdir()) == []


def test_it_can_be_trained_at_another_rate_at_once(base, tmp_path):
    """Also where it was stopped and resumed before."""
    with pytest.raises(tuning.Stopped):
        train_classifier(base, tmp_path / "model", callbacks=[StopAt(6)])
    assert (tmp_path / "model.training" / "checkpoint-7").is_dir()
    with pytest.raises(ModelError, match="at step 10 of 15"):
        train_classifier(base, tmp_path / "model", callbacks=[Poison(9)])
    done = train_classifier(base, tmp_path / "model", settings=replace(CLASSIFIER, learning_rate=1e-4))
    assert done.folder.is_dir()


def test_on_the_command_line(changed_base, tmp_path, capsys):
    base = changed_base(lambda model: model.cls.predictions.bias.fill_(torch.inf))
    (tmp_path / "mine.txt").write_text("\n".join(TEXTS))
    before = sorted(tmp_path.iterdir())
    arguments = ["debias", str(base), "--corpus", str(tmp_path / "mine.txt"), "--out", str(tmp_path / "fair")]
    capsys.readouterr()
    assert run([*arguments, "--preset", "plain", "--method", "flip", "--device", "cpu"]) == 2
    error = capsys.readouterr().err
    assert "weights of the base model are not finite" in error
    assert error.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before
