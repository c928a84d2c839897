"""A run as lm-evaluation-harness 0.4 writes its results, so that what reads those reads ours.

A measure is a task, named `counterpoise_<measure>`; an overall row is a metric, named by its key. What the format has
no field for (intervals, ideals, directions, p-values) is in `configs.<task>.metadata.counterpoise.<key>`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from counterpoise.audit.run import Run, damage_in_one_line
from counterpoise.core.files import json_text
from counterpoise.measures.base.result import Result
from counterpoise.report.exported_rows import Better, exported_rows, measured, timestamp

_HIGHER_IS_BETTER: dict[Better, bool] = {"higher": True, "lower": False}  # None for the others


def render_lm_eval(run: Run, results: Sequence[Result]) -> str:
    """The results as JSON."""
    with damage_in_one_line(run.folder):
        return json_text(_document(run.manifest, {f"counterpoise_{one.measure}": one for one in results}))


def _document(manifest: dict[str, Any], tasks: dict[str, Result]) -> dict[str, Any]:
    options, versions = manifest["options"], manifest["versions"]
    model = str(options["model"])
    return {
        "results": {task: _metrics(result) for task, result in tasks.items()},
        "group_subtasks": {task: [] for task in tasks},
        "configs": {task: _config(task, result) for task, result in tasks.items()},
        "versions": dict.fromkeys(tasks, versions["counterpoise"]),
        "n-shot": dict.fromkeys(tasks, 0),
        "higher_is_better": {
            task: {row.key: _HIGHER_IS_BETTER.get(row.better) for row in exported_rows(result)}
            for task, result in tasks.items()
        },
        "n-samples": {
            task: {"original": len(result.items) + len(result.skipped), "effective": len(result.items)}
            for task, result in tasks.items()
        },
        "config": {
            "model": "counterpoise",
            "model_args": {"pretrained": model},
            "model_dtype": options.get("precision"),
            "batch_size": None,
            "device": None,
            "limit": options.get("limit"),
            "random_seed": options["seed"],
            "numpy_seed": options["seed"],
        },
        "git_hash": None,
        "date": timestamp(manifest["started"]),
        "transformers_version": versions.get("transformers"),
        "counterpoise_version": versions["counterpoise"],
        "model_source": "counterpoise",
        "model_name": model,
        "model_name_sanitized": re.sub(r'["<>:/|\\?*\[\]]+', "__", model),
        "finished": manifest["finished"] is not None,
        "total_evaluation_time_seconds": str(
            sum(about.get("seconds", 0.0) for about in manifest["measures"].values())
        ),
    }


def _metrics(result: Result) -> dict[str, Any]:
    """A row without a value is left out here, as readers take every metric for a number."""
    metrics: dict[str, Any] = {"alias": result.measure, "sample_len": len(result.items)}
    for row in measured(result):
        error = row.standard_error
        metrics[f"{row.key},none"] = row.value
        metrics[f"{row.key}_stderr,none"] = "N/A" if error is None else error
    return metrics


def _config(task: str, result: Result) -> dict[str, Any]:
    rows = exported_rows(result)
    return {
        "task": task,
        "task_alias": result.measure,
        "dataset_path": result.dataset,
        "num_fewshot": 0,
        "metric_list": [
            {"metric": row.key, "higher_is_better": _HIGHER_IS_BETTER.get(row.better)} for row in rows
        ],
        "metadata": {
            "citation": result.citation,
            "asked": result.asked,
            "warnings": list(result.warnings),
            "counterpoise": {row.key: row.details() for row in rows},
        },
    }
