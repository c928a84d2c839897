"""What readers are told about the parameters of a measure.

A parameter that several measures share is documented once, in its annotation: `Annotated[bool, Doc("...")]`. What is
special about it in one measure, and what only that measure has, is in the docstring.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_origin, get_type_hints

_HEADING = "Parameters\n----------\n"
_WIDTH = 100


@dataclass(frozen=True)
class Doc:
    """What a parameter does, as part of its annotation."""

    text: str


def parameter_docs(function: Callable[..., Any]) -> dict[str, str]:
    """What the annotation of each documented parameter says, followed by what the docstring adds to it.

    >>> def measure(model, data=None, *, strict: Annotated[bool, Doc("Count no ties.")] = False):
    ...     '''Is it so?
    ...
    ...     Parameters
    ...     ----------
    ...     data
    ...         Sentences.
    ...     strict
    ...         Never so if published.
    ...     '''
    >>> parameter_docs(measure)
    {'data': 'Sentences.', 'strict': 'Count no ties. Never so if published.'}
    """
    hints = get_type_hints(function, include_extras=True)
    in_docstring = _parameters_section(inspect.getdoc(function) or "")
    texts = {
        name: " ".join(filter(None, [_annotated_doc(hints.get(name)), in_docstring.get(name)]))
        for name in inspect.signature(function).parameters
    }
    return {name: text for name, text in texts.items() if text}


def full_docstring(function: Callable[..., Any]) -> str:
    """The docstring with a section on all documented parameters."""
    before, heading, after = (inspect.getdoc(function) or "").partition(_HEADING)
    if heading:
        _, _, after = after.partition("\n\n")
    else:
        before, _, after = before.partition("\n\n")
    entries = [
        f"{name}\n{textwrap.fill(text, _WIDTH, initial_indent='    ', subsequent_indent='    ')}"
        for name, text in parameter_docs(function).items()
    ]
    section = _HEADING + "\n".join(entries) if entries else ""
    return "\n\n".join(filter(None, [before.rstrip(), section, after.rstrip()])) + "\n"


def _annotated_doc(annotation: Any) -> str:
    if get_origin(annotation) is not Annotated:
        return ""
    return " ".join(part.text for part in get_args(annotation)[1:] if isinstance(part, Doc))


def _parameters_section(docstring: str) -> dict[str, str]:
    _, _, rest = docstring.partition(_HEADING)
    lines_of: dict[str, list[str]] = {}
    for line in rest.partition("\n\n")[0].splitlines():
        if line and not line.startswith(" "):
            lines_of[line] = []
        else:
            lines_of[[*lines_of][-1]].append(line.strip())
    return {name: " ".join(lines) for name, lines in lines_of.items()}
