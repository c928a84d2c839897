"""Fine-tuning of masked and causal language models and of classifiers, with exact resume."""

from counterpoise.tuning.classifier import train_classifier
from counterpoise.tuning.evaluation import Evaluation, evaluate
from counterpoise.tuning.language_model import LANGUAGE_MODEL, Masking, train_language_model
from counterpoise.tuning.presets import PRESETS, Preset
from counterpoise.tuning.settings import Settings
from counterpoise.tuning.training import Stopped, Trained

__all__ = [
    "LANGUAGE_MODEL",
    "PRESETS",
    "Evaluation",
    "Masking",
    "Preset",
    "Settings",
    "Stopped",
    "Trained",
    "evaluate",
    "train_classifier",
    "train_language_model",
]
