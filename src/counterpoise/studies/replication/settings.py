"""What the papers' settings and factors have in common: strict models of them, and the first error as one line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from counterpoise.core.errors import InputError, MissingData, did_you_mean, unknown
from counterpoise.studies.engine.cells import LeftOut
from counterpoise.tuning.settings import Settings


def _device(name: str) -> str:
    if name not in ("auto", "cpu", "cuda", "cuda:0", "mps"):  # training takes the first GPU
        raise ValueError("must be auto, cpu, cuda or mps")
    return name


Device = Annotated[str, AfterValidator(_device)]
Name = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=1)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]


class StrictModel(BaseModel):
    """Settings or factors: no others than these, and no value of another kind."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


Checked = TypeVar("Checked", bound=StrictModel)


def validated(kind: type[Checked], values: Mapping[str, Any], called: str) -> Checked:
    """The values as a model; an error in one line about the first that is wrong.

    >>> class Example(StrictModel):
    ...     pairs: Count | None
    >>> validated(Example, {"pairs": 0}, "setting")
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: the setting pairs must be greater than or equal to 1, not 0
    """
    try:
        return kind.model_validate(dict(values))
    except ValidationError as error:
        raise _first_line(error, called) from None


def check_training(name: str, given: Mapping[str, Any], base: Settings, fixed: Sequence[str] = ()) -> None:
    """An error where settings of a training, which replace those of `base`, are not what training takes.

    name: of the study's setting that holds them. fixed: what the study sets itself.
    """
    known = [setting for setting in asdict(base) if setting not in fixed]
    for key in given:
        if key not in known:
            raise unknown(f"setting of a training (--set {name}=...)", key, known)
    try:
        TypeAdapter(Settings).validate_json(json.dumps({**asdict(base), **given}), strict=True)
    except ValidationError as error:
        raise _first_line(error, f"setting {name}:") from None


def read_if_at_hand(read: Callable[[], object]) -> None:
    """Reads a dataset, so that a damaged file is an error now; one that is not at hand is none."""
    with suppress(MissingData, LeftOut):
        read()


def _first_line(error: ValidationError, called: str) -> InputError:
    first = error.errors()[0]
    wrong = first["msg"].removeprefix("Value error, ").replace("Input should", "must", 1)
    if not first["loc"]:  # the settings of a training, which check themselves
        return InputError(f"the {called} {wrong}")
    options = re.findall(r"'([^']+)'", str(first.get("ctx", {}).get("expected", "")))
    hint = did_you_mean(str(first["input"]), options)
    return InputError(f"the {called} {first['loc'][0]} {wrong}, not {first['input']!r}{hint}")
