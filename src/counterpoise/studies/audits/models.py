"""Which of the things that were named are models, what each is called, and which step of a training it is."""

from __future__ import annotations

import glob
import hashlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from counterpoise.core.addresses import is_url
from counterpoise.core.errors import InputError
from counterpoise.core.files import slug
from counterpoise.models.named_functions import is_function_name
from counterpoise.models.onnx_classifier import is_onnx_folder
from counterpoise.models.unfinished import ADAPTER_CONFIG
from counterpoise.models.vector_files import SUFFIXES
from counterpoise.studies.audits.steps import TRAINER_STATE, step_in_name, step_of, typed_step

_MODEL_FILES = ("config.json", ADAPTER_CONFIG, "modules.json")
_BESIDE_WEIGHTS = ("config.json", "tokenizer.json", "tokenizer_config.json", TRAINER_STATE)
_OURS = ("cells",)  # what else is in the folder of the runs

ModelName = str | Path


@dataclass(frozen=True)
class NamedModel:
    """A model to audit: the name of its run folder, what `counterpoise.load` takes, its step, and its version.

    `version` changes when the files of a model do, so that a checkpoint that was overwritten is measured again.
    """

    name: str
    source: str
    step: int | None = None
    version: str = ""

    @property
    def cell_value(self) -> str:
        """The model as the value of a factor. The step is no part of it: it decides no number."""
        return f"{self.name}={self.source}@{self.version}"

    @classmethod
    def of_cell(cls, value: str) -> NamedModel:
        """
        >>> NamedModel.of_cell(NamedModel("a", "/m=1/a@b", version="0f").cell_value)
        NamedModel(name='a', source='/m=1/a@b', step=None, version='0f')
        """
        name, _, rest = value.partition("=")
        source, _, version = rest.rpartition("@")
        return cls(name, source, version=version)


@dataclass(frozen=True)
class NamedModels:
    """The models in order, and what was named beside them that is no model."""

    models: tuple[NamedModel, ...]
    skipped: tuple[str, ...]


def find_models(given: Sequence[ModelName] | Mapping[int, ModelName], curve: bool) -> NamedModels:
    """The models that were named; as checkpoints of a curve they have a step each and are sorted by it.

    A folder or file that is no model, as among `checkpoints/*`, is skipped; a checkpoint that is damaged is not.
    """
    steps, skipped = _typed(given), []
    models: list[NamedModel] = []
    for source, step in steps:
        _check_name(source)
        if step is None and not _may_be_model(source):
            skipped.append(source)
            continue
        if curve and step is None:
            step = step_of(source)
        elif not curve and step is not None and not isinstance(given, Mapping):
            raise InputError(
                f"{step}={source} gives a model's training step, which only a curve has; add --curve"
            )
        models.append(_named(source, step if curve else None))
    if not models:
        raise InputError(f"there is no model among {', '.join(skipped) or 'what was named'}")
    _check_twice(models)
    if curve:
        models = _by_step(models)
    return NamedModels(tuple(_with_names_of_their_own(models)), tuple(skipped))


def _typed(given: Sequence[ModelName] | Mapping[int, ModelName]) -> list[tuple[str, int | None]]:
    """What was named, each with its step where that was given; patterns are expanded, as a shell would."""
    if isinstance(given, Mapping):
        return [(_text(model), _checked_step(step)) for step, model in given.items()]
    if isinstance(given, str | Path):
        raise InputError(f"give a list of models, not {str(given)!r} alone")
    found: list[tuple[str, int | None]] = []
    for text in map(_text, given):
        step, model = typed_step(text)
        if step is not None or "*" not in text or Path(text).expanduser().exists():
            found.append((model, step))
            continue
        matches = sorted(glob.glob(os.path.expanduser(text)))
        if not matches:
            raise InputError(f"nothing is there that fits {text}")
        found += [(match, None) for match in matches]
    return found


def _text(model: object) -> str:
    if not isinstance(model, str | Path):
        raise InputError(
            f"many models are audited by their names or folders, each in a process of its own, not as "
            f"{type(model).__name__}; save the model, or use counterpoise.audit"
        )
    return str(model)


def _checked_step(step: object) -> int:
    if not isinstance(step, int) or isinstance(step, bool) or step < 0:
        raise InputError(f"a step is a whole number from 0, not {step!r}")
    return step


def _check_name(source: str) -> None:
    if is_url(source) or is_function_name(source):
        what = "an endpoint" if is_url(source) else "a function"
        raise InputError(f"{source} is {what}, which is audited by itself: counterpoise audit {source}")


def _may_be_model(source: str) -> bool:
    """A name on the hub, a folder with a model or named like a checkpoint, or a file that is one."""
    path = Path(source).expanduser()
    if path.is_dir():
        has_model = any((path / name).is_file() for name in _MODEL_FILES) or is_onnx_folder(path)
        return has_model or step_in_name(path.name) is not None
    if path.is_file():
        is_part = any((path.parent / name).is_file() for name in _BESIDE_WEIGHTS)
        return path.suffix.lower() == ".gguf" or (path.suffix in SUFFIXES and not is_part)
    return True


def _named(source: str, step: int | None) -> NamedModel:
    path = Path(source).expanduser()
    if not path.exists():
        return NamedModel(slug(source) or "model", source, step)
    whole = os.path.abspath(path)
    return NamedModel(slug(Path(whole).name) or "model", whole, step, _version(Path(whole)))


def _version(path: Path) -> str:
    """Changes with the size or the time of change of any file of a model."""
    files = sorted(file for file in (path.iterdir() if path.is_dir() else [path]) if file.is_file())
    seen = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return hashlib.sha256(repr(seen).encode()).hexdigest()[:8]


def _check_twice(models: Sequence[NamedModel]) -> None:
    counts = Counter(model.source for model in models)
    if twice := next((source for source, count in counts.items() if count > 1), None):
        raise InputError(f"{twice} is named twice")


def _by_step(models: Sequence[NamedModel]) -> list[NamedModel]:
    """Sorted by step; two with the same step are an error."""
    ordered = sorted(models, key=lambda model: model.step or 0)
    for first, second in pairwise(ordered):
        if first.step == second.step:
            raise InputError(
                f"{first.source} and {second.source} are both step {first.step:,}; a curve has one model of each step"
            )
    if len(ordered) < 2:
        raise InputError(f"a curve needs two checkpoints or more, found {ordered[0].source} alone")
    return ordered


def _with_names_of_their_own(models: Sequence[NamedModel]) -> list[NamedModel]:
    """Models of the same name are told apart by the folders that they are in, and else by number."""
    counts = Counter(model.name for model in models)
    taken = set[str]()
    named = []
    for model in models:
        name = model.name
        if counts[name] > 1 or name in _OURS:
            name = slug("-".join(Path(model.source).parts[-2:]))
        number = 2
        while name in taken or (name in counts and name != model.name):
            name, number = f"{model.name}-{number}", number + 1
        taken.add(name)
        named.append(replace(model, name=name))
    return named
