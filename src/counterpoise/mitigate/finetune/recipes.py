"""Ways to debias a model by training it further: ours, the plain one, that of a paper, and that of its own code.

Ours (`default`) learns gendered words alone and keeps all other guesses where they were; it sees each text in both
versions, with names, hides every second gendered word, and adds sentences about people at work and reminders. What each
part does is in docs/debias.md. `plain` is counterfactual substitution as the literature has it.

Bartl et al. (2020) write of counterfactual substitution with names, a rate of 5e-5 and warm-up, one sentence a step.
Their code trains at 2e-5 without warm-up on a version of GAP in which every text is inverted, not every second one, and
sentences are filled up with masks that the model sees and must guess.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from counterpoise.core.errors import InputError, unknown
from counterpoise.tuning.language_model import LANGUAGE_MODEL, Masking
from counterpoise.tuning.settings import Settings

Method = Literal["cds", "cda", "flip", "none"]


@dataclass(frozen=True)
class Recipe:
    """How the texts are treated and the model is trained.

    method: what is done to the texts (`counterpoise.text.augment`); "none" trains on them as they are.
    guard: whether texts that a swap would make absurd (she gave birth) stay as they are.
    at_work: how many pairs of sentences about people at work to add (`counterpoise.mitigate.finetune.at_work`).
    reminders: how many reminders to add, unless others are given.
    keep: how many neutral sentences to mix in, on which the model's predictions are to stay where they were.
    keep_weight: the weight of a prediction to be kept, compared with one to be learned.
    authors_text: whether inverted GAP is the version that the authors published.
    """

    method: Method = "cds"
    names: bool = False
    guard: bool = False
    settings: Settings = LANGUAGE_MODEL
    masking: Masking = field(default_factory=Masking)
    at_work: int = 0
    reminders: int = 0
    keep: int = 0
    keep_weight: float = 1.0
    authors_text: bool = False

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            raise unknown("method", self.method, get_args(Method))
        for name in ("at_work", "reminders", "keep"):
            if getattr(self, name) < 0:
                raise InputError(f"{name} is a number of sentences, not {getattr(self, name)}")


# The authors' AdamW is that of transformers 2, without weight decay unless one is given, in single precision.
_ONE_SENTENCE_A_STEP = replace(LANGUAGE_MODEL, batch_size=1, weight_decay=0.0, precision="float32")

RECIPES: dict[str, Recipe] = {
    "default": Recipe(
        method="cda",
        names=True,
        guard=True,
        settings=replace(LANGUAGE_MODEL, epochs=1, batch_size=64),
        masking=Masking(gendered=0.5, learn_gendered=True),
        at_work=10_000,
        reminders=400,
    ),
    "plain": Recipe(),
    "paper": Recipe(names=True, settings=_ONE_SENTENCE_A_STEP),
    "published": Recipe(
        method="flip",
        names=True,
        settings=replace(_ONE_SENTENCE_A_STEP, learning_rate=2e-5, warmup=0.0),
        masking=Masking(attended_padding=True),
        authors_text=True,
    ),
}


def preset_recipe(preset: str = "default") -> Recipe:
    """The recipe of a preset.

    >>> preset_recipe("published").settings.learning_rate, preset_recipe("paper").names
    (2e-05, True)
    """
    if preset not in RECIPES:
        raise unknown("preset", preset, RECIPES)
    return RECIPES[preset]
