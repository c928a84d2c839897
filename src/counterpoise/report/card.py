"""A section for a Hugging Face model card, with the numbers as `model-index` metadata.

The metadata stands at the top between lines of dashes, as the hub expects it; paste it into the card's own, and the
section where you like, with the comments around it: by these `--push` finds the section that it replaces.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import yaml
from huggingface_hub import EvalResult
from huggingface_hub.repocard_data import eval_results_to_model_index

from counterpoise.audit.checksums import in_words
from counterpoise.audit.run import Run
from counterpoise.core.markdown import escape_markdown, markdown_table
from counterpoise.measures.base.catalogue import all_measures
from counterpoise.measures.base.result import Result
from counterpoise.report.hub_datasets import hub_dataset
from counterpoise.report.markdown import COLUMNS, findings, row_texts

BEGIN, END = "<!-- counterpoise: begin -->", "<!-- counterpoise: end -->"
OURS = "counterpoise"  # the argument of a metric that says which version measured it
_NOT_IN_A_DATASET_ID = re.compile(r"[^\w.-]+", re.ASCII)
_TASKS = {
    "masked": "fill-mask",
    "causal": "text-generation",
    "encoder": "feature-extraction",
    "classifier": "text-classification",
    "nli": "text-classification",
    "vectors": "feature-extraction",
    "endpoint": "text-generation",
}


def render_card(run: Run, results: Sequence[Result]) -> str:
    """Metadata and section."""
    index = model_index(run, results, str(run.manifest["options"]["model"]))
    front = ["---", dump_metadata({"model-index": index}), "---", ""] if index else []
    return "\n".join([*front, render_section(run, results), ""])


def render_section(run: Run, results: Sequence[Result]) -> str:
    """The section, between the comments by which it is found again."""
    options = run.manifest["options"]
    version = escape_markdown(run.manifest["versions"]["counterpoise"])
    return "\n".join(
        [
            BEGIN,
            "## Bias, risks, and limitations",
            "",
            f"Gender bias, measured with Counterpoise {version} (seed {options['seed']}, "
            f"{escape_markdown(options['variant'])} variant). Differences are male minus female, or stereotype minus "
            "counterpart; brackets hold 95 % intervals over words or sentence pairs.",
            "",
            *([] if run.is_complete else ["**The audit is not finished: measures are missing.**", ""]),
            *([f"**{in_words(run.altered)}.**", ""] if run.altered else []),
            *findings(results),
            "",
            markdown_table(["measure", *COLUMNS], _rows(results)),
            "",
            "Templates are not language as people use it: a model that is even-handed on them may not be so elsewhere.",
            END,
        ]
    )


def model_index(run: Run, results: Sequence[Result], name: str) -> list[dict[str, Any]]:
    """The hub's `model-index` of a model of that name; empty where no row has an interval."""
    found = evaluation_results(run, results)
    return eval_results_to_model_index(name, found) if found else []


def evaluation_results(run: Run, results: Sequence[Result]) -> list[EvalResult]:
    """The overall rows of each measure, with intervals."""
    return [
        EvalResult(
            task_type=_task(run, results),
            task_name="gender bias",
            **_dataset(run, result),
            metric_type=result.measure,
            metric_name=f"{result.measure}: {row['statistic']} ({row['group']})",
            metric_value=float(row["value"]),
            metric_args={
                "key": row["key"],
                "ci_low": float(row["ci_low"]),
                "ci_high": float(row["ci_high"]),
                "n": int(row["n"]),
                "variant": result.variant,
                "seed": result.seed,
                OURS: str(run.manifest["versions"]["counterpoise"]),
            },
        )
        for result in results
        for row in result.overall.to_dict("records")
        if all(math.isfinite(row[number]) for number in ("value", "ci_low", "ci_high"))
    ]


class _TextDumper(yaml.SafeDumper):
    """Puts texts with markup in double quotes, in which any character can be escaped."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def represent_text(self, text: str) -> yaml.ScalarNode:
        return self.represent_scalar("tag:yaml.org,2002:str", text, style='"' if "<" in text else None)


_TextDumper.add_representer(str, _TextDumper.represent_text)


def dump_metadata(fields: Any) -> str:
    """The metadata without a raw <, so that a viewer that takes them for text finds no HTML in them."""
    text: str = yaml.dump(fields, Dumper=_TextDumper, sort_keys=False, allow_unicode=True)
    return text.replace("<", r"\x3C").strip()


def _dataset(run: Run, result: Result) -> dict[str, Any]:
    """What the metadata say of the data; an id of the hub only where they are from there."""
    if dataset := hub_dataset(run, result):
        known = {"config": dataset.config, "split": dataset.split, "revision": dataset.revision}
        return {
            "dataset_type": dataset.name,
            "dataset_name": result.dataset,
            **{f"dataset_{name}": value for name, value in known.items()},
        }
    plain = _NOT_IN_A_DATASET_ID.sub("-", result.dataset).strip("-.")
    return {"dataset_type": plain or "unknown", "dataset_name": result.dataset}


def _task(run: Run, results: Sequence[Result]) -> str:
    """What the hub calls such a model; where an old run does not say its kind, its measures may."""
    catalogue = all_measures()
    needs = [set(catalogue[result.measure].needs) for result in results if result.measure in catalogue]
    kinds = set.intersection(*needs) if needs else set()
    kind = run.manifest.get("kind") or (kinds.pop() if len(kinds) == 1 else "")
    return _TASKS.get(str(kind), "other")


def _rows(results: Sequence[Result]) -> list[list[str]]:
    return [[result.measure, *row] for result in results for row in row_texts(result.headline.to_frame().T)]
