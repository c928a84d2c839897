"""The authors' models and settings: what their configuration makes of a checkpoint with all its layers."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
import transformers

import tiny
from counterpoise.mitigate import RECIPES
from counterpoise.text.conditions import CONDITIONS
from counterpoise.tuning import PRESETS, train_classifier, train_language_model
from counterpoise.tuning.classifier import _model

CONFIGS = {
    "distbase": (transformers.DistilBertConfig, {}),
    "bertbase": (transformers.BertConfig, {}),
    "bertlarge": (transformers.BertConfig, {"num_hidden_layers": 24}),
    "robertabase": (transformers.RobertaConfig, {"layer_norm_eps": 1e-5}),
    "robertalarge": (transformers.RobertaConfig, {"num_hidden_layers": 24, "layer_norm_eps": 1e-5}),
    "albertbase": (transformers.AlbertConfig, {"num_attention_heads": 12}),
    "albertlarge": (transformers.AlbertConfig, {"num_attention_heads": 16, "num_hidden_layers": 24}),
}


def test_batch_sizes_and_learning_rates():
    """Paper: batches of 32 or 16, rates between 5e-6 and 2e-5; code: also a batch of 8."""
    assert {name: preset.batch_size for name, preset in PRESETS.items()} == {
        "distbase": 32,
        "bertbase": 32,
        "bertlarge": 16,
        "robertabase": 32,
        "robertalarge": 16,
        "albertbase": 16,
        "albertlarge": 8,
    }
    for preset in PRESETS.values():
        assert list(preset.learning_rates) == list(preset.epochs) == list(CONDITIONS)
        assert {round(rate * 1e6) for rate in preset.learning_rates.values()} <= {5, 10, 20}
        assert set(preset.epochs.values()) <= set(range(4, 20))
        settings = preset.published("mix-all")
        assert (settings.epochs, settings.patience, settings.validation, settings.warmup) == (
            20,
            None,
            0.1,
            0.0,
        )
        assert (settings.weight_decay, settings.precision) == (0.0, "float32")
    assert PRESETS["bertbase"].published("original").learning_rate == pytest.approx(1e-5)
    assert PRESETS["albertlarge"].published("mix-all").learning_rate == pytest.approx(2e-5)


@pytest.mark.parametrize("name", CONFIGS)
def test_what_the_published_configuration_is(name):
    """As the authors' own configuration objects have it (their dropout, layers, heads and epsilon)."""
    kind, sizes = CONFIGS[name]
    config = kind(**sizes)
    config.update(dict(PRESETS[name].config))
    layers, heads = config.num_hidden_layers, config.num_attention_heads
    dropout = config.dropout if name == "distbase" else config.hidden_dropout_prob
    assert dropout == 0.5
    assert layers == (6 if name == "distbase" else 12)
    assert heads == (64 if name.startswith("albert") else 12)
    if not name.startswith("dist"):
        assert config.layer_norm_eps == 1e-12
    if name == "distbase":
        assert config.seq_classif_dropout == 0.2


def test_a_larger_checkpoint_is_cut(tmp_path):
    """What `num_hidden_layers: 12` did to the large models, on a small one: three of its four layers are read."""
    shape = {"hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 16, "vocab_size": 30522}
    whole = transformers.BertForMaskedLM(transformers.BertConfig(**shape, num_hidden_layers=4))
    whole.save_pretrained(tmp_path)
    tiny.wordpiece().save_pretrained(tmp_path)
    changes = {"num_hidden_layers": 3, "hidden_dropout_prob": 0.5}
    model, _ = _model(str(tmp_path), ["neg", "pos"], changes, allow_pickle=False, trust_remote_code=False)
    assert len(model.bert.encoder.layer) == 3
    assert model.config.hidden_dropout_prob == 0.5
    first, kept = whole.bert.encoder.layer[2], model.bert.encoder.layer[2]
    assert (first.output.dense.weight == kept.output.dense.weight).all()


class Optimization(transformers.TrainerCallback):
    """Reads how a model is really trained: the optimizer's parameters, the rate of each step, the gradient's norm."""

    def __init__(self):
        self.rates, self.norms, self.dtypes = [], [], set()

    def on_train_begin(self, args, state, control, model, optimizer, **_):
        self.groups = [dict(group) for group in optimizer.param_groups]
        self.name = type(optimizer.optimizer).__name__
        self.parameters = sum(weights.numel() for weights in model.parameters())
        self.args = args

    def on_pre_optimizer_step(self, args, state, control, model, optimizer, **_):
        gradients = [weights.grad for weights in model.parameters() if weights.grad is not None]
        self.dtypes |= {gradient.dtype for gradient in gradients}
        self.norms.append(float(torch.cat([gradient.flatten() for gradient in gradients]).norm()))
        self.rates.append(optimizer.param_groups[0]["lr"])


def check_as_the_authors_trained(seen: Optimization, rate: float) -> None:
    """AdamW(lr, eps=1e-8) of transformers 2 and 3 for all weights, clipped to 1, the rate falling linearly to zero."""
    assert seen.name == "AdamW"
    assert sum(weights.numel() for group in seen.groups for weights in group["params"]) == seen.parameters
    for group in seen.groups:
        assert group["weight_decay"] == 0.0
        assert group["eps"] == 1e-8
        assert group["betas"] == (0.9, 0.999)
        assert not group["amsgrad"]
    steps = len(seen.rates)
    assert seen.rates == pytest.approx([rate * (steps - step) / steps for step in range(steps)])
    assert seen.args.max_grad_norm == 1.0
    assert max(seen.norms) <= 1.0 + 1e-5
    assert not any((seen.args.fp16, seen.args.bf16, seen.args.tf32))
    assert seen.dtypes == {torch.float32}


@pytest.mark.slow
def test_a_published_classifier_is_trained_as_the_authors_did(tmp_path, monkeypatch):
    small = replace(PRESETS["bertbase"], hub=str(tiny.save("bert", tmp_path / "base")))
    monkeypatch.setitem(PRESETS, "bertbase", small)
    seen = Optimization()
    settings = replace(small.published("R-pro"), epochs=2)
    texts = ["it was a good film", "it was a bad film, far too long and boring"] * 40
    train_classifier(
        texts,
        ["pos", "neg"] * 40,
        tmp_path / "model",
        base="bertbase",
        condition="R-pro",
        variant="published",
        settings=settings,
        device="cpu",
        callbacks=[seen],
    )
    assert len(seen.rates) == 6  # 72 of 80 texts in batches of 32, twice
    check_as_the_authors_trained(seen, rate=1e-5)


@pytest.mark.slow
def test_the_published_recipe_is_trained_as_the_authors_did(tmp_path):
    """Bartl et al. (2020), main.py: one sentence a step, a rate of 2e-5."""
    seen = Optimization()
    recipe = RECIPES["published"]
    train_language_model(
        ["She is a nurse.", "The man told his wife that he was late.", "It rains."],
        tmp_path / "model",
        base=tiny.save("bert", tmp_path / "base"),
        settings=recipe.settings,
        masking=recipe.masking,
        device="cpu",
        callbacks=[seen],
    )
    assert len(seen.rates) == 9
    check_as_the_authors_trained(seen, rate=2e-5)
