"""Training of classifiers: it learns, goes on exactly where it was, and leaves whole folders or none."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file

import counterpoise as cp
import tiny
from counterpoise import tuning
from counterpoise.core.errors import InputError, ModelError, RunError
from counterpoise.tuning.classifier import _held_out
from counterpoise.tuning.sampling import SimilarLengths

pytestmark = pytest.mark.slow

SETTINGS = tuning.Settings(batch_size=8, epochs=3, patience=None, learning_rate=3e-3, max_length=32)
GOOD, BAD = ("good", "great"), ("bad", "boring")


def make_texts(n, seed=0):
    """Texts of one kind of word or the other, among words that say nothing."""
    dice = np.random.default_rng(seed)
    texts, labels = [], []
    for i in range(n):
        kind = (BAD, GOOD)[i % 2]
        words = [
            *dice.choice(["film", "he", "she", "plot", "story"], size=dice.integers(2, 20)),
            dice.choice(kind),
        ]
        texts.append(" ".join(dice.permutation(words)))
        labels.append(("neg", "pos")[i % 2])
    return texts, labels


TEXTS, LABELS = make_texts(80)


class Weights(transformers.TrainerCallback):
    """Remembers the weights after each epoch, and may ask to stop before a step, as Ctrl-C does."""

    def __init__(self, stop_at=None):
        self.stop_at, self.seen = stop_at, []

    def on_step_begin(self, args, state, control, **_):
        if state.global_step == self.stop_at:
            os.kill(os.getpid(), signal.SIGINT)

    def on_epoch_end(self, args, state, control, model, **_):
        digest = hashlib.sha256()
        for weights in model.parameters():
            digest.update(weights.detach().numpy().tobytes())
        self.seen.append((state.global_step, digest.hexdigest()))


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return tiny.save("bert", tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def trained(base, tmp_path_factory):
    weights = Weights()
    out = tmp_path_factory.mktemp("out") / "model"
    done = tuning.train_classifier(
        TEXTS, LABELS, out, base=base, settings=SETTINGS, device="cpu", callbacks=[weights]
    )
    return done, weights.seen


def test_the_built_in_model_learns(tmp_path):
    settings = tuning.Settings(batch_size=8, epochs=3, patience=None, learning_rate=2e-4, max_length=32)
    done = tuning.train_classifier(TEXTS, LABELS, tmp_path / "model", settings=settings, device="cpu")
    classifier = cp.load(done.folder)
    assert isinstance(classifier, cp.models.Classifier)
    assert classifier.labels == ("neg", "pos")
    assert tuning.evaluate(classifier, *make_texts(40, seed=1)).accuracy > 0.9


def test_the_folder_is_whole(trained):
    done, _ = trained
    assert done.steps == 27  # 72 of 80 texts in batches of 8, three times
    assert 0 <= done.best["accuracy"] <= 1
    assert cp.load(done.folder).labels == ("neg", "pos")
    assert not done.folder.with_name("model.training").exists()


def test_its_card(trained):
    folder = trained[0].folder
    card = json.loads((folder / "training.json").read_text())
    assert card["settings"]["learning_rate"] == 3e-3
    assert card["made_from"]["condition"] == "original"
    assert card["made_from"]["texts"] == 80
    assert "gender bias is not known" in (folder / "README.md").read_text()
    assert not (folder / "training_args.bin").exists()


def test_a_stopped_training_goes_on_to_the_same_weights(base, trained, tmp_path):
    """Stopped in each epoch, at its beginning, in its middle and before its end; equal to the bit after every epoch."""
    done, expected = trained
    seen = []
    for stop_at in (0, 4, 9, 14, 25):
        weights = Weights(stop_at)
        with pytest.raises(
            tuning.Stopped, match=f"training was stopped after step {stop_at + 1} of 27"
        ) as stopped:
            tuning.train_classifier(
                TEXTS,
                LABELS,
                tmp_path / "model",
                base=base,
                settings=SETTINGS,
                device="cpu",
                callbacks=[weights],
            )
        assert 0 <= cp.load(stopped.value.checkpoint).rate(["a good film"])[0] <= 1
        assert not (tmp_path / "model").exists()
        seen += [entry for entry in weights.seen if entry[0] % 9 == 0]
    again = Weights()
    last = tuning.train_classifier(
        TEXTS, LABELS, tmp_path / "model", base=base, settings=SETTINGS, device="cpu", callbacks=[again]
    )
    assert [*seen, *again.seen] == expected
    assert last.best == done.best
    first, second = (load_file(one / "model.safetensors") for one in (done.folder, last.folder))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_checkpoint_that_was_cut_off_is_not_used(base, trained, tmp_path):
    weights = Weights(stop_at=12)
    with pytest.raises(tuning.Stopped) as stopped:
        tuning.train_classifier(
            TEXTS, LABELS, tmp_path / "m", base=base, settings=SETTINGS, device="cpu", callbacks=[weights]
        )
    state = stopped.value.checkpoint / "trainer_state.json"
    state.write_text(state.read_text()[:50])
    again = Weights()
    tuning.train_classifier(
        TEXTS, LABELS, tmp_path / "m", base=base, settings=SETTINGS, device="cpu", callbacks=[again]
    )
    assert again.seen == trained[1][1:]  # from the end of the first epoch


@pytest.mark.parametrize(
    "file", ["model.safetensors", "optimizer.pt", "scheduler.pt", "rng_state.pth", "trainer_state.json"]
)
def test_a_damaged_checkpoint_is_not_used(file, base, trained, tmp_path, capsys):
    def train(weights):
        return tuning.train_classifier(
            TEXTS, LABELS, tmp_path / "m", base=base, settings=SETTINGS, device="cpu", callbacks=[weights]
        )

    with pytest.raises(tuning.Stopped) as stopped:
        train(Weights(stop_at=12))
    damaged = stopped.value.checkpoint / file
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    again = Weights()
    last = train(again)
    assert again.seen == trained[1][1:]  # from the end of the first epoch
    assert (
        "checkpoint-13 is damaged or incomplete; training goes on from checkpoint-9"
        in capsys.readouterr().err
    )
    assert last.best == trained[0].best


def test_the_same_call_once_more_says_that_it_is_done(base, trained, tmp_path):
    done, _ = trained
    done.folder.with_name("model.training").mkdir()  # as if killed just after the model took its name
    again = tuning.train_classifier(TEXTS, LABELS, done.folder, base=base, settings=SETTINGS, device="cpu")
    assert again.is_published
    assert (again.steps, again.best) == (done.steps, done.best)
    assert not done.folder.with_name("model.training").exists()
    with pytest.raises(RunError, match="is there already"):
        tuning.train_classifier(TEXTS[:-1], LABELS[:-1], done.folder, base=base, settings=SETTINGS)
    copy = shutil.copytree(done.folder, tmp_path / "copy")
    (copy / "finished_training.json").write_text("[")  # nobody knows any more what it was trained with
    with pytest.raises(RunError, match="copy is there already"):
        tuning.train_classifier(TEXTS, LABELS, copy, base=base, settings=SETTINGS)


def test_two_trainings_into_one_folder_are_one_too_many(base, tmp_path):
    class Second(transformers.TrainerCallback):
        def on_step_begin(self, args, state, control, **_):
            with pytest.raises(RunError, match="another process is at work in"):
                tuning.train_classifier(
                    TEXTS, LABELS, tmp_path / "m", base=base, settings=SETTINGS, device="cpu"
                )
            control.should_training_stop = True

    tuning.train_classifier(
        TEXTS, LABELS, tmp_path / "m", base=base, settings=SETTINGS, device="cpu", callbacks=[Second()]
    )
    assert cp.load(tmp_path / "m").labels == ("neg", "pos")


def test_other_options_do_not_continue_it(base, tmp_path):
    with pytest.raises(tuning.Stopped):
        tuning.train_classifier(
            TEXTS, LABELS, tmp_path / "m", base=base, settings=SETTINGS, device="cpu", callbacks=[Weights(1)]
        )
    with pytest.raises(RunError, match="with condition 'original' instead of 'R-pro'"):
        tuning.train_classifier(
            TEXTS, LABELS, tmp_path / "m", base=base, settings=SETTINGS, condition="R-pro"
        )
    with pytest.raises(RunError, match="with data '"):
        tuning.train_classifier(TEXTS[:-1], LABELS[:-1], tmp_path / "m", base=base, settings=SETTINGS)
    (tmp_path / "m.training" / "options.json").write_text("[]")
    with pytest.raises(RunError, match=r"options\.json is damaged; remove that folder to start again"):
        tuning.train_classifier(TEXTS, LABELS, tmp_path / "m", base=base, settings=SETTINGS)


def test_training_stops_early(base, tmp_path):
    """Random labels: validation gets worse."""
    labels = np.random.default_rng(3).choice(["neg", "pos"], size=len(TEXTS)).tolist()
    settings = tuning.Settings(batch_size=8, epochs=30, patience=1, learning_rate=3e-3, max_length=32)
    done = tuning.train_classifier(TEXTS, labels, tmp_path / "m", base=base, settings=settings, device="cpu")
    assert done.epochs < 30
    assert done.best["epoch"] == done.epochs - 1


def test_copies_of_a_text_are_held_back_together():
    labels, sources = ["pos", "neg"] * 20, list(range(20)) * 2
    held = _held_out(labels, sources, tuning.Settings(validation=0.2))
    assert held.sum() == 8
    assert (held[:20] == held[20:]).all()
    assert (held == _held_out(labels, sources, tuning.Settings(validation=0.2))).all()
    assert (held != _held_out(labels, sources, tuning.Settings(validation=0.2, seed=1))).any()


def test_batches_have_similar_lengths():
    lengths = np.random.default_rng(0).integers(5, 500, size=1000)
    order = np.array(list(SimilarLengths(lengths, 10, seed=0)))
    assert sorted(order) == list(range(1000))
    spread = np.ptp(lengths[order].reshape(-1, 10), axis=1).mean()
    assert spread < 0.1 * np.ptp(lengths[np.arange(1000)].reshape(-1, 10), axis=1).mean()
    assert len(set(lengths[order][::10][:20])) > 15  # and come in no order


def test_bad_input(base, tmp_path):
    def attempt(texts, labels, **options):
        tuning.train_classifier(texts, labels, tmp_path / "m", **{"base": base, **options})

    for texts, labels, message in [
        (TEXTS, ["pos"] * 80, "all labels are 'pos'"),
        (TEXTS, [*LABELS[:-1], None], "1 of 80 texts have no label"),
        (TEXTS, LABELS[:-1], "80 texts but 79 labels"),
        ([], [], "there are no texts"),
        (["a", "b", "c"], ["pos", "pos", "neg"], "the label 'neg' has one text only"),
        (["a", "", "c", "d"], ["pos", "neg"] * 2, "1 of the 4 texts to train on are empty"),
    ]:
        with pytest.raises(InputError, match=message):
            attempt(texts, labels)
    with pytest.raises(InputError, match="there is no condition 'mix'"):
        attempt(TEXTS, LABELS, condition="mix")
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "mine.txt").touch()
    with pytest.raises(RunError, match="is there already"):
        attempt(TEXTS, LABELS)
    with pytest.raises(ModelError, match=r"there is no folder .*nothing"):
        tuning.train_classifier(TEXTS, LABELS, tmp_path / "n", base=tmp_path / "nothing")
    assert not (tmp_path / "n.training").exists()
    for name, value in [("learning_rate", 0), ("validation", 1.0), ("precision", "int8"), ("best", "luck")]:
        with pytest.raises(InputError, match=name):
            tuning.Settings(**{name: value})
