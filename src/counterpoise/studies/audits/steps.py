"""The training step of a checkpoint: from the name of its folder, or from what the Trainer left in it."""

from __future__ import annotations

import re
from pathlib import Path

from counterpoise.core.errors import InputError
from counterpoise.core.files import read_json

TRAINER_STATE = "trainer_state.json"

_IN_NAME = re.compile(
    r"(?:^|[-_.])(?:checkpoint|ckpt|global[-_]?step|steps?|iter|iteration)[-_=]?(\d{1,15})", re.I
)
_TYPED = re.compile(r"(\d{1,15})=(.+)")


def typed_step(text: str) -> tuple[int | None, str]:
    """The step of an argument such as 0=bert-base-uncased, and the model that it names.

    >>> typed_step("0=bert-base-uncased"), typed_step("out/checkpoint-500")
    ((0, 'bert-base-uncased'), (None, 'out/checkpoint-500'))
    """
    match = None if Path(text).exists() else _TYPED.fullmatch(text)
    return (int(match[1]), match[2]) if match else (None, text)


def step_in_name(name: str) -> int | None:
    """The step at the end of a name.

    >>> [step_in_name(name) for name in ("checkpoint-500", "step_1000", "global_step20", "bert-step-7", "epoch-3")]
    [500, 1000, 20, 7, None]
    """
    match = _IN_NAME.search(name)
    return int(match[1]) if match and match.end() == len(name) else None


def step_of(model: str) -> int:
    """The step of a checkpoint; an error if neither its name nor the Trainer tells it, or if they contradict."""
    path = Path(model)
    named = step_in_name(path.stem if path.is_file() else path.name)
    recorded = _recorded(path)
    if named is not None and recorded is not None and named != recorded:
        raise InputError(
            f"{model} is step {named:,} by its name and step {recorded:,} by its {TRAINER_STATE}; say which, as in "
            f"{recorded}={model}"
        )
    step = recorded if named is None else named
    if step is None:
        raise InputError(
            f"the training step of {model} cannot be told: its name does not end like checkpoint-500 or step_500, and "
            f"it has no {TRAINER_STATE}; say it, as in 500={model}, or leave the model out"
        )
    return step


def _recorded(folder: Path) -> int | None:
    """The step that the Trainer recorded, if any; a damaged record is none."""
    path = folder / TRAINER_STATE
    if not path.is_file():
        return None
    state = read_json(path)
    step = state.get("global_step") if isinstance(state, dict) else None
    return step if isinstance(step, int) and not isinstance(step, bool) and step >= 0 else None
