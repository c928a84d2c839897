"""The seven models of Jentzsch & Turan (2022), by the authors' names, and how the authors trained them.

The facts come from the authors' code (sciphie/bias-bert, util.py, train_pytorch.py, res_plots/tables.ipynb): the paper
says batches of 32 or 16, the code also has 8; learning rates are by model and condition. `config` is what their code
changes in a model: the dropout, as the paper says, and, which it does not say, 12 of the large models' 24 layers, 64
heads in ALBERT, and another epsilon in RoBERTa.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from counterpoise.core.errors import unknown
from counterpoise.tuning.settings import Settings

PUBLISHED_EVALUATION_LENGTH = 64  # tokens of a text that the authors' code reads to measure accuracy
_DROPOUT = 0.5
_TWELVE = {"num_hidden_layers": 12}
_EPSILON = {"layer_norm_eps": 1e-12}
_HEADS = {"num_attention_heads": 64}

# original, R-pro, R-weat, R-all, mix-pro, mix-weat, mix-all
_ORDER = ("original", "R-pro", "R-weat", "R-all", "mix-pro", "mix-weat", "mix-all")


@dataclass(frozen=True)
class Preset:
    """A base model; `epochs` are those that the authors picked by hand, counted from 0."""

    name: str
    hub: str
    batch_size: int
    learning_rates: Mapping[str, float]
    epochs: Mapping[str, int]
    config: Mapping[str, Any] = field(default_factory=dict)

    def published(self, condition: str = "original", seed: int = 42) -> Settings:
        """The authors' settings: all of their 20 epochs are trained, and the best in validation is kept.

        Their optimizer is `AdamW(lr=..., eps=1e-8)` of transformers 2 and 3, whose weight decay is 0 unless given, and
        they train in single precision.
        """
        if condition not in self.learning_rates:
            raise unknown("condition", condition, self.learning_rates)
        return Settings(
            learning_rate=self.learning_rates[condition],
            batch_size=self.batch_size,
            epochs=20,
            patience=None,
            best="accuracy",
            warmup=0.0,
            weight_decay=0.0,
            max_length=512,
            validation=0.1,
            precision="float32",
            seed=seed,
        )


def _preset(
    name: str,
    hub: str,
    batch_size: int,
    rates: tuple[float, ...],
    epochs: tuple[int, ...],
    config: Mapping[str, Any] | None = None,
) -> Preset:
    dropout = {"dropout" if name == "distbase" else "hidden_dropout_prob": _DROPOUT}
    per_condition = dict(zip(_ORDER, (rate * 1e-4 for rate in rates), strict=True))
    picked = dict(zip(_ORDER, epochs, strict=True))
    return Preset(name, hub, batch_size, per_condition, picked, {**dropout, **(config or {})})


# Learning rates as the notebook writes them, in units of 1e-4.
PRESETS = {
    preset.name: preset
    for preset in (
        _preset(
            "distbase",
            "distilbert-base-uncased",
            32,
            (0.05, 0.05, 0.05, 0.05, 0.2, 0.2, 0.2),
            (8, 18, 19, 16, 18, 19, 14),
        ),
        _preset(
            "bertbase",
            "bert-base-uncased",
            32,
            (0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2),
            (10, 11, 12, 12, 5, 10, 12),
        ),
        _preset(
            "bertlarge",
            "bert-large-uncased",
            16,
            (0.05, 0.05, 0.1, 0.05, 0.2, 0.2, 0.2),
            (13, 7, 6, 19, 19, 13, 14),
            _TWELVE,
        ),
        _preset("robertabase", "roberta-base", 32, (0.05,) * 7, (8, 7, 10, 10, 4, 7, 11), _EPSILON),
        _preset(
            "robertalarge",
            "roberta-large",
            16,
            (0.05,) * 7,
            (11, 10, 14, 15, 5, 5, 5),
            {**_TWELVE, **_EPSILON},
        ),
        _preset(
            "albertbase",
            "albert-base-v2",
            16,
            (0.1, 0.05, 0.05, 0.1, 0.1, 0.2, 0.1),
            (8, 4, 8, 5, 13, 6, 19),
            _HEADS,
        ),
        _preset(
            "albertlarge",
            "albert-large-v2",
            8,
            (0.2, 0.05, 0.05, 0.05, 0.1, 0.1, 0.2),
            (12, 11, 12, 17, 7, 19, 18),
            {**_HEADS, **_TWELVE},
        ),
    )
}
