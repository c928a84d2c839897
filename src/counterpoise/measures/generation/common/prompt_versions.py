"""The versions of a prompt that are compared: about a man, about a woman, with they or other pronouns."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import cached_property

import pandas as pd

from counterpoise.measures.base.table_checks import row_problems
from counterpoise.measures.base.version_names import GENDERED, version_targets
from counterpoise.text import Swapper
from counterpoise.text.edits import apply
from counterpoise.text.names import find


class PromptVersions:
    """Makes the versions of prompts; `targets` says what each version is called and made with.

    >>> versions = PromptVersions({"male": "male", "female": "female"})
    >>> versions.make("Write to Emily about her car.")
    ('Write to Robert about his car.', 'Write to Emily about her car.')
    """

    def __init__(self, targets: Mapping[str, str]) -> None:
        self.targets = dict(targets)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.targets)

    @cached_property
    def swapper(self) -> Swapper:
        """Of versions that are male or female: first names change too."""
        return Swapper("all", names=True)

    @cached_property
    def _pronouns(self) -> Swapper:
        return Swapper("all")

    def make(self, prompt: str) -> tuple[str, ...]:
        return tuple(self._version(prompt, target) for target in self.targets.values())

    def problem(self, prompt: str) -> str | None:
        """Why the versions of a prompt cannot be compared, or None.

        >>> PromptVersions({"male": "male", "they": "they"}).problem("Write to Emily about her car.")
        'it has a first name, which has no they version'
        """
        for name, target in self.targets.items():
            if target in GENDERED:
                continue
            if find(prompt):
                return f"it has a first name, which has no {name} version"
            if self._pronouns.changes(prompt, target).unsure:
                return f"a sentence can be read in two ways, so that it has no {name} version"
        made = dict(zip(self.names, self.make(prompt), strict=True))
        if len(set(made.values())) == 1:
            return "it has no gendered word and no first name, so that all its versions are the same"
        for first, second in itertools.combinations(made, 2):
            if made[first] == made[second]:
                return f"its {first} and {second} versions are the same"
        return None

    def _version(self, prompt: str, target: str) -> str:
        if target in GENDERED:
            return self.swapper.swap(prompt, target)
        return apply(prompt, self._pronouns.changes(prompt, target).edits)


def versions_of(names: Sequence[str]) -> PromptVersions:
    """The versions of these names: male, female, neutral, pronoun sets, and files of pronoun sets; male first.

    >>> versions_of(["they", "female", "male"]).targets
    {'male': 'male', 'female': 'female', 'they': 'they'}
    """
    targets = version_targets(names)
    first = {name: targets[name] for name in GENDERED if name in targets}
    return PromptVersions({**first, **targets})


def prompt_problems(table: pd.DataFrame, versions: PromptVersions) -> list[str | None]:
    """For each row why its prompt cannot be asked in these versions, whatever the model, or None.

    >>> table = pd.DataFrame({"prompt": ["Ask her.", "", "Ask him."]})
    >>> prompt_problems(table, versions_of(["male", "female"]))
    [None, 'prompt is missing', 'its versions are those of row 1']
    """
    problems = row_problems(table, texts=["prompt"], needed=[], once=["prompt"])
    row_of: dict[tuple[str, ...], int] = {}
    found = []
    for row, (prompt, cell) in enumerate(zip(table.prompt, problems, strict=True), start=1):
        problem = cell or versions.problem(prompt)
        if problem is None and (first := row_of.setdefault(versions.make(prompt), row)) != row:
            problem = f"its versions are those of row {first}"
        found.append(problem)
    return found
