"""A model in, a fairer model out.

Projections are split in three: how a direction is found (`directions`), what is done with it (`projections`), where it
is applied (`applying`).

`debiasing` trains a language model further on swapped text, by one of the `recipes`. What that gained and broke is
shown by a proof (`proof`): each model is scored once (`scores`), and scores are compared.
"""

from counterpoise.mitigate.applying import Projected, apply_projection, fit_projection, what_remains
from counterpoise.mitigate.corpora import Corpus, read_corpus
from counterpoise.mitigate.corpus import Learnt, what_is_learnt
from counterpoise.mitigate.corpus_scores import Learning
from counterpoise.mitigate.debiasing import Debiased, debias
from counterpoise.mitigate.generalisation import Generalisation, generalise
from counterpoise.mitigate.held_out import held_out
from counterpoise.mitigate.net import NetEffect, net_effect
from counterpoise.mitigate.projections import HardDebias, LinearProjection, Rotation, load_projection
from counterpoise.mitigate.proof import Proof, prove
from counterpoise.mitigate.recipes import RECIPES, Recipe
from counterpoise.mitigate.reminders import read_reminders, reminders
from counterpoise.mitigate.scores import Scores, score

__all__ = [
    "RECIPES",
    "Corpus",
    "Debiased",
    "Generalisation",
    "HardDebias",
    "Learning",
    "Learnt",
    "LinearProjection",
    "NetEffect",
    "Projected",
    "Proof",
    "Recipe",
    "Rotation",
    "Scores",
    "apply_projection",
    "debias",
    "fit_projection",
    "generalise",
    "held_out",
    "load_projection",
    "net_effect",
    "prove",
    "read_corpus",
    "read_reminders",
    "reminders",
    "score",
    "what_is_learnt",
    "what_remains",
]
