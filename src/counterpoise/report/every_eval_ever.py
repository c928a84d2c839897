"""A run in the schema of Every Eval Ever, version 0.3.0: a record of results that any evaluation can be told in.

The schema asks of every metric whether lower is better, which cannot be said of a bias whose ideal is in the middle;
`lower_is_better` is then false, and `better` among the metric's `additional_details` says "closest to ideal".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from counterpoise.audit.run import Run, damage_in_one_line
from counterpoise.core.files import json_text, plain
from counterpoise.data.thirdparty.sources import sources
from counterpoise.measures.base.result import Result
from counterpoise.report.exported_rows import ExportedRow, exported_rows, measured, timestamp

SCHEMA = "0.3.0"
_HUB_NAME = re.compile(r"([\w-][\w.-]*)/[\w.-]+")


def render_every_eval_ever(run: Run, results: Sequence[Result]) -> str:
    """The record as JSON."""
    with damage_in_one_line(run.folder):
        return json_text(_document(run.manifest, results))


def _document(manifest: dict[str, Any], results: Sequence[Result]) -> dict[str, Any]:
    versions = dict(manifest["versions"])
    version = versions.pop("counterpoise")
    evaluated = _seconds(manifest["started"])
    recorded = _seconds(manifest["finished"] or manifest["started"])
    without_value = [
        f"{result.measure}.{row.key}"
        for result in results
        for row in exported_rows(result)
        if row.value is None
    ]
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"counterpoise/{manifest['options']['model']}/{recorded}",
        "evaluation_timestamp": evaluated,
        "retrieved_timestamp": recorded,
        "source_metadata": {
            "source_name": "Counterpoise",
            "source_type": "evaluation_run",
            # Who measured is not part of a run; both fields are to be filled in before a record is published.
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
            "additional_details": _texts(
                {
                    "finished": manifest["finished"] is not None,
                    "without_a_value": ", ".join(without_value),
                    "left_out": ", ".join(manifest["left_out"]),
                }
            ),
        },
        "eval_library": {"name": "counterpoise", "version": version, "additional_details": _texts(versions)},
        "model_info": _model(manifest),
        "evaluation_results": [
            _result(row, manifest["measures"][result.measure])
            for result in results
            for row in measured(result)
        ],
    }


def _model(manifest: dict[str, Any]) -> dict[str, Any]:
    options = manifest["options"]
    name = str(options["model"])
    hub_name = _HUB_NAME.fullmatch(name)
    details = {
        "kind": manifest.get("kind"),
        **{key: options.get(key) for key in ("precision", "fingerprint")},
    }
    return {
        "name": name,
        "id": name,
        **({"developer": hub_name[1]} if hub_name else {}),
        "additional_details": {
            "deployment_type": "unknown" if manifest.get("kind") == "endpoint" else "self_deployed",
            "model_availability": "unknown",
            **_texts(details),
        },
    }


def _result(row: ExportedRow, about: dict[str, Any]) -> dict[str, Any]:
    result = row.result
    lowest, highest = row.unit.bounds
    if row.value is not None and not lowest <= row.value <= highest:  # which the report warns of
        lowest, highest = float("-inf"), float("inf")
    details = {
        key: value for key, value in row.details().items() if key not in ("value", "ci_low", "ci_high")
    }
    return {
        "evaluation_result_id": f"{result.measure}.{row.key}",
        "evaluation_name": f"counterpoise.{result.measure}",
        "source_data": _dataset(result.dataset),
        **({"evaluation_timestamp": _seconds(about["finished"])} if "finished" in about else {}),
        "metric_config": {
            "evaluation_description": result.citation,
            "metric_id": f"counterpoise.{result.measure}.{row.key}",
            "metric_name": row.row["statistic"],
            "metric_unit": row.row["unit"] or "none",
            "metric_parameters": {"variant": result.variant, "seed": result.seed},
            "lower_is_better": row.better == "lower",
            "score_type": "continuous",
            "min_score": _bound(lowest),
            "max_score": _bound(highest),
            "additional_details": _texts({**details, "asked": result.asked}),
        },
        "score_details": {"score": row.value, **_uncertainty(row)},
    }


def _uncertainty(row: ExportedRow) -> dict[str, Any]:
    uncertainty: dict[str, Any] = {"num_samples": row.row["n"]}
    if row.interval is not None:
        low, high = row.interval
        uncertainty["confidence_interval"] = {"lower": low, "upper": high, "confidence_level": 0.95}
    return {"uncertainty": uncertainty}


def _dataset(name: str) -> dict[str, Any]:
    source = sources().get(name)
    if source is None:
        return {"dataset_name": name, "source_type": "other"}
    return {"dataset_name": name, "source_type": "url", "url": [source.home]}


def _bound(value: float) -> float | str:
    return {float("inf"): "Infinity", float("-inf"): "-Infinity"}.get(value, value)


def _seconds(text: str) -> str:
    return str(int(timestamp(text)))


def _texts(details: dict[str, Any]) -> dict[str, str]:
    """Details as the schema has them, each a text; those that are empty or not a number are left out."""
    return {name: str(value) for name, value in plain(details).items() if value is not None and value != ""}
