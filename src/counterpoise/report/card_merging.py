"""Puts the section and the metadata of a run into a model card that is there, of which everything else stays.

What is not ours stays to the character: the text, the order and the comments of other metadata, the line ends. Of
`model-index`, which is written anew where its results change, the results of others stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import yaml

from counterpoise.core.errors import DataError
from counterpoise.core.yaml_loading import TooLarge, load_yaml
from counterpoise.report.card import BEGIN, END, OURS, dump_metadata

_FRONT_MATTER = re.compile(
    r"\A(\ufeff?\s*---[ \t]*\r?\n)(.*?)(^---[ \t]*(?:\r?\n|\Z))", re.DOTALL | re.MULTILINE
)
_INDEX = "model-index"
_DEEPEST = 200  # levels of metadata


def merge_card(card: str, section: str, index: Sequence[dict[str, Any]]) -> str:
    """A card with this section and these results in the place of earlier ones; merged again it stays the same."""
    newline = "\r\n" if "\r\n" in card else "\n"
    match = _FRONT_MATTER.match(card)
    start, metadata, end = match.groups() if match else (f"---{newline}", "", f"---{newline}{newline}")
    body = card[match.end() :] if match else card
    end += "" if end.endswith("\n") else newline
    metadata = _merge_metadata(metadata, index, newline)
    front = f"{start}{metadata}{end}" if match or metadata else ""
    return front + _merge_section(body, section.replace("\n", newline), newline)


def _merge_section(body: str, section: str, newline: str) -> str:
    counts = body.count(BEGIN), body.count(END)
    begin, end = body.find(BEGIN), body.find(END)
    if counts == (1, 1) and begin < end:
        return body[:begin] + section + body[end + len(END) :]
    if counts != (0, 0):
        raise DataError(
            f"the model card has a damaged section of ours: {counts[0]} times {BEGIN!r} and {counts[1]} times {END!r}; "
            "remove these comments and what is left of the section"
        )
    if not body.strip():
        return f"{section}{newline}"
    return f"{body}{'' if body.endswith(newline) else newline}{newline}{section}{newline}"


def _merge_metadata(text: str, index: Sequence[dict[str, Any]], newline: str) -> str:
    document = _read(text)
    before = document.get(_INDEX)
    after = _merge_index(before, index)
    if after == (before or []):
        return text
    expected = {name: value for name, value in document.items() if name != _INDEX}
    block = ""
    if after:
        expected[_INDEX] = after
        block = f"{dump_metadata({_INDEX: after})}\n".replace("\n", newline)
    if text and not text.endswith("\n"):
        text += newline
    start, end = _place(text)
    merged = text[:start] + block + text[end:]
    if _read(merged) != expected:  # such as an anchor in the old results to which other metadata refer
        raise DataError("the metadata of the model card are written in a way that results cannot be added to")
    return merged


def _read(text: str) -> dict[Any, Any]:
    try:
        document = load_yaml(text, _DEEPEST) or {}
    except (yaml.YAMLError, TooLarge, ValueError, RecursionError) as error:
        raise DataError(
            f"the metadata of the model card cannot be read: {' '.join(str(error).split())}"
        ) from error
    if not isinstance(document, dict):
        raise DataError("the metadata of the model card are not names with values")
    return document


def _place(text: str) -> tuple[int, int]:
    """Where `model-index` stands in the metadata, without comments that follow it; their end if it does not."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    for key, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if key.value == _INDEX:
            start, end = key.start_mark.index, value.end_mark.index
            if text[end - 1] != "\n":
                end = text.find("\n", end) + 1 or len(text)
            lines = text[start:end].splitlines(keepends=True)
            while len(lines) > 1 and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
                end -= len(lines.pop())
            return start, end
    return len(text), len(text)


def _merge_index(before: Any, index: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The results of others and then ours, under the name that the model has there."""
    entries = [] if before is None else before
    try:
        kept = [
            {**entry, "results": [left for result in entry["results"] if (left := _without_ours(result))]}
            for entry in entries
        ]
    except (AttributeError, KeyError, TypeError) as error:
        raise DataError(
            "the model-index of the model card is not as the hub defines it; mend or remove it"
        ) from error
    ours = [result for entry in index for result in entry["results"]]
    if kept:
        kept[0]["results"] += ours
    elif ours:
        kept = [{**index[0], "results": ours}]
    return [entry for entry in kept if entry["results"]]


def _without_ours(result: dict[str, Any]) -> dict[str, Any] | None:
    """A result without the metrics that an earlier run measured; None where no other is left."""
    metrics = [metric for metric in result["metrics"] if not _is_ours(metric)]
    return {**result, "metrics": metrics} if metrics else None


def _is_ours(metric: dict[str, Any]) -> bool:
    arguments = metric.get("args")
    return isinstance(arguments, dict) and OURS in arguments
