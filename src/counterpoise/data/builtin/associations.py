"""Association tests (Kurita et al. 2019): templates in which a target meets an attribute, words in, sentences out.

`kurita` has the tests of the paper, `read_associations` reads a user's own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import get_args

import pandas as pd
from pydantic import Field, model_validator

from counterpoise.core.errors import DataError
from counterpoise.core.mask import MASK
from counterpoise.data.spec import Strict, UserSpec, Variant, Word, check_variant, read_spec

_SLOTS = ("{target}", "{attribute}")


Groups = dict[str, tuple[Word, ...]]


class Template(Word):
    """A sentence with the slots `{target}` and `{attribute}`, and the targets that fit its grammar."""

    targets: Groups | None = None  # where a template has none of its own, those of the test


class AssociationTest(Strict):
    """Two groups of attributes that are said of two groups of targets or more."""

    name: str = Field(min_length=1)
    attributes: Groups
    targets: Groups | None = None
    templates: tuple[Template, ...] = Field(min_length=1)
    harmless: bool = False  # an association that nobody suffers from: no value of it is ideal

    @model_validator(mode="after")
    def _groups_fit(self) -> AssociationTest:
        if len(self.attributes) != 2:
            raise ValueError(f"{self.name} needs two groups of attributes and has {len(self.attributes)}")
        _check_words(self.attributes, "attribute")
        named = [list(self.targets_of(template)) for template in self.templates]
        for groups in named:
            if len(groups) < 2:
                raise ValueError(f"{self.name} needs two groups of targets or more and has {len(groups)}")
            if groups != named[0]:
                raise ValueError(
                    f"the templates of {self.name} have different groups of targets: "
                    f"{', '.join(named[0])} and {', '.join(groups)}"
                )
        for template in self.templates:
            _check_words(self.targets_of(template), "target")
        for variant in get_args(Variant):
            _check_once([template.of(variant) for template in self.templates], "template")
        return self

    def targets_of(self, template: Template) -> Groups:
        return (self.targets if template.targets is None else template.targets) or {}


class AssociationSpec(UserSpec):
    """Association tests, of the paper or a user's own."""

    title: str = "own association tests"
    cite: str = "kurita2019"
    tests: tuple[AssociationTest, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names_differ(self) -> AssociationSpec:
        _check_once([test.name for test in self.tests], "test")
        return self


@dataclass(frozen=True)
class Associations:
    """A spec of association tests in one of its variants."""

    spec: AssociationSpec
    variant: Variant = "corrected"

    @property
    def name(self) -> str:
        return self.spec.name

    def only(self, *names: str) -> Associations:
        """The tests of these names alone."""
        tests = tuple(test for test in self.spec.tests if test.name in names)
        if missing := [name for name in names if name not in {test.name for test in tests}]:
            names_there = ", ".join(test.name for test in self.spec.tests)
            raise DataError(f"{self.name} has no test {missing[0]!r} (there are: {names_there})")
        return Associations(self.spec.model_copy(update={"tests": tests}), self.variant)

    def fill(self) -> pd.DataFrame:
        """One row per template, attribute and target; what cannot be filled is named by `problems`.

        Columns: `test`, `harmless`, `template`, `attribute_group`, `attribute`, `target_group`, `target`; the whole
        `sentence`; `target_masked`, in which `[MASK]` stands for the target; `attribute_at`, where in
        `target_masked` the attribute begins.

        >>> row = kurita().fill().query("attribute == 'salary'").iloc[0]
        >>> row.sentence, row.target_masked, row.target
        ('He likes salary.', '[MASK] likes salary.', 'He')
        """
        rows = [
            {
                "test": test.name,
                "harmless": test.harmless,
                "template": template,
                "attribute_group": attribute_group,
                "target_group": target_group,
                **_fill(template, attribute, target, self.variant),
            }
            for test, template, targets in self._templates()
            if _template_problem(template) is None
            for (attribute_group, attribute), (target_group, target) in product(
                self._words(test.attributes), self._words(targets)
            )
            if _word_problem(attribute) is None and _word_problem(target) is None
        ]
        if not rows:
            [first, *_] = [f": {item!r}, {why}" for item, why in self.problems()] or [""]
            raise DataError(f"{self.name} has no sentence in its {self.variant} variant{first}")
        return pd.DataFrame(rows)

    def problems(self) -> list[tuple[str, str]]:
        """Templates and words that cannot be used, whatever the model, and why."""
        problems = {}
        for test, template, targets in self._templates():
            if problem := _template_problem(template):
                problems[test.name, template] = problem
            for kind, groups in (("attribute", test.attributes), ("target", targets)):
                for group, word in self._words(groups):
                    if not word:
                        problems[test.name, group] = (
                            f"there is an empty {kind} in the group {group!r} of {test.name}"
                        )
                    elif problem := _word_problem(word):
                        problems[test.name, word] = f"the {kind} {problem}"
        return [(item, problem) for (_, item), problem in problems.items()]

    def _templates(self) -> Iterator[tuple[AssociationTest, str, Groups]]:
        for test in self.spec.tests:
            for template in test.templates:
                if (text := template.of(self.variant)) is not None:
                    yield test, text, test.targets_of(template)

    def _words(self, groups: Groups) -> list[tuple[str, str]]:
        """The words of all groups, each with the name of its group."""
        chosen = [(group, word.of(self.variant)) for group, words in groups.items() for word in words]
        return [(group, word.strip()) for group, word in chosen if word is not None]


def kurita(variant: Variant = "corrected") -> Associations:
    """The WEAT categories 1, 3, 6, 7 and 8 with the templates and targets of the paper.

    >>> [test.name for test in kurita().spec.tests]
    ['career/family', 'math/arts', 'science/arts', 'black/white', 'flowers/insects']
    """
    check_variant(variant)
    return Associations(read_spec("kurita", AssociationSpec), variant)


def read_associations(path: str | Path, variant: Variant = "corrected") -> Associations:
    """A user's own association tests, in a YAML file of the same shape."""
    check_variant(variant)
    return Associations(read_spec(Path(path), AssociationSpec), variant)


def _fill(template: str, attribute: str, target: str, variant: Variant) -> dict[str, object]:
    before, after = template.split("{attribute}")
    attribute_at = len(before.replace("{target}", MASK))
    masked = f"{before}{attribute}{after}".replace("{target}", MASK)
    if variant == "corrected":
        masked = masked[:1].upper() + masked[1:]
        if masked.startswith(MASK):
            target = target[:1].upper() + target[1:]
    return {
        "attribute": attribute,
        "target": target,
        "sentence": masked.replace(MASK, target),
        "target_masked": masked,
        "attribute_at": attribute_at,
    }


def _word_problem(word: str) -> str | None:
    if not word:
        return "is empty"
    return "has a mask or a slot in it" if MASK in word or re.search(r"[{}]", word) else None


def _template_problem(template: str) -> str | None:
    for slot in _SLOTS:
        if slot not in template:
            return f"the template has no slot {slot}"
        if template.count(slot) > 1:
            return f"the template has the slot {slot} {template.count(slot)} times"
        if re.search(rf"\w{re.escape(slot)}|{re.escape(slot)}\w", template):
            return f"the slot {slot} is a part of a longer word"
    if left := re.search(r"\{[^}]*\}", template.replace(_SLOTS[0], "").replace(_SLOTS[1], "")):
        return f"the template has an unknown slot {left[0]}"
    if MASK in template:
        return f"the template has a {MASK} of its own"
    return None


def _check_words(groups: Groups, kind: str) -> None:
    """A word that stands twice would count twice, and one that is in two groups tells nothing about either."""
    for variant in get_args(Variant):
        words = [word.of(variant) for group in groups.values() for word in group]
        _check_once([word for word in words if word and word.strip()], kind)
    for name, group in groups.items():
        if not group:
            raise ValueError(f"the {kind} group {name!r} is empty")


def _check_once(names: list[str | None], kind: str) -> None:
    for name, times in Counter(name for name in names if name is not None).items():
        if times > 1:
            raise ValueError(f"the {kind} {name!r} is there {times} times")
