"""Finds out what a server does, by questions whose answers are known.

A server that ignores what it does not know answers all the same: only the content of its answers tells.
"""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from counterpoise.models.endpoints.answers import BadAnswer, PromptToken
from counterpoise.models.endpoints.asking import Asker
from counterpoise.models.endpoints.capabilities import Capabilities
from counterpoise.models.endpoints.choices import CONTROLS, forced_choices, read_forced_choices
from counterpoise.models.endpoints.questions import (
    CHAT,
    COMPLETIONS,
    MAX_COMPLETION_TOKENS,
    MAX_TOKENS,
    PromptMethod,
    answer_question,
    next_token_question,
    prompt_question,
)
from counterpoise.models.endpoints.transport import Refused

TOLERANCE = 0.25  # between log-probabilities that must agree; low precision and batching make for less
_CONTROLS_RIGHT = 7  # of 8; who guesses gets there in 3.5 % of cases
_TOPS = (1000, 100, 20, 5)
_BASE = "The weather was cold, and the streets of the town were"
_OTHER = "My favourite colours are red, green and"
_LONGER = f"{_BASE} full of people"
_SAME_END = "He put the box on the table and the apples were full of people"


def probe(asker: Asker) -> Capabilities:
    """What the server does."""
    completions, chat = (_problem_of_answers(asker, path) for path in (COMPLETIONS, CHAT))
    found = Capabilities(
        completions=not completions, chat=not chat, completions_problem=completions, chat_problem=chat
    )
    if found.completions:
        found = _probe_next_tokens(asker, found)
        found = _probe_prompt(asker, found)
    else:
        absent = "the server has no completions"
        found = replace(found, prompt_problem=absent, next_problem=absent)
    if found.chat:
        found = replace(found, chat_top=_chat_top(asker))
    return _probe_answers(asker, found) if found.completions or found.chat else found


def _problem_of_answers(asker: Asker, path: str) -> str:
    """Why the server does not answer there, in its own words; "" if it does, by whichever name it knows the length."""
    problems = []
    for name in (MAX_TOKENS, MAX_COMPLETION_TOKENS):
        asker.dialect = asker.dialect.calling(path, name)
        try:
            asker.probe(answer_question(path, "Hello", max_tokens=1))
        except Refused as refusal:
            problems.append(str(refusal))
        except BadAnswer as error:
            problems.append(str(error))
            break
        else:
            return ""
    asker.dialect = asker.dialect.calling(path, MAX_TOKENS)
    return "; ".join(dict.fromkeys(problems))


def _probe_next_tokens(asker: Asker, found: Capabilities) -> Capabilities:
    top, problem = _largest_top(asker)
    if not top:
        return replace(found, next_problem=problem)
    try:
        first, again, other = (asker.probe(next_token_question(text, top)) for text in (_BASE, _BASE, _OTHER))
        generated = asker.probe(answer_question(COMPLETIONS, _BASE, max_tokens=1))
    except (Refused, BadAnswer) as error:
        return replace(found, next_problem=str(error))
    shared = set(first) & set(again)
    drift = max((abs(first[token] - again[token]) for token in shared), default=float("inf"))
    likeliest = next(iter(first))
    if drift > TOLERANCE:
        problem = f"the log-probabilities of one question differ by {drift:.2g} from call to call"
    elif first == other:
        problem = "another text before it does not change the answer"
    elif min(next(iter(first.values())), next(iter(other.values()))) > -1e-4:
        problem = "they are those of a temperature of 0"
    elif generated.strip() and likeliest.strip() and not generated.startswith(likeliest):
        problem = "they do not belong to the token that is generated"
    else:
        return replace(found, top=min(top, len(first)), drift=drift)
    return replace(found, next_problem=problem, drift=drift)


def _largest_top(asker: Asker) -> tuple[int, str]:
    """How many next tokens the server gives when asked for many; else 0, and why."""
    problem = ""
    for top in _TOPS:
        try:
            return min(top, len(asker.probe(next_token_question(_BASE, top)))), ""
        except Refused as refusal:
            problem = str(refusal)
        except BadAnswer as error:
            return 0, str(error)
    return 0, problem


def _probe_prompt(asker: Asker, found: Capabilities) -> Capabilities:
    problems = []
    for method in get_args(PromptMethod):
        problem = _prompt_problem(asker, method, found)
        if problem is None:
            first = asker.probe(prompt_question(_BASE, method))[0]
            return replace(found, prompt_method=method, first_token=first.log_prob is not None)
        problems.append(f"{method}: {problem}")
    return replace(found, prompt_problem="; ".join(problems))


def _prompt_problem(asker: Asker, method: PromptMethod, found: Capabilities) -> str | None:
    """Why the log-probabilities of prompts cannot be used, or None."""
    try:
        base, longer, again, same_end = (
            asker.probe(prompt_question(text, method)) for text in (_BASE, _LONGER, _LONGER, _SAME_END)
        )
        word = _likely_word(asker, found.top)
        continued = asker.probe(prompt_question(_BASE + word[0], method)) if word else []
    except (Refused, BadAnswer) as error:
        return str(error)
    if _largest_difference(longer, again) > TOLERANCE:
        return "they differ from call to call"
    if _largest_difference(base, longer[: len(base)]) > TOLERANCE:
        return "a longer text changes the log-probabilities of its beginning"
    if longer[-1].log_prob == same_end[-1].log_prob:
        return "what stands before a token does not change its log-probability"
    tokens = [token.text for token in continued]
    if word and tokens == [*(token.text for token in base), word[0]]:
        difference = abs((continued[-1].log_prob or 0.0) - word[1])
        if difference > TOLERANCE:
            return (
                f"they differ by {difference:.2g} from the log-probability of the same token as the next one"
            )
    return None


def _likely_word(asker: Asker, top: int) -> tuple[str, float] | None:
    """The likeliest next token that is a word of its own, with its log-probability."""
    tokens = asker.probe(next_token_question(_BASE, top)) if top else {}
    return next(
        ((token, value) for token, value in tokens.items() if token[:1] == " " and token[1:].isalpha()), None
    )


def _largest_difference(first: list[PromptToken], second: list[PromptToken]) -> float:
    if [token.text for token in first] != [token.text for token in second]:
        return float("inf")
    return max(
        (
            abs(a.log_prob - b.log_prob)
            for a, b in zip(first, second, strict=True)
            if a.log_prob is not None and b.log_prob is not None
        ),
        default=float("inf"),
    )


def _chat_top(asker: Asker) -> int:
    for top in (20, 5):
        try:
            return len(asker.probe(answer_question(CHAT, "Say A or B.", max_tokens=1, top=top)))
        except (Refused, BadAnswer):
            continue
    return 0


def _probe_answers(asker: Asker, found: Capabilities) -> Capabilities:
    """Whether answers repeat, seeds matter, and the better sentence of control pairs is chosen."""
    return _probe_choice(asker, _probe_seeds(asker, _probe_repetition(asker, found)))


def _probe_repetition(asker: Asker, found: Capabilities) -> Capabilities:
    question = answer_question(found.answer_path, _BASE, max_tokens=8)
    try:
        first, again = (asker.probe(question) for _ in range(2))
    except (Refused, BadAnswer) as error:
        return replace(found, same_problem=str(error))
    return replace(found, same_text=first == again)


def _probe_seeds(asker: Asker, found: Capabilities) -> Capabilities:
    """A server that declines seeds is asked without them from then on."""
    try:
        one, again, *others = (
            asker.probe(answer_question(found.answer_path, _BASE, max_tokens=8, temperature=1.0, seed=seed))
            for seed in (1, 1, 2, 3)
        )
    except (Refused, BadAnswer) as error:
        if isinstance(error, Refused):
            asker.dialect = replace(asker.dialect, seeds=False)
        return replace(found, seed_problem=str(error))
    return replace(found, seeds=one == again and len({one, *others}) > 1)


def _probe_choice(asker: Asker, found: Capabilities) -> Capabilities:
    questions = forced_choices(found.answer_path, found.answer_top, *zip(*CONTROLS, strict=True))
    try:
        preferred = read_forced_choices([asker.probe(question) for question in questions], found.answer_top)
    except (Refused, BadAnswer) as error:
        return replace(found, choice_problem=str(error))
    right = int((preferred > 0).sum())
    problem = (
        ""
        if right >= _CONTROLS_RIGHT
        else f"the better sentence is chosen in {right} of {len(CONTROLS)} control pairs"
    )
    return replace(found, choice_problem=problem, controls=(right, len(CONTROLS)))
