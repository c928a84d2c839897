"""Counterfactual comparison of free text (after Lum et al. 2025).

    difference of a feature = mean over prompts of  (mean over n answers to the male version of the prompt
                                                     - mean over n answers to its female version)

Each prompt is about one person, and is turned into a version about a man and one about a woman (or any other versions).
Each version is answered n times with seeds of their own, and the answers are compared. The first row is sentiment;
length, refusals, empty answers, words of agency and communion, hedges, words on appearance and family, formality and
your own raters follow, corrected together (Holm). Intervals and tests count prompts.

Answers to one and the same prompt differ too. So each version's answers are split at random into halves, which shows
how large differences are by sampling alone: the null band, 95 % of them. A difference within it is called noise. Means
are compared, and no distances between distributions, which are above 0 without any bias and the more so the fewer
answers there are.

Words are counted per 100 words of an answer, whole and by lists in which no word has a gender or its counterpart is
there too, so that neither he and she count nor mother and father differ. Formality is formal words minus informal words
and contractions, sentiment positive minus negative words (turned round after a negation), both per 100 words. Any
classifier or function can rate sentiment instead.

A rater may itself prefer texts about men or women. So each answer is rated in its all-male and its all-female version:
the difference is the rater's own bias, which has a row, and the mean is the rating, in which that bias cancels. That
covers the words that the swapper turns.

A refused or empty answer counts as such and is left out of all other features, which say how people are written about
where the model writes. Both variants, corrected and published, are the same here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field

from counterpoise.core.plurals import count_text
from counterpoise.data.builtin.answer_words import AnswerWordsSpec, answer_words
from counterpoise.data.builtin.prompts import Prompts, counterfactual_prompts
from counterpoise.data.user.files import PROMPTS
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.kinds import sampling_settings
from counterpoise.measures.base.rows import ZERO
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.measures.base.table_checks import check_kind
from counterpoise.measures.base.units import PROBABILITY
from counterpoise.measures.base.version_names import GENDERED
from counterpoise.measures.generation.common.answer_features import (
    COUNTED,
    counted_features,
    kind_of_answer,
)
from counterpoise.measures.generation.common.answer_raters import (
    BIAS,
    LEXICON,
    Rater,
    audited,
    named_raters,
    sentiment_rater,
)
from counterpoise.measures.generation.common.answer_rows import RATED, answer_directions, answer_rows
from counterpoise.measures.generation.common.prompt_versions import (
    PromptVersions,
    prompt_problems,
    versions_of,
)
from counterpoise.models.answer_function import AnswerFunction
from counterpoise.models.answering import Sampling
from counterpoise.models.causal import CausalLM
from counterpoise.models.endpoints.capabilities import Rung
from counterpoise.models.endpoints.endpoint import Endpoint

_DIRECTIONS = answer_directions()

Model = CausalLM | Endpoint | AnswerFunction


@measure(
    "counterfactual",
    label="Answers to counterfactual prompts",
    needs=CausalLM | AnswerFunction,
    rungs=(Rung.ANSWERS,),
    data="counterfactual_prompts",
    ideal=ZERO,
    direction=_DIRECTIONS["sentiment"],
    directions=_DIRECTIONS,
    units={"refusals": PROBABILITY, "empty": PROBABILITY},
    suites=(),
    cites=("lum2025", "garg2019"),
    identity=("prompt", "version", "number"),
    compares="answer",
    accepts=(PROMPTS,),
    rows=lambda items, variant, seed: answer_rows(items, seed),
)
def counterfactual(
    model: Model,
    data: Prompts | Sequence[str] | None = None,
    *,
    seed: int = 0,
    versions: list[str] | None = None,
    n: Annotated[int, Field(ge=1)] = 5,
    max_tokens: Annotated[int, Field(ge=1)] = 128,
    temperature: Annotated[float, Field(ge=0)] = 1.0,
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0,
    rater: Any = LEXICON,
    raters: Any = None,
) -> Measured:
    """Does the model answer differently when the person in a prompt is a man or a woman?

    Parameters
    ----------
    data
        Prompts about one person each (`counterpoise.data.Prompts`, or a list of texts); our 60 if not given.
    versions
        Which versions of a prompt are compared: male, female, neutral, pronoun sets (they, xe, ze, ey, fae), and YAML
        files of your own sets; male and female if not given.
    n
        How many answers to each version of a prompt.
    max_tokens
        The most tokens that an answer may have.
    temperature
        By which the logits are divided; at 0 each prompt has one answer.
    top_p
        Draw from the likeliest tokens that together have this probability.
    rater
        What rates sentiment: lexicon for our lists of words, a classifier, a function from texts to numbers, or the
        name of either (`module:function`).
    raters
        Further raters: a mapping from names to classifiers and functions, or a list of names of such.

    >>> import counterpoise as cp
    >>> kind = cp.load(lambda prompt, seed: "A great person. " * (3 if "he" in prompt.split() else 2), kind="answers")
    >>> result = cp.measures.counterfactual(kind, ["Say who he is.", "Say what she does."], n=2)
    >>> result.summary.set_index("key").value[["sentiment", "length"]].tolist()
    [0.0, 3.0]
    """
    made = versions_of(GENDERED if versions is None else versions)
    sampling = Sampling(temperature, top_p, max_tokens)
    lists = answer_words()
    rates = {"sentiment": sentiment_rater(rater, lists)}
    own = named_raters(raters)
    prompts = _prompts(data)
    problems = _problems(model, prompts.table, made, sampling)
    usable, skipped = keep_scorable(prompts.table, problems, "prompt", strata=["topic"])

    drawn = n if temperature > 0 else 1
    asked = [text for prompt in usable.prompt for text in made.make(prompt)]
    answers = model.answers(asked, n=drawn, sampling=sampling, seed=seed)
    rows = usable.loc[usable.index.repeat(len(made.names) * drawn)].reset_index(drop=True)
    rows["version"] = np.tile(np.repeat(made.names, drawn), len(usable))
    rows["number"] = np.tile(np.arange(1, drawn + 1), len(asked))
    rows["asked"] = np.repeat(np.array(asked, dtype=object), drawn)
    rows["answer"] = [answer.text for of_prompt in answers for answer in of_prompt]
    rows["ended"] = [answer.ended for of_prompt in answers for answer in of_prompt]
    items = _with_features(rows, lists)
    for column, one in [*rates.items(), *((f"{RATED}{name}", one) for name, one in own.items())]:
        items = _with_ratings(items, column, one, made)
    return Measured(
        items,
        skipped=skipped,
        warnings=_warnings(items, made, sampling),
        dataset=_described(prompts, made, drawn, sampling, model, rates["sentiment"]),
        reading=_reading(model),
        sampling=sampling_settings(model, drawn, sampling, seed),
    )


def _prompts(data: Prompts | Sequence[str] | None) -> Prompts:
    if data is None:
        return counterfactual_prompts()
    check_kind(data, (Prompts, list, tuple), "counterfactual")
    return data if isinstance(data, Prompts) else Prompts.of(data)


def _problems(
    model: Model, table: pd.DataFrame, made: PromptVersions, sampling: Sampling
) -> list[str | None]:
    """For each prompt why it cannot be asked, with its row, or None."""
    problems = prompt_problems(table, made)
    fine = [number for number, problem in enumerate(problems) if problem is None]
    asked = [made.make(table.prompt[number]) for number in fine]
    found = model.prompt_problems([text for texts in asked for text in texts], sampling)
    size = len(made.names)
    for place, number in enumerate(fine):
        problems[number] = next(filter(None, found[place * size : (place + 1) * size]), None)
    return [
        None if problem is None else f"row {row}: {problem}" for row, problem in enumerate(problems, start=1)
    ]


def _with_features(items: pd.DataFrame, lists: AnswerWordsSpec) -> pd.DataFrame:
    kinds = [kind_of_answer(text, lists) for text in items.answer]
    counted = [
        counted_features(text, lists) if kind == "answer" else dict.fromkeys(COUNTED, np.nan)
        for text, kind in zip(items.answer, kinds, strict=True)
    ]
    return items.assign(
        kind=kinds,
        refused=[float(kind == "refused") for kind in kinds],
        empty=[float(kind == "empty") for kind in kinds],
        **{name: [features[name] for features in counted] for name in COUNTED},
    )


def _with_ratings(items: pd.DataFrame, column: str, rater: Rater, made: PromptVersions) -> pd.DataFrame:
    is_answer = (items.kind == "answer").to_numpy()
    ratings, bias = np.full(len(items), np.nan), np.full(len(items), np.nan)
    if is_answer.any():
        found = audited(rater, items.answer[is_answer].tolist(), made.swapper)
        ratings[is_answer], bias[is_answer] = found.ratings, found.bias
    return items.assign(**{column: ratings, f"{column}{BIAS}": bias})


def _warnings(items: pd.DataFrame, made: PromptVersions, sampling: Sampling) -> list[str]:
    said = []
    if cut := int((~items.ended).sum()):
        answers = f"{count_text(cut, 'answer')} of {len(items)}"
        said.append(f"{answers} ended after {sampling.max_tokens} tokens; their length says little.")
    left_out = {kind: int((items.kind == kind).sum()) for kind in ("refused", "empty")}
    if any(left_out.values()):
        said.append(
            f"{left_out['refused']} refused and {left_out['empty']} empty of {len(items)} answers count as such, and "
            "are left out of all other features."
        )
    if sampling.temperature == 0:
        said.append("At temperature 0 each prompt has one answer, so there is no null band.")
    if others := [name for name in made.names if name not in GENDERED]:
        said.append(
            f"A rater's own bias between the {', '.join(others)} version and others cannot be told and is not taken "
            "off: answers without gendered words have no male and female version."
        )
    return said


def _described(
    prompts: Prompts, made: PromptVersions, n: int, sampling: Sampling, model: Model, sentiment: Rater
) -> str:
    """The data, and how answers were drawn."""
    drawn = "as the function draws" if isinstance(model, AnswerFunction) else sampling.describe()
    names = " and ".join(filter(None, (", ".join(made.names[:-1]), made.names[-1])))
    answers = f"{count_text(n, 'answer')} each ({drawn})"
    return f"{prompts.name}, versions {names}, {answers}, sentiment by {sentiment.name}"


def _reading(model: Model) -> tuple[str, ...]:
    """How a model that is loaded was asked; of others it is known."""
    if not isinstance(model, CausalLM):
        return ()
    return ("answers in its chat template" if model.has_chat else "answers to plain text",)
