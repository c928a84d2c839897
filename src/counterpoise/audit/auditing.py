"""Runs the measures of a request on a model. Returns data and writes the run; draws nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from counterpoise.audit.planning import AskingPlan, plan_asking
from counterpoise.audit.record import AuditRecord
from counterpoise.audit.request import AuditRequest, AuditTask
from counterpoise.audit.run import Run
from counterpoise.core.cache import ScoreCache
from counterpoise.core.errors import DataError, ModelError
from counterpoise.core.progress import progress, step
from counterpoise.core.shown import Shown
from counterpoise.data.thirdparty.folders import using_data
from counterpoise.measures.base.catalogue import Measure
from counterpoise.measures.base.result import Result
from counterpoise.measures.base.sampling import limited
from counterpoise.models.endpoints.endpoint import Endpoint


@dataclass(frozen=True, repr=False)
class Audit(Shown):
    """The outcome of an audit: a result per measure, why measures were left out, and the run folder, if any.

    `record` is what the run's manifest holds: options, versions, times. In a notebook an audit shows its verdicts, its
    headline numbers and a chart.
    """

    results: dict[str, Result]
    left_out: dict[str, str]
    run: Run | None
    record: AuditRecord

    def __repr__(self) -> str:
        return f"<Audit of {self.record.manifest['options']['model']}: {', '.join(self.results)}>"

    @property
    def summary(self) -> pd.DataFrame:
        """The summary rows of all measures."""
        return pd.concat([result.summary for result in self.results.values()], ignore_index=True)

    def to_frame(self) -> pd.DataFrame:
        """The summary rows of all measures."""
        return self.summary


def run_audit(request: AuditRequest) -> Audit:
    """Runs the measures of a request on its model."""
    _ = request.contents  # a file that cannot be read is reported before a model is loaded
    model = request.load_model()
    tasks, unfit = request.fitting(model)
    options = request.options(model, [task.measure for task in tasks])
    with (
        using_data(request.data),
        _caching(model, request.cache),
        limited(request.limit, request.seed),
    ):
        if request.out is None:
            return _measure_all(request, tasks, unfit, AuditRecord.begin(options.as_dict(), options.kind))
        with Run.start(request.out, options) as run:
            return _measure_all(request, tasks, unfit, run)


def plan(request: AuditRequest, endpoint: Endpoint) -> AskingPlan:
    """What an audit of a model behind an endpoint will ask."""
    tasks, _ = request.fitting(endpoint)
    with using_data(request.data), _caching(endpoint, request.cache), limited(request.limit, request.seed):
        return plan_asking(
            endpoint, [partial(run_measure, measure, view, request) for measure, view in tasks]
        )


def run_measure(measure: Measure, view: Any, request: AuditRequest) -> Result:
    """One measure of a request, with the files and settings that it takes."""
    given = {**request.given_to(measure), **measure.check_settings(request.settings)}
    return measure.function(
        view, given.pop("data", None), variant=request.variant, seed=request.seed, **given
    )


def _measure_all(
    request: AuditRequest, tasks: Sequence[AuditTask], unfit: Mapping[str, str], record: AuditRecord
) -> Audit:
    """Runs the measures that the run does not have yet, and saves each result as soon as it is there."""
    run = record if isinstance(record, Run) else None
    results = list(run.results.values()) if run else []
    left_out = dict(unfit)
    for name, reason in unfit.items():
        if name not in record.left_out:
            record.leave_out(name, reason)
    done = {result.measure for result in results}
    with progress("measures", total=len(tasks)) as advance:
        for measure, view in tasks:
            if measure.name not in done:  # a measure that was left out before may have its data now
                start = time.monotonic()
                try:
                    with step(measure.name):
                        results.append(run_measure(measure, view, request))
                except (DataError, ModelError) as error:
                    if request.measures is not None:  # a measure that was named must run
                        raise
                    left_out[measure.name] = str(error)
                    record.leave_out(measure.name, str(error))
                else:
                    record.save(results, time.monotonic() - start)
            advance(1)
    if not results:
        failed = {name: reason for name, reason in left_out.items() if name not in unfit}
        reasons = "; ".join(f"{name}: {reason}" for name, reason in failed.items())
        raise DataError(f"nothing could be measured: {reasons}")
    record.finish()
    return Audit({result.measure: result for result in results}, left_out, run, record)


@contextmanager
def _caching(model: Any, wanted: bool) -> Iterator[None]:
    """Gives the model a cache of answers for as long as the audit runs, unless it has one already."""
    if not wanted or not hasattr(model, "cache") or model.cache is not None:
        yield
        return
    model.cache = ScoreCache()
    try:
        yield
    finally:
        model.cache = None
