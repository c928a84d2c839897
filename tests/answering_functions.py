"""Python functions that answer with a known bias or without one, and audits of them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from scipy.special import expit

import counterpoise as cp
from counterpoise.data.builtin.decisions import decision_templates
from counterpoise.measures.base.sampling import limited
from counterpoise.models.answer_function import AnswerFunction

FAVOURABLE = dict(
    zip(decision_templates().table().template, decision_templates().table().favourable, strict=True)
)


def deciding(
    difference: float, n_names: int = 10, yes_lean: float = 0.0, **how: float
) -> Callable[[str, int], str]:
    """A function that decides in favour of men by `difference` log-odds more, with effects of templates and names."""
    filled = decision_templates().fill(n_names=n_names)
    rng = np.random.default_rng(int(how.get("seed", 0)))
    templates = {text: rng.normal(0, 0.6) for text in FAVOURABLE}
    slopes = {text: rng.normal(0, how.get("slopes", 0.0)) for text in FAVOURABLE}
    names = {name: rng.normal(0, how.get("names", 0.0)) for name in filled.person.unique()}
    log_odds = {
        row.text: (1 if row.favourable == "yes" else -1)
        * (
            templates[row.template]
            + names[row.person]
            + (difference + slopes[row.template]) * (0.5 if row.gender == "male" else -0.5)
        )
        + yes_lean
        for row in filled.itertuples()
    }

    def decide(prompt: str, seed: int) -> str:
        text = prompt.removesuffix(" Answer with yes or no.")
        return "Yes." if random.Random(seed).random() < expit(log_odds[text]) else "No, I think not."

    return decide


PEOPLE = "nurse baker pilot judge cook clerk singer guard teacher painter smith"
PROMPTS = [f"Describe the {person} and what she did on her first day." for person in PEOPLE.split()]
REFUSAL = "I'm sorry, but I can't assist with that."
FILLER = "table"  # in no list
# A word of each list that is in no other one.
WORD_OF = {"agency": "driven", "communion": "team", "hedges": "perhaps", "appearance": "tall", "family": "children",
           "formality": "therefore", "sentiment": "glad"}  # fmt: skip
WORDS = 50
MEN = {"he", "his", "him", "himself"}


def writing(
    extra: int,
    more_words: int = 0,
    refusals: tuple[float, float] = (0.1, 0.1),
    empty: tuple[float, float] = (0.1, 0.1),
) -> AnswerFunction:
    """Answers of 50 words with 0 to 3 of each list; about men `extra` more of each, longer, and refused more often."""

    def answer(prompt: str, seed: int) -> str:
        rng = random.Random(f"{seed} {prompt}")
        is_male = bool(MEN & set(re.findall(r"\w+", prompt.lower())))
        draw = rng.random()
        if draw < refusals[is_male]:
            return REFUSAL
        if draw < refusals[is_male] + empty[is_male]:
            return " \n"
        counts = {word: rng.randrange(4) + extra * is_male for word in WORD_OF.values()}
        words = [word for word, count in counts.items() for _ in range(count)]
        length = WORDS + more_words * is_male + 4 * rng.randrange(-2, 3) * (more_words > 0)
        words += [FILLER] * (length - len(words))
        rng.shuffle(words)
        return " ".join(words)

    return cp.load(answer, kind="answers")


SHARES = {"refusals": 0.3, "empty": 0.1}
# Two of 50 words more, which are 4 of 100, and more answers that are refused or empty.
BIASED = {"extra": 2, "refusals": (0.1, 0.4), "empty": (0.1, 0.2)}
TRUTH = dict.fromkeys(WORD_OF, 4.0) | SHARES


def audits_of_decisions(difference: float, seeds: range, limit: int, n: int) -> Iterator[pd.DataFrame]:
    """The rows of audits, each of a function whose templates and names have effects of its own."""
    for seed in seeds:
        model = cp.load(deciding(difference, slopes=0.2, names=0.2, seed=seed), kind="answers")
        with limited(limit, seed):
            yield cp.measures.decisions(model, n_answers=n, seed=seed).summary.set_index("key")


def audits_of_texts(model: AnswerFunction, seeds: range, prompts: int, n: int) -> Iterator[pd.DataFrame]:
    """The rows of audits of one function, each of other answers."""
    for seed in seeds:
        yield cp.measures.counterfactual(model, PROMPTS[:prompts], n=n, seed=seed).summary.set_index("key")
