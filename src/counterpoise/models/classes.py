"""The class of each kind of transformers model."""

from __future__ import annotations

from typing import Any

from counterpoise.models.pretrained import Kind


def class_of(kind: Kind) -> Any:
    """The class; imported when asked for, since all of them need torch."""
    from counterpoise.models.causal import CausalLM
    from counterpoise.models.classifier import Classifier
    from counterpoise.models.encoder import Encoder
    from counterpoise.models.inference import InferenceModel
    from counterpoise.models.masked import MaskedLM

    return {
        "masked": MaskedLM,
        "causal": CausalLM,
        "encoder": Encoder,
        "classifier": Classifier,
        "nli": InferenceModel,
    }[kind]
