"""What --only asks for: steps and parts by name, factors by value.

    --only rate                        the cells of a step
    --only table3,model=builtin        those of the steps behind a part, of one model
    --only seed=0,seed=1               those with either value, of every step that goes over the factor

The chosen cells run, and so does everything that they need, whatever its factors. All other cells are left alone: what
is done of them stays done, and a run without --only completes the study. No cell has another key because of --only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from counterpoise.core.errors import InputError, unknown
from counterpoise.studies.engine.grid import PlannedCell
from counterpoise.studies.engine.study import Scalar, Study


@dataclass(frozen=True)
class Selection:
    """The steps and factor values that --only chooses; `only` is what was asked for, for messages."""

    only: tuple[str, ...]
    names: tuple[str, ...]  # of steps and parts
    steps: frozenset[str]
    values: Mapping[str, Sequence[Scalar]]

    @classmethod
    def of(cls, study: Study, only: Sequence[str]) -> Selection:
        """Reads what --only asks for; an unknown name or value is one line.

        >>> steps = {"train": {"run": "cells:train", "over": ["seed"]}}
        >>> steps["mean"] = {"run": "cells:mean", "needs": ["train"]}
        >>> study = Study(name="s", factors={"seed": [0, 1, 2]}, steps=steps)
        >>> selection = Selection.of(study, ["seed=0|2"])
        >>> sorted(selection.steps), selection.values
        (['train'], {'seed': [0, 2]})
        """
        names = tuple(entry for entry in only if "=" not in entry)
        values: dict[str, list[Scalar]] = {}
        for entry in only:
            if "=" in entry:
                factor, chosen = _factor_values(study, entry)
                values[factor] = [*values.get(factor, []), *chosen]
        selection = cls(tuple(only), names, frozenset(_steps(study, names, values)), values)
        selection._check_factors(study)
        return selection

    def cells(self, cells: Mapping[str, PlannedCell]) -> dict[str, PlannedCell]:
        """The chosen cells and all that they need, in the order of the plan."""
        pending = [key for key, cell in cells.items() if self._has_chosen(cell)]
        if not pending:
            raise InputError(f"no cell of the study agrees with --only {','.join(self.only)}")
        chosen = set[str]()
        while pending:
            key = pending.pop()
            if key not in chosen:
                chosen.add(key)
                pending += cells[key].needed_keys
        return {key: cell for key, cell in cells.items() if key in chosen}

    def shown(self, study: Study) -> tuple[str, ...]:
        """The names by which a page's parts are shown, nothing for all: a step stands for the parts that rest on it."""
        resting = [
            part
            for part in study.parts
            if any(name in study.steps and name in study.steps_for([part]) for name in self.names)
        ]
        return tuple(dict.fromkeys([*self.names, *resting]))

    def _has_chosen(self, cell: PlannedCell) -> bool:
        return cell.step in self.steps and all(
            cell.factors[name] in values for name, values in self.values.items() if name in cell.factors
        )

    def _check_factors(self, study: Study) -> None:
        """A factor that no named step goes over would choose nothing."""
        for factor in self.values:
            if not any(factor in study.steps[step].over for step in self.steps):
                over = sorted({name for step in self.steps for name in study.steps[step].over})
                raise InputError(
                    f"--only {','.join(self.only)}: {', '.join(self.names)} does not go over {factor!r} "
                    f"(it goes over: {', '.join(over) or 'no factor'})"
                )


def _steps(study: Study, names: Sequence[str], values: Mapping[str, Sequence[Scalar]]) -> set[str]:
    """The named steps and those of named parts; without a name, all that go over one of the factors."""
    if not names:
        return {
            name
            for name, step in study.steps.items()
            if not values or not values.keys().isdisjoint(step.over)
        }
    steps = set[str]()
    for name in names:
        if name in study.factors and name not in {*study.parts, *study.steps}:
            raise InputError(
                f"--only {name}: this is a factor; name a value too, e.g. {name}={_text(study.factors[name][0])}"
            )
        study.steps_for([name])  # an unknown name is an error
        steps.update(study.parts.get(name, [name]))
    return steps


def _factor_values(study: Study, entry: str) -> tuple[str, list[Scalar]]:
    """The factor and the values of an entry such as seed=0 or seed=0|1."""
    factor, _, texts = (part.strip() for part in entry.partition("="))
    if factor not in study.factors:
        raise unknown("factor", factor, study.factors)
    by_text = {_text(value): value for value in study.factors[factor]}
    chosen = []
    for text in (part.strip() for part in texts.split("|")):
        typed = text if text in by_text else _as_number(text)
        if typed not in by_text:
            raise unknown(f"value of {factor}", text, by_text)
        chosen.append(by_text[typed])
    return factor, chosen


def _as_number(text: str) -> str:
    """A number as `_text` writes it, e.g. 5e-5 as 5e-05; other text as it is."""
    try:
        return _text(float(text))
    except ValueError:
        return text


def _text(value: Scalar) -> str:
    """A value as it is typed: words as they are, all else as in YAML."""
    return value if isinstance(value, str) else json.dumps(value)
