"""The kinds of models: their names, what a model was asked as, and what helps where a measure needs another kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from counterpoise.core.plurals import count_text
from counterpoise.models.answer_function import AnswerFunction
from counterpoise.models.answering import Sampling
from counterpoise.models.causal import CausalLM
from counterpoise.models.endpoints.capabilities import Rung
from counterpoise.models.endpoints.choices import CHOICE_TOKENS
from counterpoise.models.endpoints.endpoint import SAMPLES, Endpoint

KINDS = {
    "masked": "a masked language model",
    "causal": "a causal language model",
    "endpoint": "a model behind an endpoint",
    "encoder": "a sentence encoder",
    "classifier": "a classifier",
    "nli": "a natural language inference model",
    "vectors": "word vectors",
    "coreference": "a coreference system",
    "answers": "a function that answers prompts",
}

_GIVE = {
    "masked": "give a masked language model, such as bert-base-uncased",
    "causal": "give a language model",
    "encoder": "give a folder or hub name of an encoder",
    "classifier": "give a folder or hub name of a classifier",
    "nli": "give a folder or hub name of a model with the labels entailment, neutral and contradiction",
    "vectors": "give a file of word vectors, such as glove.txt",
    "coreference": "give a function from texts to clusters and kind='coreference', --kind coreference",
    "answers": "give a language model, or a function from prompts to texts and kind='answers', --kind answers",
}
_TRANSFORMERS = ("masked", "causal", "classifier", "nli")  # those whose weights hold an encoder


# How a model is said to be asked where it wrote answers begins with this, whatever kind it is of.
_ANSWERS = "answers"


def asked_as(model: Any, rungs: Sequence[Rung] = (), reading: Sequence[str] = ()) -> str:
    """What a model is asked as, with how its layers are read where that is a choice; of an endpoint, by which rung.

    `reading` is how a measure asked it, where that was the measure's choice.

    >>> import counterpoise as cp
    >>> asked_as(cp.load()), asked_as(cp.load(kind="encoder", pooling="cls", layer=2))
    ('masked language model', 'sentence encoder, cls pooling, layer 2')
    """
    own = getattr(model, "reading", ())
    if isinstance(model, Endpoint) and (rung := model.rung(rungs)) is not None:
        own = (rung.value,)
    return ", ".join([KINDS[model.kind].removeprefix("a "), *(reading or own)])


def answers_reading(
    model: CausalLM | AnswerFunction | Endpoint, n: int, sampling: Sampling
) -> tuple[str, ...]:
    """The `reading` of a measure that samples n answers to each prompt.

    >>> import counterpoise as cp
    >>> says_yes = cp.load(lambda prompt, seed: "Yes.", kind="answers")
    >>> asked_as(says_yes, reading=answers_reading(says_yes, 5, cp.models.Sampling()))
    'function that answers prompts, 5 answers to each prompt'
    """
    number = f"{count_text(n, 'answer')} to each prompt"
    if isinstance(model, AnswerFunction):
        return (number,)
    if isinstance(model, Endpoint):
        return (Rung.ANSWERS.value, number, sampling.describe())
    where = "in its chat template" if model.has_chat else "as plain text"
    return (f"{_ANSWERS} {where}", number, sampling.describe())


def sampling_settings(
    model: CausalLM | AnswerFunction | Endpoint, n: int, sampling: Sampling, seed: int
) -> dict[str, Any]:
    """How answers were drawn, as manifests have it; what a function does with a prompt only it knows.

    >>> import counterpoise as cp
    >>> sampling_settings(cp.load(lambda prompt, seed: "Yes.", kind="answers"), 5, cp.models.Sampling(), 0)
    {'n': 5, 'seed': 0}
    """
    if isinstance(model, AnswerFunction):
        return {"n": n, "seed": seed}
    drawn = sampling.temperature > 0 and (not isinstance(model, Endpoint) or model.sends_seeds)
    return {"n": n, "seed": seed if drawn else None, **asdict(sampling)}


def sampling_of_choices(model: Any, rungs: Sequence[Rung], seed: int) -> dict[str, Any]:
    """The same of choices between sentences that an endpoint is asked for; empty if it is asked in another way."""
    if not isinstance(model, Endpoint) or model.rung(rungs) is not Rung.SAMPLES:
        return {}
    settings = sampling_settings(model, SAMPLES, Sampling(1.0, max_tokens=CHOICE_TOKENS), seed)
    return {**settings, "top_p": None}  # not sent: the server's own


def is_answered(asked: str) -> bool:
    """Whether what a model was asked as says that it wrote answers, instead of giving likelihoods.

    >>> is_answered("causal language model, answers as plain text"), is_answered("causal language model, after <s>")
    (True, False)
    """
    kind, _, how = asked.partition(", ")
    return f"a {kind}" == KINDS[AnswerFunction.kind] or how.startswith(_ANSWERS)


def misfit(needs: Sequence[str], model: Any) -> str:
    """Why a model cannot be asked by a measure that needs one of these kinds, and what would help.

    >>> import counterpoise as cp
    >>> misfit(("vectors",), cp.load())
    'needs word vectors; builtin is a masked language model (give a file of word vectors, such as glove.txt)'
    """
    kind = getattr(model, "kind", "")
    wanted = " or ".join(KINDS[needed] for needed in needs)
    offered = KINDS.get(kind, type(model).__name__)
    return f"needs {wanted}; {getattr(model, 'name', model)} is {offered} ({_help(needs, kind)})"


def endpoint_misfit(rungs: Sequence[Rung], model: Endpoint) -> str:
    """Why a model behind an endpoint cannot be asked by a measure that uses one of these rungs."""
    if not rungs:
        return f"cannot be asked through an endpoint; {model.name} is one"
    found = model.capabilities
    problems = {
        Rung.LIKELIHOOD: f"no log-probabilities of the prompt ({found.prompt_problem})",
        Rung.NEXT_WORD: f"no log-probabilities of the next token ({found.next_problem})",
        Rung.FORCED_CHOICE: f"no choice between two sentences ({found.choice_problem or 'answers change'})",
        Rung.SAMPLES: f"no choice between two sentences ({found.choice_problem})",
        Rung.ANSWERS: "no answers to prompts",
    }
    reasons = dict.fromkeys(problems[rung] for rung in rungs)
    return f"has no way to ask {model.name}: {'; '.join(reasons)}"


def _help(needs: Sequence[str], kind: str) -> str:
    if "encoder" in needs and kind in _TRANSFORMERS:
        return "kind='encoder', on the command line --kind encoder, reads it as one"
    if "masked" in needs and kind == "encoder":
        return "if its files include the head of a masked language model, load it with kind='masked', --kind masked"
    if "nli" in needs and kind == "classifier":
        return "if its labels are entailment, neutral and contradiction, load it with kind='nli', --kind nli"
    return _GIVE[needs[-1]]
