"""A model in, a fairer model out.

`projection` is split in three: how a direction is found (`directions`), what is done with it (`projections`), where it
is applied (`applying`).

`finetune` trains a language model further on swapped text, by one of the recipes. What that gained and broke is shown
by a proof (`evaluation`): each model is scored once, and scores are compared.
"""

from counterpoise.mitigate.evaluation.generalisation import Generalisation, generalise
from counterpoise.mitigate.evaluation.held_out import held_out
from counterpoise.mitigate.evaluation.net_effect import NetEffect, net_effect
from counterpoise.mitigate.evaluation.proof import Proof, prove
from counterpoise.mitigate.evaluation.scores import ModelScores, score
from counterpoise.mitigate.finetune.debiasing import Debiased, debias
from counterpoise.mitigate.finetune.recipes import RECIPES, Recipe
from counterpoise.mitigate.finetune.reminders import read_reminders, reminders
from counterpoise.mitigate.projection.applying import (
    Projected,
    apply_projection,
    fit_projection,
    what_remains,
)
from counterpoise.mitigate.projection.projections import (
    HardDebias,
    LinearProjection,
    Rotation,
    load_projection,
)

__all__ = [
    "RECIPES",
    "Debiased",
    "Generalisation",
    "HardDebias",
    "LinearProjection",
    "ModelScores",
    "NetEffect",
    "Projected",
    "Proof",
    "Recipe",
    "Rotation",
    "apply_projection",
    "debias",
    "fit_projection",
    "generalise",
    "held_out",
    "load_projection",
    "net_effect",
    "prove",
    "read_reminders",
    "reminders",
    "score",
    "what_remains",
]
