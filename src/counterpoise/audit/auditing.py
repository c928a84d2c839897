"""A model against a suite of measures. Returns data, writes the run, draws nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.audit.request import AuditRequest
from counterpoise.audit.run import Run
from counterpoise.core.cache import ScoreCache
from counterpoise.core.errors import DataError, ModelError
from counterpoise.core.progress import progress
from counterpoise.data.spec import Variant
from counterpoise.data.thirdparty.folders import using_data
from counterpoise.measures.base.catalogue import Measure
from counterpoise.measures.base.result import Result
from counterpoise.models.loading import BUILTIN


@dataclass(frozen=True)
class Audit:
    """What an audit found: a result per measure, and the run folder if one was written."""

    results: dict[str, Result]
    left_out: dict[str, str]
    run: Run | None

    @property
    def summary(self) -> pd.DataFrame:
        """The summary rows of all measures."""
        return pd.concat([result.summary for result in self.results.values()], ignore_index=True)


def audit(
    model: Any = None,
    measures: Sequence[str] | None = None,
    suite: str = "quick",
    out: str | Path | None = None,
    data: str | Path | None = None,
    seed: int = 0,
    *,
    variant: Variant = "corrected",
    columns: Mapping[str, str] | None = None,
    settings: Mapping[str, Any] | None = None,
    cache: bool = True,
    **files: str | Path | None,
) -> Audit:
    """Runs measures on a model.

    Parameters
    ----------
    model
        A loaded model, or what `counterpoise.load` takes; the built-in model if not given.
    measures
        Names of measures; those of the suite that fit the model if not given.
    out
        A folder for the run. One that was stopped is continued with the same options. Without it nothing is written.
    data
        A folder of data sets; else the one that `COUNTERPOISE_DATA` names.
    columns
        The names that the columns `text`, `label` and `gender` have in a file of `texts`.
    settings
        Settings of measures by name, such as `{"categories": "all"}`; each measure takes those that it has.
    cache
        Keep and use answers of the model on disk, so that a repeated question costs nothing.
    files
        Files of your own for the measures that accept them, instead of their own data or beside it: `pairs`,
        `templates`, `associations`, `words`, `gender_words`, `corpus`, `texts`, as `counterpoise audit --help` lists
        them.

    >>> import counterpoise as cp
    >>> audit = cp.audit(measures=["ppd"])
    >>> audit.summary.measure.unique().tolist()
    ['ppd']
    """
    return run_audit(
        AuditRequest.of(
            model=BUILTIN if model is None else model,
            measures=measures,
            suite=suite,
            out=out,
            data=data,
            seed=seed,
            variant=variant,
            files={name: path for name, path in files.items() if path is not None},
            columns=columns or {},
            settings=settings or {},
            cache=cache,
        )
    )


def run_audit(request: AuditRequest) -> Audit:
    """Carries a request out."""
    _ = request.contents  # a file that cannot be read is said before a model is loaded
    model = request.load_model()
    fitting, unfit = request.fitting(model)
    with using_data(request.data), _caching(model, request.cache):
        if request.out is None:
            return _measure_all(model, request, fitting, unfit, None)
        with Run.start(request.out, request.options(model, fitting)) as run:
            return _measure_all(model, request, fitting, unfit, run)


def _measure(measure: Measure, model: Any, request: AuditRequest) -> Result:
    given = {**request.given_to(measure), **measure.check_settings(request.settings)}
    return measure.function(
        model, given.pop("data", None), variant=request.variant, seed=request.seed, **given
    )


def _measure_all(
    model: Any, request: AuditRequest, measures: Sequence[Measure], unfit: Mapping[str, str], run: Run | None
) -> Audit:
    results = run.results() if run else []
    left_out = dict(unfit)
    for name, reason in unfit.items():
        if run and name not in run.left_out:
            run.leave_out(name, reason)
    done = {result.measure for result in results}
    with progress("measures", total=len(measures)) as advance:
        for measure in measures:
            if measure.name not in done:  # one that was left out before may have its data now
                start = time.monotonic()
                try:
                    results.append(_measure(measure, model, request))
                except (DataError, ModelError) as error:
                    if request.measures is not None:  # one that was named must run
                        raise
                    left_out[measure.name] = str(error)
                    if run:
                        run.leave_out(measure.name, str(error))
                else:
                    if run:
                        run.save(results, time.monotonic() - start)
            advance(1)
    if not results:
        failed = {name: reason for name, reason in left_out.items() if name not in unfit}
        reasons = "; ".join(f"{name}: {reason}" for name, reason in failed.items())
        raise DataError(f"nothing could be measured: {reasons}")
    if run:
        run.finish()
    return Audit({result.measure: result for result in results}, left_out, run)


@contextmanager
def _caching(model: Any, wanted: bool) -> Iterator[None]:
    if not wanted or not hasattr(model, "cache") or model.cache is not None:
        yield
        return
    model.cache = ScoreCache()
    try:
        yield
    finally:
        model.cache = None
