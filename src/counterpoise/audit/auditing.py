"""A model against a suite of measures. Returns data, writes the run, draws nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.audit.own import OwnFiles
from counterpoise.audit.run import Options, Run
from counterpoise.audit.settings import check_settings, chosen_for
from counterpoise.core.cache import ScoreCache
from counterpoise.core.errors import DataError, InputError, ModelError
from counterpoise.core.progress import progress
from counterpoise.data.folders import using_data
from counterpoise.data.spec import Variant, check_variant
from counterpoise.measures.catalogue import KINDS, Measure, find_measure, suite_measures
from counterpoise.measures.result import Result
from counterpoise.models.loading import load


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
    pairs: str | Path | None = None,
    templates: str | Path | None = None,
    associations: str | Path | None = None,
    words: str | Path | None = None,
    gender_words: str | Path | None = None,
    corpus: str | Path | None = None,
    texts: str | Path | None = None,
    columns: Mapping[str, str] | None = None,
    settings: Mapping[str, Any] | None = None,
    cache: bool = True,
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
    pairs
        A file of sentence pairs for `sld`, `crows`, `aul` and `aula` to use instead of their own (see
        `counterpoise.data.read_pairs`).
    templates
        A file of templates for `ppd` to use instead of its own (see `counterpoise.data.read_templates`).
    associations
        A file of association tests for `lpbs_weat` to use instead of Kurita's (see
        `counterpoise.data.read_associations`).
    words
        A file of word sets for `weat`, `seat`, `cseat`, `weat_contextual` and `ceat` to use instead of Caliskan's
        (see `counterpoise.data.read_word_sets`).
    gender_words
        A file of gendered pairs and neutral words for `direct_bias`, `ripa`, `ect` and `neighbours` (see
        `counterpoise.data.read_gender_words`).
    corpus
        A file of natural sentences, which `ceat` needs.
    texts
        A file of texts for `sentiment`, `perturbation` and `tpr_gap` (see `counterpoise.data.read_texts`).
    columns
        The names that the columns `text`, `label` and `gender` have in that file.
    settings
        Settings of measures by name, such as `{"categories": "all"}`; each measure takes those that it has.
    cache
        Keep and use answers of the model on disk, so that a repeated question costs nothing.

    >>> import counterpoise as cp
    >>> audit = cp.audit(measures=["ppd"])
    >>> audit.summary.measure.unique().tolist()
    ['ppd']
    """
    check_variant(variant)
    if not isinstance(seed, int) or seed < 0:
        raise InputError(f"the seed must be a whole number, 0 or more, not {seed!r}")
    if isinstance(measures, str):
        measures = [measures]
    chosen = [find_measure(name) for name in dict.fromkeys(measures)] if measures is not None else None
    if chosen is not None and not chosen:
        raise InputError("no measure was named")
    files = OwnFiles.of(
        pairs=pairs,
        templates=templates,
        associations=associations,
        words=words,
        gender_words=gender_words,
        corpus=corpus,
        texts=texts,
        columns=columns,
    )
    settings = dict(settings or {})
    own = files.read(variant)
    if model is None or isinstance(model, str | Path):
        suite_measures(suite)  # a misspelt suite is said before a model is loaded
        model = load(model)
    if getattr(model, "kind", None) not in KINDS:
        raise InputError(f"a model, a name or a folder is needed, not {model!r}")
    suite_measures(suite)
    fitting, unfit = _fitting(model, chosen, suite)
    files.check([measure.name for measure in fitting])
    check_settings(settings, fitting, own)
    plan = _Plan(fitting, own, files.settings(), settings, variant, seed, unfit, strict=chosen is not None)
    with using_data(data), _caching(model, cache):
        if out is None:
            return _measure_all(model, plan, None)
        options = Options(
            model=model.name,
            fingerprint=model.fingerprint,
            precision=model.precision,
            measures=tuple(measure.name for measure in fitting),
            variant=variant,
            seed=seed,
            data=str(data) if data is not None else None,
            files=files.hashes(),
            settings=settings,
        )
        with Run.start(out, options) as run:
            return _measure_all(model, plan, run)


@dataclass(frozen=True)
class _Plan:
    measures: Sequence[Measure]
    own: Mapping[str, Any]  # the user's own data, by measure
    beside: Mapping[str, Mapping[str, Path]]  # files that a measure takes beside its data
    settings: Mapping[str, Any]
    variant: Variant
    seed: int
    unfit: Mapping[str, str]  # measures of the suite that do not fit the model, and why
    strict: bool  # a measure that cannot be run is an error, not left out

    def run(self, measure: Measure, model: Any) -> Result:
        return measure.function(
            model,
            self.own.get(measure.name),
            variant=self.variant,
            seed=self.seed,
            **{**self.beside.get(measure.name, {}), **chosen_for(measure, self.settings)},
        )


def _fitting(model: Any, chosen: list[Measure] | None, suite: str) -> tuple[list[Measure], dict[str, str]]:
    """The measures to run, and why others of the suite are not; one that was named must fit the model."""

    def unfit(measure: Measure) -> str:
        return (
            f"needs {' or '.join(KINDS[kind] for kind in measure.needs)}; {model.name} is {KINDS[model.kind]}"
        )

    if chosen is not None:
        for measure in chosen:
            if not measure.fits(model):
                raise ModelError(f"{measure.name} {unfit(measure)}")
        return chosen, {}
    fitting = [measure for measure in suite_measures(suite) if measure.fits(model)]
    if not fitting:
        raise ModelError(f"no measure of the suite {suite!r} fits {model.name}, which is {KINDS[model.kind]}")
    others = [measure for measure in suite_measures(suite) if measure not in fitting]
    return fitting, {measure.name: unfit(measure) for measure in others}


def _measure_all(model: Any, plan: _Plan, run: Run | None) -> Audit:
    results = run.results() if run else []
    left_out = dict(plan.unfit)
    for name, reason in plan.unfit.items():
        if run and name not in run.left_out:
            run.leave_out(name, reason)
    done = {result.measure for result in results}
    with progress("measures", total=len(plan.measures)) as advance:
        for measure in plan.measures:
            if measure.name not in done:  # one that was left out before may have its data now
                start = time.monotonic()
                try:
                    results.append(plan.run(measure, model))
                except (DataError, ModelError) as error:
                    if plan.strict:
                        raise
                    left_out[measure.name] = str(error)
                    if run:
                        run.leave_out(measure.name, str(error))
                else:
                    if run:
                        run.save(results, time.monotonic() - start)
            advance(1)
    if not results:
        failed = {name: reason for name, reason in left_out.items() if name not in plan.unfit}
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
