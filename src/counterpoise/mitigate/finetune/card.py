"""The card of a debiased model: `README.md` for people, `debias.json` for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.core.files import write_json, write_text
from counterpoise.core.markdown import markdown_table
from counterpoise.core.version import __version__
from counterpoise.mitigate.evaluation.proof import Proof
from counterpoise.mitigate.finetune.recipes import Recipe
from counterpoise.tuning.training import Trained

SCHEMA = 1
RECORD = "debias.json"
_COLUMNS = ("quantity", "group", "before", "control", "after", "change", "ci_low", "ci_high", "unit")

_METHODS = {
    "cds": "text in which men and women were swapped in about every second document",
    "cda": "text, and the same text with men and women swapped",
    "flip": "text in which men and women were swapped",
    "none": "text as it is, without any swap",
}

_TEXT = """---
library_name: transformers
tags: [counterpoise, debiased]
---
# {name}

{base}, trained further with Counterpoise on {method}.

## What that did

{verdict}

{figures}

Before is the base model{control}; change is from before to after, with its 95 % interval. A measure that is lower now
is no proof that the model is fair: bias that it does not ask about may be unchanged.

## Made from

{made_from}

## Settings

{settings}

## Versions

{versions}
"""


def write_debias_card(
    folder: Path,
    name: str,
    made_from: Mapping[str, Any],
    recipe: Recipe,
    trained: Trained,
    proof: Proof,
    *,
    controlled: bool,
) -> None:
    """Writes both files into the folder of a trained model."""
    settings = {
        **asdict(recipe.settings),
        **{f"masking, {key}": value for key, value in asdict(recipe.masking).items()},
        "guard": recipe.guard,
        "keep weight": recipe.keep_weight if made_from["neutral sentences"] else None,
        "steps": trained.steps,
        "training loss of the last epoch": trained.best["loss"],
    }
    versions = {package: metadata.version(package) for package in ("torch", "transformers")}
    versions["counterpoise"] = __version__
    text = _TEXT.format(
        name=name,
        base=made_from["base"],
        method=_METHODS[recipe.method],
        verdict="\n".join(f"- {sentence}" for sentence in proof.verdict),
        figures=_figures(proof.summary),
        control=", control the same training on the unswapped text" if controlled else "",
        made_from=markdown_table(("", ""), made_from.items()),
        settings=markdown_table(("", ""), settings.items()),
        versions=markdown_table(("", ""), versions.items()),
    )
    write_text(folder / "README.md", text)
    write_json(
        folder / RECORD,
        {
            "schema": SCHEMA,
            "made_from": dict(made_from),
            "settings": settings,
            "versions": versions,
            "proof": proof.to_dict(),
        },
    )


def _figures(summary: pd.DataFrame) -> str:
    columns = [name for name in _COLUMNS if name in summary and summary[name].notna().any()]
    rows = [[_cell(row[name]) for name in columns] for row in summary.to_dict("records")]
    return markdown_table(columns, rows)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if value != value else f"{value:.3f}"
    return str(value)
