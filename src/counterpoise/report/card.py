"""A section for a Hugging Face model card, with the numbers as `model-index` metadata.

The metadata stands at the top between lines of dashes, as the hub expects it; paste it into the card's own, and the
section where you like.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from counterpoise.audit.run import Run
from counterpoise.measures.base.catalogue import all_measures
from counterpoise.measures.base.result import Result
from counterpoise.report.markdown import COLUMNS, escaped, findings, row_texts, table

_TASKS = {
    "masked": "fill-mask",
    "causal": "text-generation",
    "encoder": "feature-extraction",
    "classifier": "text-classification",
    "vectors": "feature-extraction",
}


def render_card(run: Run, results: Sequence[Result]) -> str:
    """Metadata and section."""
    metadata = yaml.safe_dump({"model-index": model_index(run, results)}, sort_keys=False, allow_unicode=True)
    options = run.manifest["options"]
    version = escaped(run.manifest["versions"]["counterpoise"])
    return "\n".join(
        [
            "---",
            metadata.rstrip(),
            "---",
            "",
            "## Bias, risks, and limitations",
            "",
            f"Gender bias, measured with Counterpoise {version} (seed {options['seed']}, "
            f"{escaped(options['variant'])} variant). Differences are male minus female, or stereotype minus "
            "counterpart; brackets hold 95 % intervals over words or sentence pairs.",
            "",
            *([] if run.is_complete else ["**The audit is not finished: measures are missing.**", ""]),
            *findings(results),
            "",
            *table(["measure", *COLUMNS], _rows(results)),
            "",
            "Templates are not language as people use it: a model that is even-handed on them may not be so elsewhere.",
            "",
        ]
    )


def model_index(run: Run, results: Sequence[Result]) -> list[dict[str, Any]]:
    """The hub's `model-index`: the overall rows of each measure, with intervals."""
    found = []
    for result in results:
        metrics = [
            {
                "type": result.measure,
                "name": f"{result.measure}: {row['statistic']} ({row['group']})",
                "value": float(row["value"]),
                "args": {
                    "ci_low": float(row["ci_low"]),
                    "ci_high": float(row["ci_high"]),
                    "n": int(row["n"]),
                },
            }
            for row in result.overall.dropna(subset=["value", "ci_low", "ci_high"]).to_dict("records")
        ]
        if metrics:
            task = _task(results)
            dataset = {"name": result.dataset, "type": result.dataset}
            found.append(
                {"task": {"type": task, "name": "gender bias"}, "dataset": dataset, "metrics": metrics}
            )
    return [{"name": str(run.manifest["options"]["model"]), "results": found}]


def _task(results: Sequence[Result]) -> str:
    """What the hub calls such a model; the measures tell what kind it is, unless all of them take several kinds."""
    known = [all_measures()[result.measure].needs for result in results if result.measure in all_measures()]
    kinds = set.intersection(*map(set, known)) if known else set()
    return _TASKS[kinds.pop()] if len(kinds) == 1 else "other"


def _rows(results: Sequence[Result]) -> list[list[str]]:
    return [[result.measure, *row] for result in results for row in row_texts(result.headline.to_frame().T)]
