"""A study in YAML: factors, the steps over them, and how large it is to be at each scale.

    name: letters
    title: What each base model makes of each seed
    factors: {base: [builtin, bert-base-uncased], seed: [0, 1]}
    settings: {reviews: 25000}
    steps:
      train: {run: "my_cells:train", over: [base, seed], cpus: 1, gpus: 0, weights: [model]}
      rate:  {run: "my_cells:rate", over: [base, seed], needs: [train]}
    scales: {smoke: {factors: {base: [builtin]}, settings: {reviews: 300}}}
    check: "my_cells:check"
    resolve: "my_cells:resolve"
    estimate: "my_cells:estimate"
    gather: "my_cells:gather"

Modules are looked for beside the file first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    ValidationError,
    model_validator,
)

from counterpoise.core import limits
from counterpoise.core.documents import parse_yaml, read_text
from counterpoise.core.errors import DataError, InputError, did_you_mean, unknown
from counterpoise.studies.engine.setting_kinds import check_kind

_PAPERS = resources.files("counterpoise.studies.papers")

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][\w.-]*$")]
Function = Annotated[str, StringConstraints(pattern=r"^[\w.]+:\w+$")]
InFolder = Annotated[str, StringConstraints(pattern=r"^\w[\w-]*(\.\w+)*(/\w[\w-]*(\.\w+)*)*$")]
Scalar = str | int | float | bool | None
Factors = dict[Name, Annotated[list[Scalar], Field(min_length=1)]]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Step(_Strict):
    """One kind of cell: the function that carries it out, and the factors that it is carried out over."""

    run: Function
    over: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    uses: tuple[str, ...] | None = None  # the settings that it sees; all if not given
    where: tuple[
        dict[str, list[Scalar]], ...
    ] = ()  # only cells that agree with one of these; all if not given
    version: int = 1  # raised when the function changes: its cells are done again
    weights: tuple[InFolder, ...] = ()  # what --drop-models deletes of the files that its cells leave
    cpus: float = Field(default=1, gt=0)
    gpus: float = Field(default=0, ge=0)


class Scale(_Strict):
    """What a scale replaces in factors and settings."""

    factors: Factors = {}
    settings: dict[str, JsonValue] = {}


class Study(_Strict):
    """A study, checked."""

    name: Name
    title: str = ""
    factors: Factors = {}
    settings: dict[str, JsonValue] = {}
    steps: dict[Name, Step] = Field(min_length=1)
    scales: dict[str, Scale] = {}
    parts: dict[str, list[str]] = {}  # the steps behind a table or figure that --only may name
    check: Function | None = None  # of the study, before its first cell: raises InputError or DataError
    resolve: Function | None = (
        None  # of the settings: those that depend on files that are at hand, as they are
    )
    estimate: Function | None = None  # of a planned cell: what it costs (costs.py)
    gather: Function | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Study:
        for name, values in self.factors.items():
            if len(set(map(repr, values))) < len(values):
                raise ValueError(f"the factor {name!r} has a value twice")
        for name, step in self.steps.items():
            for factor in step.over:
                _known(f"step {name!r} goes over {factor!r}, which is no factor", factor, self.factors)
            for factor in (factor for entry in step.where for factor in entry):
                _known(f"step {name!r} does not go over {factor!r}", factor, dict.fromkeys(step.over))
            for setting in step.uses or ():
                _known(f"step {name!r} uses {setting!r}, which is no setting", setting, self.settings)
            for needed in step.needs:
                _known(f"step {name!r} needs {needed!r}, which is no step", needed, self.steps)
        for part, steps in self.parts.items():
            for step_name in steps:
                _known(f"part {part!r} names {step_name!r}, which is no step", step_name, self.steps)
        in_order(self.steps)
        return self

    def at(self, scale: str | None, own: Mapping[str, JsonValue] | None = None) -> Study:
        """The study at a scale, with settings of one's own; a study without scales is the same at all of them.

        >>> steps = {"train": {"run": "cells:train", "over": ["seed"]}}
        >>> scales = {"smoke": {"factors": {"seed": [0]}}}
        >>> study = Study(name="s", factors={"seed": [0, 1, 2]}, steps=steps, scales=scales)
        >>> study.at("smoke").factors
        {'seed': [0]}
        """
        if scale is not None and self.scales and scale not in self.scales:
            raise unknown("scale", scale, self.scales)
        chosen = self.scales.get(scale or "", Scale())
        settings = {**self.settings, **chosen.settings}
        for name, value in (own or {}).items():
            if name not in settings:
                raise unknown("setting", name, settings)
            check_kind(name, value, self._given_values(name))
        changed = {
            **self.model_dump(),
            "factors": {**self.factors, **chosen.factors},
            "settings": {**settings, **(own or {})},
            "scales": {},
        }
        return check_study(changed, f"{self.name}, scale {scale}")

    def _given_values(self, setting: str) -> list[JsonValue]:
        """The values that the file gives a setting: by default, and at each scale."""
        everywhere = [self.settings, *(scale.settings for scale in self.scales.values())]
        return [settings[setting] for settings in everywhere if setting in settings]

    def steps_for(self, only: Sequence[str]) -> set[str]:
        """The steps that --only asks for by their names or by those of parts, with all that they need."""
        chosen = set[str]() if only else set(self.steps)
        for name in only:
            if name not in self.parts and name not in self.steps:
                raise unknown("step or part", name, {*self.parts, *self.steps})
            chosen.update(self.parts.get(name, [name]))
        for name in reversed(in_order(self.steps)):
            if name in chosen:
                chosen.update(self.steps[name].needs)
        return chosen


def in_order(steps: Mapping[str, Step]) -> list[str]:
    """The steps so that each comes after those that it needs."""
    order: list[str] = []
    while len(order) < len(steps):
        ready = [name for name, step in steps.items() if name not in order and set(step.needs) <= set(order)]
        if not ready:
            left = [name for name in steps if name not in order]
            raise ValueError(f"the steps {', '.join(left)} need each other in a circle")
        order += ready
    return order


def study_names() -> list[str]:
    """The studies that come with Counterpoise."""
    return sorted(folder.name for folder in _PAPERS.iterdir() if (folder / "study.yaml").is_file())


def read_study(source: str | Path) -> tuple[Study, Path | None]:
    """A study by its name or from a file, and the folder in which its modules are looked for first."""
    if str(source).endswith((".yaml", ".yml")):
        path = Path(source)
        text = read_text(path, limit=limits.YAML)
        place, folder = str(path), path.resolve().parent
    else:
        if source not in study_names():
            raise InputError(f"{unknown('study', source, study_names())}, or name a file that ends in .yaml")
        place, folder = f"{source}/study.yaml", None
        text = (_PAPERS / str(source) / "study.yaml").read_text(encoding="utf-8")
    return check_study(parse_yaml(text, place), place), folder


def check_study(content: Any, place: str) -> Study:
    """The study that YAML or JSON holds, or one line that says what is wrong with it and where."""
    try:
        return Study.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise DataError(f"{place}: {where}: {first['msg'].removeprefix('Value error, ')}") from error


def _known(complaint: str, name: str, options: Mapping[str, Any]) -> None:
    if name not in options:
        raise ValueError(f"{complaint}{did_you_mean(name, options)}")
