"""The catalogue of measures: filled by a decorator, open to other packages through entry points.

The decorator holds all that is declared once. The function asks the model and returns `Measured`; the decorator checks
what it is given, and makes the `Result`. The package `counterpoise.measures` fills the catalogue when it is imported,
which Python does before it imports this module.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import pandas as pd

from counterpoise.core.errors import InputError, ModelError, did_you_mean, unknown
from counterpoise.data.spec import Variant, check_variant, citation
from counterpoise.data.user.files import UserFile
from counterpoise.measures.base.documentation import full_docstring, parameter_docs
from counterpoise.measures.base.kinds import (
    KINDS,
    asked_as,
    endpoint_misfit,
    misfit,
    sampling_of_choices,
)
from counterpoise.measures.base.result import Direction, Result, make_summary, sources_of
from counterpoise.measures.base.rows import Ideal, Row, statistic_of
from counterpoise.measures.base.settings import check_settings, parameters_of
from counterpoise.measures.base.skipped import skipped_table
from counterpoise.measures.base.source import Source
from counterpoise.measures.base.units import PLAIN, Unit, unit_by_form
from counterpoise.measures.base.versions import Versions
from counterpoise.models.endpoints.capabilities import Rung
from counterpoise.models.endpoints.endpoint import Endpoint
from counterpoise.models.loading import load

Suite = Literal["quick", "full"]
SUITES: tuple[Suite, ...] = ("quick", "full")


@dataclass(frozen=True)
class Measured:
    """What the function of a measure returns.

    `rows` may be left out where the measure has a function that computes them of the items. `dataset` is given where
    it is not the measure's own data, `variant` where the data have one of their own, and `reading` where the measure
    chose how the model was asked. `sampling` has the settings of sampled answers (`kinds.sampling_settings`).
    """

    items: pd.DataFrame
    rows: Sequence[Row] | None = None
    skipped: pd.DataFrame = field(default_factory=lambda: skipped_table([], []))
    warnings: Sequence[str] = ()
    dataset: str | None = None
    variant: Variant | None = None
    reading: Sequence[str] = ()
    sampling: Mapping[str, Any] = field(default_factory=dict)


RowsOfItems = Callable[[pd.DataFrame, Variant, int], Sequence[Row]]


@dataclass(frozen=True)
class Measure:
    """A measure with what a reader and a program must know about it."""

    name: str
    function: Callable[..., Result]
    needs: tuple[str, ...]  # kinds of model
    data: str  # the spec of the data it uses when none is given
    ideal: Ideal
    direction: Direction
    cites: tuple[str, ...]
    identity: tuple[str, ...]  # columns that tell items apart; readers are shown the first
    label: str = ""  # what readers call it; the title of its docstring if it has no other
    unit: Unit = PLAIN  # of means
    units: Mapping[str, Unit] = field(default_factory=dict)  # of statistics with another one
    suites: tuple[Suite, ...] = ("full",)
    kind_suites: Mapping[str, tuple[Suite, ...]] = field(default_factory=dict)  # of kinds with others
    incomparable: str = ""  # why numbers of two kinds of model are not to be compared; empty if they are
    caveat: str = ""  # what two kinds of model are still asked differently where their numbers are compared
    directions: Mapping[str, Direction] = field(default_factory=dict)  # of statistics with another one
    accepts: tuple[UserFile, ...] = ()
    example: str = ""  # options of the command without which the measure cannot run
    rows: RowsOfItems | None = None
    unsuited: Callable[[Any], str | None] | None = None  # why a suite leaves out a model of the right kind
    versions: Versions | None = None  # the two texts of an item
    compares: str = ""  # the column of what a model wrote, where a contrast compares it
    single: str = "words"  # what the rows of single words are about, in the plural
    rungs: tuple[Rung, ...] = ()  # how a model behind an endpoint can be asked

    @property
    def title(self) -> str:
        """The name that readers see; that of its paper, from the module's docstring, if it has no other."""
        return self.label or self.formal_title

    @property
    def formal_title(self) -> str:
        """The name in the literature: the first line of the module's docstring."""
        text = inspect.getdoc(inspect.getmodule(self.function)) or self.name
        return text.splitlines()[0].rstrip(".")

    @property
    def question(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").splitlines()[0]

    @property
    def parameters(self) -> dict[str, str]:
        """What readers are told about the data and each setting, by the parameter's name."""
        return parameter_docs(inspect.unwrap(self.function))

    @property
    def citation(self) -> str:
        return " ".join(citation(key) for key in self.cites)

    @property
    def settings(self) -> tuple[str, ...]:
        """The names of what can be set."""
        return tuple(parameters_of(self.function))

    def unit_of(self, key: str, source: Source | None) -> Unit:
        """What the value of a row is counted in."""
        return self.units.get(statistic_of(key)) or unit_by_form(source, self.unit)

    def fits(self, model: Any) -> bool:
        if isinstance(model, Endpoint):
            return model.rung(self.rungs) is not None
        return model.kind in self.needs

    @property
    def suites_text(self) -> str:
        """The suites as readers are told them, such as "full; causal: quick, full"."""
        of_kinds = [f"{kind}: {', '.join(suites)}" for kind, suites in self.kind_suites.items()]
        return "; ".join([", ".join(self.suites) or "none (run by name)", *of_kinds])

    def suites_of(self, kind: str) -> tuple[Suite, ...]:
        """The suites that run the measure on a kind of model; behind an endpoint, as on a causal model."""
        if kind == Endpoint.kind:
            return self.kind_suites.get("causal", self.suites) if self.rungs else ()
        return self.kind_suites.get(kind, self.suites) if kind in self.needs else ()

    def misfit(self, model: Any) -> str:
        """Why a model that does not fit cannot be measured."""
        if isinstance(model, Endpoint):
            return endpoint_misfit(self.rungs, model)
        return misfit(self.needs, model)

    def check_settings(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Those of the settings that the measure has; a value of another kind is an error."""
        return check_settings(
            self.function, {name: value for name, value in settings.items() if name in self.settings}
        )

    def result(self, measured: Measured, model: Any, variant: Variant, seed: int) -> Result:
        """What was measured, with all that the measure declares of it."""
        rows = measured.rows
        if rows is None:
            assert self.rows is not None, f"{self.name} returns no rows"
            rows = self.rows(measured.items, measured.variant or variant, seed)
        dataset, variant = measured.dataset or self.data, measured.variant or variant
        return Result(
            measure=self.name,
            dataset=dataset,
            model=model.name,
            asked=asked_as(model, self.rungs, measured.reading),
            sampling=measured.sampling or sampling_of_choices(model, self.rungs, seed),
            variant=variant,
            seed=seed,
            items=measured.items,
            summary=make_summary(rows, self.name, dataset, variant, self.unit_of),
            skipped=measured.skipped,
            direction=self.direction,
            directions=self.directions,
            sources=sources_of(rows),
            identity=self.identity,
            citation=self.citation,
            warnings=(*measured.warnings, *(model.warnings if isinstance(model, Endpoint) else ())),
        )


_measures: dict[str, Measure] = {}


def measure(
    name: str,
    *,
    needs: type | types.UnionType | tuple[type, ...],
    data: str,
    ideal: Ideal,
    direction: Direction,
    cites: str | tuple[str, ...],
    identity: tuple[str, ...],
    label: str = "",
    unit: Unit = PLAIN,
    units: Mapping[str, Unit] | None = None,
    suites: tuple[Suite, ...] = ("full",),
    kind_suites: Mapping[str, tuple[Suite, ...]] | None = None,
    incomparable: str = "",
    caveat: str = "",
    directions: Mapping[str, Direction] | None = None,
    accepts: tuple[UserFile, ...] = (),
    example: str = "",
    rows: RowsOfItems | None = None,
    unsuited: Callable[[Any], str | None] | None = None,
    versions: Versions | None = None,
    compares: str = "",
    single: str = "words",
    rungs: tuple[Rung, ...] = (),
) -> Callable[[Callable[..., Measured]], Callable[..., Result]]:
    """Enters a function into the catalogue.

    The function takes a model and data, and as keywords its own settings, `variant` and `seed`, the latter two only if
    it uses them. The model and the settings are checked before it starts to work.

    Parameters
    ----------
    needs
        The class of models that can be measured, or a union of classes.
    data
        The dataset that is used if none is given: the name of a spec, or of a source of third-party data.
    ideal, direction
        Where the headline should lie, and what a value above and below that means.
    directions
        The same of statistics, named as in row keys, for which the sign means something else.
    cites
        Keys of `citations.yaml`.
    identity
        The columns that tell items apart, also those of two models; readers are shown the first.
    label
        The name that readers see, such as "Pronoun preference by profession (PPD)".
    unit, units
        What means are counted in, and statistics, named as in row keys, for which neither that nor their form is right.
    suites, kind_suites
        The suites that the measure belongs to, and those for kinds of model, by their names, where they differ.
    incomparable
        Where a measure asks two kinds of model for different quantities: why their numbers are not comparable, as a
        clause. `compare` then keeps them apart.
    caveat
        Where they are comparable but for some items: which, as a clause. `compare` says it.
    accepts
        Files of a user's own that the measure takes, each an option of the command.
    example
        Options of the command, for data or a kind of model without which the measure cannot run.
    rows
        Computes the rows of the items. Where some need more than the items, it computes those before them, and the
        function returns all of them itself.
    unsuited
        Says of a model of the right kind why a suite leaves it out, or None; if the measure is named, it runs anyway.
    versions
        Where an item compares two texts: which columns hold them and their scores. Not needed where each text is an
        item of its own and a `Contrast` compares them.
    compares
        Where a `Contrast` compares what a model wrote: the column of these texts, which readers are shown side by side.
    single
        What the rows of single words are about, in the plural, where it is something else: "templates".
    rungs
        How a model behind an endpoint can be asked; the highest that its server supports is used. None by default.
    """
    classes: tuple[Any, ...] = needs if isinstance(needs, tuple) else get_args(needs) or (needs,)
    kinds = tuple(model_class.kind for model_class in classes)

    def enter(function: Callable[..., Measured]) -> Callable[..., Result]:
        @functools.wraps(function)
        def checked(
            model: Any, data: Any = None, *, variant: Variant = "corrected", seed: int = 0, **settings: Any
        ) -> Result:
            if getattr(model, "kind", None) not in KINDS:
                model = load(model)
            if not entered.fits(model):
                raise ModelError(f"{name} {entered.misfit(model)}")
            check_variant(variant)
            if strange := next((setting for setting in settings if setting not in entered.settings), None):
                raise InputError(
                    f"{name} has no setting {strange!r}{did_you_mean(strange, entered.settings)}"
                )
            given = {**entered.check_settings(settings), "variant": variant, "seed": seed}
            measured = function(model, data, **{key: given[key] for key in given if key in used})
            return entered.result(measured, model, variant, seed)

        used = inspect.signature(function).parameters
        checked.__signature__ = public_signature(function)  # type: ignore[attr-defined]
        checked.__doc__ = full_docstring(function)
        if name in _measures and _module(_measures[name].function) is not _module(function):
            raise ValueError(f"two measures are called {name!r}")
        entered = _measures[name] = Measure(
            name,
            checked,
            kinds,
            data,
            ideal,
            direction,
            cites=(cites,) if isinstance(cites, str) else cites,
            identity=identity,
            label=label,
            unit=unit,
            units=units or {},
            suites=suites,
            kind_suites=kind_suites or {},
            incomparable=incomparable,
            caveat=caveat,
            directions=directions or {},
            accepts=accepts,
            example=example,
            rows=rows,
            unsuited=unsuited,
            versions=versions,
            compares=compares,
            single=single,
            rungs=rungs,
        )
        return checked

    return enter


def public_signature(function: Callable[..., Measured]) -> inspect.Signature:
    """How a measure is called: with `variant` and `seed` even if its function uses neither.

    >>> print(public_signature(lambda model, data=None, *, k=3: Measured(pd.DataFrame())))
    (model, data=None, *, variant: 'Variant' = 'corrected', seed: 'int' = 0, k=3) -> 'Result'
    """
    own = dict(inspect.signature(function).parameters)
    shared = {
        name: own.pop(
            name, inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        )
        for name, default, kind in (("variant", "corrected", "Variant"), ("seed", 0, "int"))
    }
    model, data, *settings = own.values()
    return inspect.Signature([model, data, *shared.values(), *settings], return_annotation="Result")


def _module(function: Callable[..., Any]) -> object:
    return inspect.getmodule(function)


def all_measures() -> dict[str, Measure]:
    """Every measure by name, in alphabetical order."""
    return dict(sorted(_measures.items()))


def find_measure(name: str) -> Measure:
    measures = all_measures()
    if name not in measures:
        raise unknown("measure", name, measures)
    return measures[name]


def suite_measures(suite: str) -> list[Measure]:
    if suite not in SUITES:
        raise unknown("suite", suite, SUITES)
    return [
        measure
        for measure in all_measures().values()
        if any(suite in measure.suites_of(kind) for kind in measure.needs)
    ]


def index() -> dict[str, Any]:
    """What the command says of measures before it imports any: the content of index.json, which `make docs` writes."""
    measures = all_measures().values()
    files = {kind.name: kind.help for measure in measures for kind in measure.accepts}
    return {
        "measures": [
            {
                "name": measure.name,
                "question": measure.question,
                "needs": list(measure.needs),
                "ideal": measure.ideal.text,
                "suites": measure.suites_text,
            }
            for measure in measures
        ],
        "files": [
            {
                "name": name,
                "help": text,
                "measures": [
                    measure.name for measure in measures if name in {kind.name for kind in measure.accepts}
                ],
            }
            for name, text in sorted(files.items())
        ],
    }
