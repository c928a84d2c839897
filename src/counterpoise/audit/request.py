"""What is to be audited: one object for the command line and Python alike, checked before any model is loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from counterpoise.audit.own_files import TO_READ, given_file, identities, own_path
from counterpoise.audit.recorded_settings import recorded
from counterpoise.audit.run_options import RunOptions
from counterpoise.core.addresses import CONCURRENCY, TIMEOUT
from counterpoise.core.documents import parse_yaml
from counterpoise.core.errors import InputError, ModelError, did_you_mean, unknown
from counterpoise.data.spec import Variant, check_variant
from counterpoise.data.thirdparty.folders import using_data
from counterpoise.data.user.files import Reading, UserFile
from counterpoise.measures.base.catalogue import Measure, all_measures, find_measure, suite_measures
from counterpoise.measures.base.kinds import KINDS
from counterpoise.models.loading import BUILTIN, load
from counterpoise.models.text_start import Chat
from counterpoise.models.views import views

_COLUMNS = ("text", "label", "gender")
_LIMITED = ("endpoint", "causal", "answers")  # kinds of model that cost money or, where they write, much time


def _names(measures: Any) -> Any:
    """A single measure may be named without a list; a repeated name counts once."""
    if measures is None:
        return None
    names = [measures] if isinstance(measures, str) else measures
    return tuple(dict.fromkeys(names)) if isinstance(names, Sequence) else names


def _or_builtin(model: Any) -> Any:
    return BUILTIN if model is None else model


OwnPath = Annotated[Path, BeforeValidator(own_path)]


class LoadOptions(BaseModel):
    """How a model is loaded, as `counterpoise.load` takes it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str | None = None
    device: str = "auto"
    dtype: str | None = None
    adapter: str | None = None
    quantize: str | None = None
    device_map: str | dict[str, int | str] | None = None
    positive: str | None = None
    labels: str | tuple[str, ...] | None = None
    pooling: str | None = None
    layer: int | None = None
    start: str | None = None
    chat: bool | Chat = False
    model: str | None = None  # the name of a model behind an endpoint
    key_file: OwnPath | None = None
    concurrency: Annotated[int, Field(ge=1)] = CONCURRENCY
    timeout: Annotated[float, Field(gt=0)] = TIMEOUT
    strict_model: bool = False
    revision: str | None = None
    offline: bool = False
    trust_remote_code: bool = False
    allow_pickle: bool = False


class AuditTask(NamedTuple):
    """A measure, and the model or view of it that the measure asks."""

    measure: Measure
    view: Any


class AuditRequest(BaseModel):
    """A model, the measures to run on it, and everything that decides their numbers.

    Names of measures, files and settings are checked on construction; whether the measures fit the model, once it is
    loaded.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    model: Annotated[Any, BeforeValidator(_or_builtin)] = (
        BUILTIN  # a loaded model, or what `counterpoise.load` takes
    )
    load: LoadOptions = LoadOptions()
    measures: Annotated[tuple[str, ...] | None, BeforeValidator(_names)] = None  # those of the suite if None
    suite: str = "quick"
    out: OwnPath | None = None
    data: OwnPath | None = None
    seed: Annotated[int, Field(ge=0, strict=True)] = 0
    variant: Variant = "corrected"
    files: Mapping[str, Any] = {}  # by the name of their kind: paths, datasets, or what was read already
    columns: Mapping[str, str] = {}  # what the columns of a file of texts are called
    settings: Mapping[str, Any] = {}
    cache: bool = True
    limit: Annotated[int, Field(ge=2)] | None = None  # items of each measure

    @classmethod
    def of(cls, **given: Any) -> AuditRequest:
        """The request, or one clear line about what is wrong with it.

        >>> AuditRequest.of(measures="ppd", files={"corpus": "mine.txt"})
        Traceback (most recent call last):
        counterpoise.core.errors.InputError: --corpus is for ceat, not for a measure of this audit (ppd)
        """
        check_variant(given.get("variant", "corrected"))
        try:
            request = cls(**given)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise InputError(
                f"{place} {first['msg'].replace('Input should', 'should', 1)}, not {first['input']!r}"
            ) from None
        files = {
            name: given_file(file_kinds().get(name), name, file, request.load.offline)
            for name, file in request.files.items()
        }
        request = request.model_copy(update={"files": files})
        request._check()
        return request

    @property
    def planned(self) -> list[Measure]:
        """The measures that were named, or those of the suite."""
        if self.measures is None:
            return suite_measures(self.suite)
        return [find_measure(name) for name in self.measures]

    @cached_property
    def contents(self) -> Mapping[str, Any]:
        """What the user's files hold, by their kind; one that cannot be read is an error."""
        how = Reading(self.variant, self.columns)
        return {
            name: file_kinds()[name].read(given, how) if isinstance(given, TO_READ) else given
            for name, given in self.files.items()
        }

    def given_to(self, measure: Measure) -> dict[str, Any]:
        """What a measure is given of the user's files, by its parameters."""
        return {
            kind.parameter: self.contents[kind.name] for kind in measure.accepts if kind.name in self.contents
        }

    def load_model(self) -> Any:
        """The model, loaded if it is not yet."""
        model = self.model
        if getattr(model, "kind", None) in KINDS:
            return model
        with using_data(self.data):
            return load(model, **dict(self.load))

    def fitting(self, model: Any) -> tuple[list[AuditTask], dict[str, str]]:
        """The measures to run, each with what it asks, and why others of the suite are not run.

        A measure that was named must fit the model, or what else its weights can be asked as.
        """
        tasks, unfit = [], {}
        model_views = views(model)
        for measure in self.planned:
            view = next(filter(measure.fits, model_views), None)
            if view is None:
                unfit[measure.name] = measure.misfit(model)
            elif self.measures is None and self.suite not in measure.suites_of(view.kind):
                continue  # a measure of the suite for another kind of model
            elif self.measures is None and measure.unsuited and (reason := measure.unsuited(view)):
                unfit[measure.name] = reason
            else:
                tasks.append(AuditTask(measure, view))
        if self.measures is not None and unfit:
            name, reason = next(iter(unfit.items()))
            raise ModelError(f"{name} {reason}")
        if self.limit is not None and model.kind not in _LIMITED:
            raise InputError(
                "--limit is for causal language models and endpoints, and for functions that answer; others are "
                "measured on all items"
            )
        if not tasks:
            raise ModelError(
                f"no measure of the suite {self.suite!r} fits {model.name}, which is {KINDS[model.kind]}"
            )
        fitting = [task.measure for task in tasks]
        self._check_files(fitting)
        self._check_settings(fitting)
        return tasks, unfit

    def options(self, model: Any, measures: Sequence[Measure]) -> RunOptions:
        """What the run folder records: a run resumes only with the same options."""
        return RunOptions(
            model=model.name,
            fingerprint=model.fingerprint,
            precision=model.precision,
            measures=tuple(measure.name for measure in measures),
            variant=self.variant,
            seed=self.seed,
            data=str(self.data) if self.data is not None else None,
            files=identities(self.files, self.contents, file_kinds(), self.columns),
            settings=recorded(self.settings),
            kind=model.kind,
            text_start=_text_start(model),
            loading=getattr(model, "details", {}),
            limit=self.limit,
        )

    def _check(self) -> None:
        if self.measures == ():
            raise InputError("no measure was named")
        planned = self.planned
        if self.measures is not None:
            suite_measures(self.suite)  # a misspelt suite is a mistake even where measures are named
        for name in self.files:
            if name not in file_kinds():
                raise unknown("kind of file", name, file_kinds())
        for name in self.columns:
            if name not in _COLUMNS:
                raise unknown("column", name, _COLUMNS)
        if self.columns and not isinstance(self.files.get("texts"), TO_READ):
            raise InputError("columns are named without --texts")
        self._check_files(planned)
        self._check_settings(planned)

    def _check_files(self, measures: Sequence[Measure]) -> None:
        """A file that no measure will read is a mistake."""
        taken = {kind.name for measure in measures for kind in measure.accepts}
        for name in self.files:
            if name not in taken:
                *others, last = accepting(name)
                wanted = f"{', '.join(others)} or {last}" if others else last
                there = ", ".join(measure.name for measure in measures)
                raise InputError(
                    f"{file_kinds()[name].option} is for {wanted}, not for a measure of this audit ({there})"
                )

    def _check_settings(self, measures: Sequence[Measure]) -> None:
        """A setting that no measure has is a mistake, and so is a value of another kind."""
        known = sorted({name for measure in measures for name in measure.settings})
        for name in self.settings:
            if name not in known:
                raise InputError(
                    f"no measure of this audit has a setting {name!r}{did_you_mean(name, known)}; "
                    f"there are: {', '.join(known) or 'none'}"
                )
        for measure in measures:
            measure.check_settings(self.settings)
        choosing = [measure for measure in measures if "categories" in measure.settings]
        if "categories" in self.settings and all("data" in self._parameters(measure) for measure in choosing):
            names = ", ".join(measure.name for measure in choosing)
            raise InputError(
                f"categories choose from the datasets of {names}; pairs of your own are measured whole"
            )

    def _parameters(self, measure: Measure) -> set[str]:
        return {kind.parameter for kind in measure.accepts if kind.name in self.files}


def _text_start(model: Any) -> str | None:
    """What a causal model reads before every text; None for other models."""
    start = getattr(model, "start", None)
    return None if start is None else str(model.tokenizer.decode(start.ids))


def file_kinds() -> dict[str, UserFile]:
    """The kinds of files that measures accept, by name."""
    return {kind.name: kind for measure in all_measures().values() for kind in measure.accepts}


def accepting(kind: str) -> list[str]:
    """The measures that accept a kind of file."""
    return [
        measure.name
        for measure in all_measures().values()
        if kind in {accepted.name for accepted in measure.accepts}
    ]


def parse_settings(texts: Sequence[str]) -> dict[str, Any]:
    """Settings as they are typed; values are read as YAML.

    >>> parse_settings(["scoring=word_l2r", "per_token=true", "categories=[gender, age]"])
    {'scoring': 'word_l2r', 'per_token': True, 'categories': ['gender', 'age']}
    """
    settings = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip().isidentifier():
            raise InputError(f"--set takes NAME=VALUE, such as scoring=word_l2r, not {text!r}")
        settings[name.strip()] = parse_yaml(value, f"--set {name.strip()}: {value!r:.80}", InputError)
    return settings
