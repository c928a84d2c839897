"""The hub's evaluation results, the files `.eval_results/*.yaml` of a model's repository.

An entry is a score in a task of a benchmark, which is a dataset of the hub; the model's page links to the benchmark's
leaderboard. A task has the name of the measure. Data that are not on the hub have no such id, and none is invented.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from counterpoise.audit.run import Run
from counterpoise.core.errors import InputError
from counterpoise.core.hub import HUB_NAME
from counterpoise.measures.base.result import Result
from counterpoise.report.card import dump_metadata
from counterpoise.report.hub_datasets import HubDataset, hub_dataset
from counterpoise.report.rows import row_estimate

EVAL_RESULTS = ".eval_results/counterpoise.yaml"


def render_eval_results(run: Run, results: Sequence[Result], benchmark: str | None = None) -> str:
    """The headline of each measure as an entry; empty where there is no dataset of the hub to name.

    `benchmark` is the dataset of the hub in whose tasks measures count whose own data are not on the hub.
    """
    if benchmark is not None and not HUB_NAME.fullmatch(benchmark):
        raise InputError(
            f"--benchmark takes the name of a dataset of the hub, such as lab/data, not {benchmark!r}"
        )
    try:
        from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml
    except ImportError:  # an older huggingface_hub does not know the format
        return ""

    fallback = HubDataset(benchmark) if benchmark else None
    entries = [
        EvalResultEntry(
            dataset_id=dataset.name,
            task_id=result.measure,
            value=float(result.headline["value"]),
            dataset_revision=dataset.revision,
            date=run.manifest["measures"][result.measure].get("finished"),
            notes=_notes(run, result),
        )
        for result in results
        if (dataset := hub_dataset(run, result) or fallback)
    ]
    return f"{dump_metadata(eval_result_entries_to_yaml(entries))}\n" if entries else ""


def _notes(run: Run, result: Result) -> str:
    row = result.headline
    value, interval = row_estimate(row.to_dict())
    version = run.manifest["versions"]["counterpoise"]
    text = (
        f"{row['statistic']} ({row['group']}): {value}, {f'95 % interval {interval}, ' if interval else ''}"
        f"n = {row['n']}, ideal {row['ideal_text']}; on {result.dataset}; "
        f"Counterpoise {version}, {result.variant} variant, seed {result.seed}"
    )
    return re.sub(r"\s+", " ", text)
