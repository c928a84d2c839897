"""Rules in a YAML file: a list of rules as they are typed, or conditions by measure and row key.

baseline: runs/main        # relative to the file
margin: 0.02
rules:
  ppd:
    appd: [x <= 0.5, abs(x) <= 0.6]
  sld:
    share_stereotyped: abs(x - 50) <= 10
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictStr, ValidationError

from counterpoise.audit.gate.rules import COMPARISONS, Rule
from counterpoise.core.documents import read_yaml
from counterpoise.core.errors import InputError

_X = re.compile(r"\bx\b")


@dataclass(frozen=True)
class RuleFile:
    """What a file of rules says."""

    rules: tuple[Rule, ...]
    baseline: Path | None = None
    margin: float | None = None
    strict: bool = False


Condition = StrictStr | list[StrictStr]


class _Document(BaseModel):
    model_config = ConfigDict(extra="forbid")

    rules: list[StrictStr] | dict[str, dict[str, Condition]]
    baseline: StrictStr | None = None
    margin: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    strict: StrictBool = False


def read_rules(path: str | Path) -> RuleFile:
    """The rules of a YAML file; what it must not say is one line that names the place."""
    path = Path(path).expanduser()
    content = read_yaml(path, InputError)
    if not isinstance(content, dict):
        raise InputError(
            f"{path} must have an entry `rules`, a list of rules or conditions by measure and key"
        )
    try:
        document = _Document.model_validate(content)
    except ValidationError as error:
        raise InputError(f"{path}: {_first_problem(error, content)}") from None
    try:
        rules = tuple(Rule.parse(text) for text in _texts(document))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    if not rules:
        raise InputError(f"{path} has no rules")
    return RuleFile(
        rules=rules,
        baseline=path.parent / Path(document.baseline).expanduser() if document.baseline else None,
        margin=document.margin,
        strict=document.strict,
    )


def collect_rules(texts: Sequence[str], path: Path | None) -> RuleFile:
    """The rules that were typed together with those of a file, if there is one."""
    typed = tuple(Rule.parse(text) for text in texts)
    if path is None:
        return RuleFile(typed)
    file = read_rules(path)
    return replace(file, rules=(*file.rules, *typed))


def _texts(document: _Document) -> Iterator[str]:
    """The rules as they would be typed."""
    if isinstance(document.rules, list):
        yield from document.rules
        return
    for measure, rows in document.rules.items():
        for key, conditions in rows.items():
            for condition in [conditions] if isinstance(conditions, str) else conditions:
                yield rule_text(measure, key, condition)


def rule_text(measure: str, key: str, condition: str) -> str:
    """A condition on a row as a rule; `x`, which may be left out before a comparison, stands for the row.

    >>> rule_text("ppd", "appd", "abs(x) <= 0.1"), rule_text("ppd", "appd", "<= 0.3")
    ('abs(ppd.appd) <= 0.1', 'ppd.appd <= 0.3')
    """
    if condition.strip().startswith(COMPARISONS):
        condition = f"x {condition.strip()}"
    text, found = _X.subn(f"{measure}.{key}", condition)
    if found != 1:
        raise InputError(
            f"{measure}.{key}: {condition!r:.80} is no condition: write it with an x for the row, such as 'x <= 0.3'"
        )
    return text


def _place(location: tuple[int | str, ...], content: Any) -> str:
    """Where in the document a problem is; what pydantic adds to say which kind of value it tried is left out."""
    parts = []
    for part in location:
        inside = isinstance(content, dict) and part in content
        if inside or (isinstance(content, list) and isinstance(part, int) and part < len(content)):
            parts.append(str(part))
            content = content[part]
    return ".".join(parts)


def _first_problem(error: ValidationError, content: dict[Any, Any]) -> str:
    """One line about a document that is not as it should be; the deepest of its problems names the place best."""
    problem = max(error.errors(), key=lambda found: len(found["loc"]))
    place = _place(problem["loc"], content)
    if problem["type"] == "extra_forbidden":
        return f"{place} is not known; a file of rules has {', '.join(_Document.model_fields)}"
    if place.startswith("rules") and "rules" in content:
        return f"{place} must be a rule or a condition such as 'x <= 0.3', not {problem['input']!r:.80}"
    if problem["type"] == "missing":
        return "it has no entry `rules`"
    message = str(problem["msg"]).replace("Input should", "should", 1)
    return f"{place} {message}, not {problem['input']!r:.80}"
