"""The authors' models and settings: what their configuration makes of a checkpoint with all its layers."""

from __future__ import annotations

import pytest
import transformers

import tiny
from counterpoise.text.conditions import CONDITIONS
from counterpoise.tuning import PRESETS
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
    model, _ = _model(str(tmp_path), ["neg", "pos"], {"num_hidden_layers": 3, "hidden_dropout_prob": 0.5})
    assert len(model.bert.encoder.layer) == 3
    assert model.config.hidden_dropout_prob == 0.5
    first, kept = whole.bert.encoder.layer[2], model.bert.encoder.layer[2]
    assert (first.output.dense.weight == kept.output.dense.weight).all()
