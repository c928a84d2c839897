"""From a study to its cells: the product of the factors of each step, what each cell needs, and the key of each.

A key is the hash of everything that decides a cell's result: its step, function and version, factors, settings, the
keys of the cells that it needs, and the version of Counterpoise. Equal keys mean equal results.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from counterpoise.core.errors import DataError
from counterpoise.core.version import __version__
from counterpoise.studies.engine.cells import label
from counterpoise.studies.engine.study import Step, Study, in_order


@dataclass(frozen=True)
class PlannedCell:
    """A cell of the grid, done or not."""

    key: str
    step: str
    factors: Mapping[str, Any]
    settings: Mapping[str, Any]
    needs: Mapping[str, tuple[str, ...]]  # keys by step
    own: str = ""  # the hash of everything that decides its result except the cells that it needs

    @property
    def needed_keys(self) -> list[str]:
        """The keys of all cells that this one needs."""
        return [key for keys in self.needs.values() for key in keys]

    @property
    def name(self) -> str:
        """The name of its folder: readable, and different where the key is.

        >>> PlannedCell("0123456789abcdef", "train", {"base": "a/b", "seed": 0}, {}, {}).name
        'base=a_b,seed=0-0123456789ab'
        """
        values = ",".join(f"{name}={value}" for name, value in self.factors.items())
        return "-".join(filter(None, [re.sub(r"[^\w.,=-]", "_", values)[:120], self.key[:12]]))

    def __str__(self) -> str:
        return label(self.step, self.factors)


def plan(study: Study, version: str = __version__) -> dict[str, PlannedCell]:
    """All cells by key, step by step in the order of the file.

    >>> steps = {"train": {"run": "cells:train", "over": ["seed"]}, "mean": {"run": "cells:mean", "needs": ["train"]}}
    >>> cells = plan(Study(name="s", factors={"seed": [0, 1]}, steps=steps)).values()
    >>> [str(cell) for cell in cells]
    ['train seed=0', 'train seed=1', 'mean']
    """
    by_step: dict[str, list[PlannedCell]] = {}
    for name in in_order(study.steps):
        step = study.steps[name]
        settings = study.settings if step.uses is None else {used: study.settings[used] for used in step.uses}
        cells = []
        for factors in _combinations(study, step):
            needs = {needed: _agreeing(by_step[needed], factors) for needed in step.needs}
            for needed, keys in needs.items():
                if not keys:
                    raise DataError(
                        f"{label(name, factors)} needs {needed!r}, and no cell of that agrees with it"
                    )
            content = {
                "step": name,
                "run": step.run,
                "version": step.version,
                "factors": factors,
                "settings": settings,
                "counterpoise": version,
            }
            key = _hash({**content, "needs": needs})
            cells.append(PlannedCell(key, name, factors, settings, needs, own=_hash(content)))
        by_step[name] = cells
    return {cell.key: cell for name in study.steps for cell in by_step[name]}


def _combinations(study: Study, step: Step) -> list[dict[str, Any]]:
    products = itertools.product(*(study.factors[factor] for factor in step.over))
    combinations = [dict(zip(step.over, values, strict=True)) for values in products]
    if not step.where:
        return combinations
    return [
        factors
        for factors in combinations
        if any(all(factors[name] in values for name, values in entry.items()) for entry in step.where)
    ]


def _agreeing(cells: list[PlannedCell], factors: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(
        cell.key
        for cell in cells
        if all(factors[name] == value for name, value in cell.factors.items() if name in factors)
    )


def _hash(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
