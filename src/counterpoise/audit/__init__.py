"""A model against a suite of measures; the run folder.

The package and its main function share a name, and `counterpoise.audit` is the function. Everything else is imported
from its module, such as `from counterpoise.audit.run import Run`; runs are also `counterpoise.Run`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterpoise.audit.auditing import Audit
    from counterpoise.data.spec import Variant

__all__ = ["audit"]


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
    limit: int | None = None,
    **files: Any,
) -> Audit:
    """Runs measures on a model.

    Parameters
    ----------
    model
        A loaded model, or what `counterpoise.load` takes: a hub name, a folder, a function from texts to numbers, a
        fitted scikit-learn pipeline, a transformers pipeline, or (model, tokenizer); the built-in model if not given.
    measures
        Names of measures; those of the suite that fit the model if not given.
    out
        The folder of the run, with its page `report.html`; an interrupted run with the same options resumes. If not
        given, nothing is written.
    data
        The folder of datasets; if not given, the one that `COUNTERPOISE_DATA` names.
    variant
        "corrected", or "published" to reproduce the authors' own code.
    columns
        What the columns `text`, `label` and `gender` are called in a file of `texts`.
    settings
        Settings of measures by name, such as `{"categories": "all"}`; each measure takes those that it has.
    cache
        Keep the model's answers on disk and reuse them, so that a repeated question costs nothing.
    limit
        Of a causal model, a model behind an endpoint or a function that answers: at most this many items of each
        measure, a balanced sample.
    files
        Your own files for the measures that accept them, in place of their own data or beside it: `pairs`,
        `templates`, `inference_templates`, `decision_templates`, `associations`, `words`, `gender_words`, `corpus`,
        `texts`, `names_table`, `lexicon`, `prompts`, as listed by `counterpoise audit --help`. Texts, pairs, prompts
        and names may be a dataset of the hub, as in `texts="hf:NAME:SPLIT"`, or a folder. What has been read
        already may be given as it is, such as `texts=counterpoise.data.read_texts(...)`, and texts also as a list.

    Returns
    -------
    Audit
        `.summary` has the rows of all measures, `.results` the result of each, `.run` the run folder, if any. A
        notebook shows its verdicts; `.report('page.html')` writes the page, `.plot()` gives the charts.

    >>> import counterpoise as cp
    >>> audit = cp.audit(measures=["ppd"])
    >>> audit.summary.measure.unique().tolist()
    ['ppd']
    """
    # Imported when called, so that `import counterpoise` stays quick.
    from counterpoise.audit.auditing import run_audit
    from counterpoise.audit.request import AuditRequest

    audited = run_audit(
        AuditRequest.of(
            model=model,
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
            limit=limit,
        )
    )
    if out is not None:
        audited.report()
    return audited
