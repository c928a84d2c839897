"""Prompts about people: ours, or those of a user's file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from pydantic import Field

from counterpoise.core.documents import read_text
from counterpoise.core.errors import DataError, InputError
from counterpoise.core.limits import TABLE
from counterpoise.data.spec import Spec, read_spec
from counterpoise.io.dataset_sources import dataset_source
from counterpoise.io.user_tables import TABLE_SUFFIXES, UserTable, read_user_table, table_name

_TEXT_SUFFIX = ".txt"


class PromptsSpec(Spec):
    prompts: dict[str, tuple[str, ...]] = Field(min_length=1)


@dataclass(frozen=True)
class Prompts:
    """Prompts in the column `prompt`, and what they are about in `topic`, which may be empty."""

    name: str
    table: pd.DataFrame

    @classmethod
    def of(cls, prompts: Sequence[str], topics: Sequence[str] | None = None, name: str = "own") -> Prompts:
        """
        >>> Prompts.of(["Write to her."]).table.to_dict("records")
        [{'prompt': 'Write to her.', 'topic': ''}]
        """
        if isinstance(prompts, str):
            raise InputError(f"prompts are a list of texts, not one text ({prompts!r:.40})")
        if topics is not None and len(topics) != len(prompts):
            raise InputError(f"there are {len(prompts)} prompts and {len(topics)} topics")
        topics = [""] * len(prompts) if topics is None else list(topics)
        return cls(name, pd.DataFrame({"prompt": list(prompts), "topic": topics}, dtype=object))


def counterfactual_prompts() -> Prompts:
    """Our 60 prompts about one person each, 15 of each topic.

    >>> counterfactual_prompts().table.topic.value_counts().to_dict()
    {'recommendation letters': 15, 'care notes': 15, 'customer service': 15, 'stories': 15}
    """
    spec = read_spec("counterfactual_prompts", PromptsSpec)
    pairs = [(prompt, topic) for topic, prompts in spec.prompts.items() for prompt in prompts]
    return Prompts.of([prompt for prompt, _ in pairs], [topic for _, topic in pairs], spec.name)


def read_prompts(path: UserTable) -> Prompts:
    """A user's own prompts: a text file with one on each line, or a table with a column `prompt`, perhaps `topic`."""
    suffix = Path(str(path)).suffix.lower()
    if suffix == _TEXT_SUFFIX:
        lines = [line.strip() for line in read_text(str(path), limit=TABLE).splitlines()]
        return _named(path, Prompts.of([line for line in lines if line]))
    if suffix not in TABLE_SUFFIXES and not dataset_source(path):
        suffixes = ", ".join((_TEXT_SUFFIX, *TABLE_SUFFIXES))
        raise DataError(f"{path}: prompts are read from files that end in {suffixes}")
    table = read_user_table(path, "prompts")
    if "prompt" not in table:
        raise DataError(f"{path} has no column 'prompt' (there are: {', '.join(map(str, table.columns))})")
    topics = table["topic"].fillna("").astype(str).tolist() if "topic" in table else None
    return _named(path, Prompts.of(table["prompt"].tolist(), topics))


def _named(path: UserTable, prompts: Prompts) -> Prompts:
    if prompts.table.empty:
        raise DataError(f"{path} has no prompts")
    return Prompts(table_name(path), prompts.table)
