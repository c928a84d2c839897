"""The catalogue of measures: filled by a decorator, open to other packages through entry points."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from counterpoise.core.errors import ModelError, unknown
from counterpoise.measures.result import Ideal, Result

Suite = Literal["quick", "full"]
SUITES: tuple[Suite, ...] = ("quick", "full")

KINDS = {
    "masked": "a masked language model",
    "causal": "a causal language model",
    "encoder": "a sentence encoder",
    "classifier": "a classifier",
    "vectors": "word vectors",
}

MeasureFunction = Callable[..., Result]


@dataclass(frozen=True)
class Measure:
    """A measure with what a reader and a program must know about it."""

    name: str
    function: MeasureFunction
    needs: tuple[str, ...]  # kinds of model
    data: str  # the spec of the data it uses when none is given
    ideal: Ideal
    sign: str
    cites: tuple[str, ...]
    suites: tuple[Suite, ...]
    options: str = ""  # of the command, for the data without which it cannot run

    @property
    def title(self) -> str:
        """The first line of the module's docstring."""
        text = inspect.getdoc(inspect.getmodule(self.function)) or self.name
        return text.splitlines()[0].rstrip(".")

    @property
    def question(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").splitlines()[0]

    def fits(self, model: Any) -> bool:
        return model.kind in self.needs


_measures: dict[str, Measure] = {}


def measure(
    name: str,
    *,
    needs: type | tuple[type, ...],
    data: str,
    ideal: Ideal,
    sign: str,
    cites: str | tuple[str, ...],
    suites: tuple[Suite, ...] = ("full",),
    options: str = "",
) -> Callable[[MeasureFunction], MeasureFunction]:
    """Enters a function into the catalogue; what it needs is checked before it starts to work."""
    kinds = tuple(kind.kind for kind in (needs if isinstance(needs, tuple) else (needs,)))  # type: ignore[attr-defined]

    def enter(function: MeasureFunction) -> MeasureFunction:
        @functools.wraps(function)
        def checked(model: Any, *args: Any, **options: Any) -> Result:
            if getattr(model, "kind", None) not in kinds:
                wanted = " or ".join(KINDS[kind] for kind in kinds)
                given = KINDS.get(getattr(model, "kind", ""), type(model).__name__)
                raise ModelError(f"{name} needs {wanted}; {getattr(model, 'name', model)} is {given}")
            return function(model, *args, **options)

        if name in _measures and inspect.getmodule(_measures[name].function) is not inspect.getmodule(
            function
        ):
            raise ValueError(f"two measures are called {name!r}")
        _measures[name] = Measure(
            name=name,
            function=checked,
            needs=kinds,
            data=data,
            ideal=ideal,
            sign=sign,
            cites=(cites,) if isinstance(cites, str) else cites,
            suites=suites,
            options=options,
        )
        return checked

    return enter


def all_measures() -> dict[str, Measure]:
    """Every measure by name, in alphabetical order."""
    import counterpoise.measures  # fills the catalogue  # noqa: F401

    return dict(sorted(_measures.items()))


def find_measure(name: str) -> Measure:
    measures = all_measures()
    if name not in measures:
        raise unknown("measure", name, measures)
    return measures[name]


def suite_measures(suite: str) -> list[Measure]:
    if suite not in SUITES:
        raise unknown("suite", suite, SUITES)
    return [found for found in all_measures().values() if suite in found.suites]
