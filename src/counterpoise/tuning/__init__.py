"""Fine-tuning of masked language models and classifiers, with exact resume."""

from counterpoise.tuning.classifier import train_classifier
from counterpoise.tuning.evaluation import Evaluation, evaluate
from counterpoise.tuning.presets import PRESETS, Preset
from counterpoise.tuning.settings import Settings
from counterpoise.tuning.training import Stopped, Trained

__all__ = [
    "PRESETS",
    "Evaluation",
    "Preset",
    "Settings",
    "Stopped",
    "Trained",
    "evaluate",
    "train_classifier",
]
