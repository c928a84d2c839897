"""A section for a Hugging Face model card, with the numbers as `model-index` metadata.

The metadata stands at the top between lines of dashes, as the hub expects it; paste it into the card's own, and the
section where you like.
"""

from __future__ import annotations

from collections.abc import Sequence

import yaml
from huggingface_hub import EvalResult, ModelCardData

from counterpoise.audit.checksums import in_words
from counterpoise.audit.run import Run
from counterpoise.core.markdown import escape_markdown, markdown_table
from counterpoise.measures.base.catalogue import all_measures
from counterpoise.measures.base.result import Result
from counterpoise.report.markdown import COLUMNS, findings, row_texts

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
    options = run.manifest["options"]
    version = escape_markdown(run.manifest["versions"]["counterpoise"])
    return "\n".join(
        [
            "---",
            _yaml(metadata(run, results)),
            "---",
            "",
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
            "",
        ]
    )


def metadata(run: Run, results: Sequence[Result]) -> ModelCardData:
    """The hub's metadata: the overall rows of each measure, with intervals, as evaluation results."""
    return ModelCardData(
        model_name=str(run.manifest["options"]["model"]),
        eval_results=[
            EvalResult(
                task_type=_task(run, results),
                task_name="gender bias",
                dataset_type=result.dataset,
                dataset_name=result.dataset,
                metric_type=result.measure,
                metric_name=f"{result.measure}: {row['statistic']} ({row['group']})",
                metric_value=float(row["value"]),
                metric_args={
                    "ci_low": float(row["ci_low"]),
                    "ci_high": float(row["ci_high"]),
                    "n": int(row["n"]),
                },
            )
            for result in results
            for row in result.overall.dropna(subset=["value", "ci_low", "ci_high"]).to_dict("records")
        ],
    )


class _TextDumper(yaml.SafeDumper):
    """Puts texts with markup in double quotes, in which any character can be escaped."""

    def represent_text(self, text: str) -> yaml.ScalarNode:
        return self.represent_scalar("tag:yaml.org,2002:str", text, style='"' if "<" in text else None)


_TextDumper.add_representer(str, _TextDumper.represent_text)


def _yaml(data: ModelCardData) -> str:
    """The metadata without a raw <, so that a viewer that takes them for text finds no HTML in them."""
    fields = data.to_dict()  # type: ignore[no-untyped-call]
    text: str = yaml.dump(fields, Dumper=_TextDumper, sort_keys=False, allow_unicode=True)
    return text.replace("<", r"\x3C").strip()


def _task(run: Run, results: Sequence[Result]) -> str:
    """What the hub calls such a model; where an old run does not say its kind, its measures may."""
    catalogue = all_measures()
    needs = [set(catalogue[result.measure].needs) for result in results if result.measure in catalogue]
    kinds = set.intersection(*needs) if needs else set()
    kind = run.manifest.get("kind") or (kinds.pop() if len(kinds) == 1 else "")
    return _TASKS.get(str(kind), "other")


def _rows(results: Sequence[Result]) -> list[list[str]]:
    return [[result.measure, *row] for result in results for row in row_texts(result.headline.to_frame().T)]
