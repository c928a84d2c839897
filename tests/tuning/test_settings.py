"""Settings and devices that no training could use are refused in one line, before anything is read or written."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
import transformers

import tiny
from counterpoise import mitigate, tuning
from counterpoise.cli.main import run
from counterpoise.core.errors import InputError
from counterpoise.corpus.learning.experiment import LearningSettings
from counterpoise.corpus.learning.learned_bias import learned_bias
from counterpoise.tuning.devices import mixed_precision, training_device

UNUSABLE = [
    "gpu",
    "meta",
    "cuda:99",
    *([] if torch.cuda.is_available() else ["cuda"]),
    *([] if torch.backends.mps.is_available() else ["mps"]),
]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("learning_rate", [0, -1e-5, 1.5, 1e6, math.nan, math.inf, "5e-5", None]),
        ("warmup", [-0.1, 1.1, math.nan, "all"]),
        ("weight_decay", [-0.01, 2, math.inf]),
        ("validation", [-0.1, 1, 1.5, math.nan]),
        ("batch_size", [0, -8, 2.5, True, "8"]),
        ("epochs", [0, -1, 0.5, math.inf, "three"]),
        ("patience", [0, -1, 1.5]),
        ("max_length", [2, 0, -512, 12.5]),
        ("seed", [-1, 2**32, 0.5, math.nan, "zero"]),
        ("precision", ["int8", "float16", None]),
        ("best", ["luck"]),
    ],
)
def test_settings_out_of_range(name, values):
    for value in values:
        with pytest.raises(InputError, match=name) as refused:
            tuning.Settings(**{name: value})
        assert "\n" not in str(refused.value)


def test_settings_at_the_edge_of_their_range():
    tuning.Settings(learning_rate=1, warmup=1, weight_decay=1, max_length=3, seed=2**32 - 1, batch_size=1)
    transformers.set_seed(tuning.Settings(seed=2**32 - 1).seed)
    tuning.Settings(patience=None, validation=0.0, warmup=0.0, weight_decay=0.0)


def test_seeds_of_what_a_corpus_teaches():
    with pytest.raises(InputError, match=r"seed must be below 2\^32, not 4294967296"):
        LearningSettings(seeds=(0, 1, 2**32))
    with pytest.raises(InputError, match="learning_rate"):
        LearningSettings(learning_rate=1e6)


@pytest.mark.parametrize("device", UNUSABLE)
def test_devices_that_are_not_there(device, tmp_path):
    """From Python: classifier, language model, debiasing, and what a corpus teaches."""
    texts, out = ["He left.", "She stayed."] * 4, tmp_path / "model"
    for train in (
        lambda: tuning.train_classifier(texts, ["a", "b"] * 4, out, base=tmp_path / "none", device=device),
        lambda: tuning.train_language_model(texts, out, base=tmp_path / "none", device=device),
        lambda: mitigate.debias(tmp_path / "none", tmp_path / "none.txt", out, device=device),
        lambda: learned_bias([tmp_path / "none.txt"], reference=tmp_path / "none", device=device),
    ):
        with pytest.raises(InputError, match=f"the device '{device}' cannot be|not on '{device}'") as refused:
            train()
        assert "\n" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_a_device_that_nobody_knows():
    with pytest.raises(
        InputError, match=r"trained on cpu, cuda, mps or auto, not on 'cdua'.*did you mean 'cuda'\?"
    ):
        tuning.train_language_model(["He left."], "model", device="cdua")
    for unusable in (*UNUSABLE, "cdua"):
        with pytest.raises(InputError) as refused:
            training_device(unusable)
        assert len(str(refused.value)) < 200


def test_precisions_that_a_device_has_not(tmp_path):
    with pytest.raises(InputError, match="fp16 needs an NVIDIA GPU, and the device is cpu"):
        tuning.train_classifier(
            ["a", "b"], ["x", "y"], tmp_path / "m", settings=tuning.Settings(precision="fp16"), device="cpu"
        )
    cpu = training_device("cpu", "bf16")
    assert (mixed_precision("auto", cpu), mixed_precision("bf16", cpu)) == ("float32", "bf16")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--device", "gpu"], "models are trained on cpu, cuda, mps or auto, not on 'gpu'"),
        (["--device", "cuda:99"], "the device 'cuda:99' cannot be used here"),
        (
            ["--variant", "publishd"],
            "there is no variant 'publishd' (there are: corrected, published); did you",
        ),
        (["--condition", "mix"], "there is no condition 'mix'"),
        (
            ["--base", "bertbase", "--variant", "published", "--condition", "mix"],
            "there is no condition 'mix'",
        ),
        (["--seed", "-1"], "--seed must be 0 or more, not -1"),
        (["--seed", str(2**32)], "seed must be below 2^32, not 4294967296"),
        (["--learning-rate", "1e6"], "--learning-rate must be above 0 and at most 1, not 1000000.0"),
        (["--learning-rate", "nan"], "--learning-rate must be a number, not nan"),
        (["--epochs", "0"], "--epochs must be above 0, not 0"),
        (["--batch-size", "-2"], "--batch-size must be above 0, not -2"),
    ],
)
def test_train_refuses_them_before_it_reads_the_texts(options, message, tmp_path, capsys):
    arguments = ["train", str(tmp_path / "not-there.csv"), "--out", str(tmp_path / "model"), *options]
    assert run(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--device", "gpu"], "models are trained on cpu, cuda, mps or auto, not on 'gpu'"),
        (["--seed", str(2**32)], "seed must be below 2^32"),
        (["--learning-rate", "0"], "--learning-rate must be above 0"),
        (["--batch-size", "0"], "--batch-size must be above 0"),
    ],
)
def test_debias_refuses_them_before_it_reads_the_corpus(options, message, tmp_path, capsys):
    corpus = str(tmp_path / "not-there.txt")
    assert run(["debias", "--corpus", corpus, "--out", str(tmp_path / "fair"), *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--device", "gpu"], "models are trained on cpu, cuda, mps or auto, not on 'gpu'"),
        (["--seeds", f"0,1,{2**32}"], "seed must be below 2^32"),
        (["--learning-rate", "1e6"], "--learning-rate must be above 0 and at most 1"),
    ],
)
def test_corpus_refuses_them_before_it_makes_a_folder(options, message, tmp_path, capsys):
    corpus = str(tmp_path / "not-there.txt")
    assert run(["corpus", corpus, "--method", "model", "--out", str(tmp_path / "run"), *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


class Device(transformers.TrainerCallback):
    """Remembers where the model was trained, and how many texts a step had."""

    def on_train_begin(self, args, state, control, model, **_):
        self.device = next(model.parameters()).device.type
        self.steps = state.max_steps


@pytest.mark.slow
@pytest.mark.parametrize("device", ["cpu", "cuda", "auto"])
def test_the_device_is_honoured(device, tmp_path):
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("needs cuda")
    seen = Device()
    settings = replace(tuning.Settings(), epochs=1, patience=None, batch_size=4)
    tuning.train_classifier(
        ["He left.", "She stayed."] * 10,
        ["a", "b"] * 10,
        tmp_path / "model",
        base=tiny.save("bert", tmp_path / "base"),
        settings=settings,
        device=device,
        callbacks=[seen],
    )
    assert seen.device == training_device(device).type
    assert seen.steps == 5  # 18 of the texts in batches of 4, however many GPUs there are
