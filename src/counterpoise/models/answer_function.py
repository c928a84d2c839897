"""Functions that answer prompts: from a prompt and a seed to a text, or from lists of both to a list."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from counterpoise.core.errors import InputError, ModelError
from counterpoise.core.progress import progress
from counterpoise.models.answering import Answer, Sampling, answer_seeds, empty_prompts
from counterpoise.models.function_answers import answer_of, function_name
from counterpoise.models.function_fingerprints import function_fingerprint
from counterpoise.models.transformer import shorten

_CHUNK = 64  # prompts per call of a function that takes a list, so that progress shows
_WORKS = (
    "give a function from a prompt and a seed to a text, or from `prompts` and `seeds` to a list of texts"
)


class AnswerFunction:
    """A model that is a Python function: a prompt in, a text out.

    How answers are drawn is up to the function; what it gets is the seed. Answers are not kept between runs, since
    nobody can tell whether a function is still the same.

    >>> echo = AnswerFunction.of(lambda prompt, seed: f"{prompt} Yes.", name="echo")
    >>> echo.answers(["Is it?"])
    [[Answer(text='Is it? Yes.', ended=True)]]
    """

    kind = "answers"
    precision = "as answered"

    def __init__(
        self, function: Callable[..., Any], name: str | None = None, takes_lists: bool | None = None
    ) -> None:
        self.function = function
        self.name = function_name(function, name)
        parameters = _parameters(function)
        self.takes_lists = [*parameters][:1] == ["prompts"] if takes_lists is None else takes_lists
        self._seed_name = _named_seed(parameters)
        self._takes_seed = self._seed_name is not None or _takes_second(parameters)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    @classmethod
    def of(cls, function: Any, name: str | None = None, *, takes_lists: bool | None = None) -> AnswerFunction:
        """A model from a function.

        takes_lists: whether the function takes lists of prompts and seeds; if not given, it does if its first parameter
        is called `prompts`. Seeds are passed to a parameter called `seed` or `seeds`, or else to the second one if it
        has no default; a function without such a parameter gets none.

        >>> AnswerFunction.of(42)
        Traceback (most recent call last):
        counterpoise.core.errors.InputError: int answers no prompts: give a function from a prompt and a seed to a \
text, or from `prompts` and `seeds` to a list of texts
        """
        if isinstance(function, cls):
            return function
        if isinstance(function, type):
            raise InputError(f"{function.__name__} is a class; give an object of it, or a function")
        if not callable(function):
            raise InputError(f"{type(function).__name__} answers no prompts: {_WORKS}")
        return cls(function, name, takes_lists)

    @property
    def fingerprint(self) -> str:
        """A hash of the name, the code and what the function brings along, such as default arguments."""
        return function_fingerprint(self.function, self.name)

    def prompt_problems(self, prompts: Sequence[str], sampling: Sampling | None = None) -> list[str | None]:
        """For each prompt the reason why it cannot be asked, or None."""
        return empty_prompts(prompts)

    def answers(
        self, prompts: Sequence[str], *, n: int = 1, sampling: Sampling | None = None, seed: int = 0
    ) -> list[list[Answer]]:
        """n answers to each prompt; equal prompts get equal answers. Of `sampling` the function sees nothing."""
        seeds = answer_seeds(prompts, n, Sampling(), seed)
        pairs = [(prompt, one) for prompt, of_prompt in zip(prompts, seeds, strict=True) for one in of_prompt]
        distinct = list(dict.fromkeys(pairs))
        size = _CHUNK if self.takes_lists else 1
        answers: dict[tuple[str, int | None], Answer] = {}
        with progress(f"answers of {self.name}", total=len(distinct), unit="answers") as advance:
            for start in range(0, len(distinct), size):
                chunk = distinct[start : start + size]
                answers |= zip(chunk, self._call(chunk), strict=True)
                advance(len(chunk))
        return [
            [answers[prompt, one] for one in of_prompt]
            for prompt, of_prompt in zip(prompts, seeds, strict=True)
        ]

    def _call(self, chunk: Sequence[tuple[str, int | None]]) -> list[Answer]:
        prompts, seeds = ([pair[side] for pair in chunk] for side in (0, 1))
        if not self.takes_lists:
            return [self._answer(prompts[0], self._returned(prompts[0], seeds[0]))]
        found = self._returned(prompts, seeds)
        if not isinstance(found, list | tuple):
            raise ModelError(f"{self.name} must return a list with a text for each prompt, not {found!r:.80}")
        if len(found) != len(chunk):
            raise ModelError(f"{self.name} was given {len(chunk)} prompts and returned {len(found)} answers")
        return [self._answer(str(prompt), one) for prompt, one in zip(prompts, found, strict=True)]

    def _returned(self, prompts: Any, seeds: Any) -> Any:
        """What the function returns of a prompt and a seed, or of lists of both."""
        if self._seed_name is not None:
            return answer_of(partial(self.function, **{self._seed_name: seeds}), self.name, prompts)
        return answer_of(self.function, self.name, prompts, *([seeds] if self._takes_seed else []))

    def _answer(self, prompt: object, answer: Any) -> Answer:
        if isinstance(answer, Answer):
            return answer
        if not isinstance(answer, str):
            raise ModelError(
                f"{self.name} must return a text for {shorten(str(prompt))!r}, not {answer!r:.80}"
            )
        return Answer(answer)


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """A function's parameters by name; none where they cannot be told."""
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # some built-in functions have no signature
        return {}


def _named_seed(parameters: Mapping[str, inspect.Parameter]) -> str | None:
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    after_first = [*parameters.items()][1:]
    return next(
        (name for name, of in after_first if name in ("seed", "seeds") and of.kind in by_name),
        None,
    )


def _takes_second(parameters: Mapping[str, inspect.Parameter]) -> bool:
    """Whether a second argument is expected; it is taken to be where parameters are unknown, as of some decorators."""
    if not parameters or next(iter(parameters.values())).kind is inspect.Parameter.VAR_POSITIONAL:
        return True
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    second = [*parameters.values()][1:2]
    return any(of.kind in positional and of.default is inspect.Parameter.empty for of in second)
