"""The card of a trained model: what it was made from, how, and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from counterpoise.core.files import write_json, write_text
from counterpoise.core.markdown import markdown_table
from counterpoise.tuning.settings import Settings
from counterpoise.tuning.training import Trained

_TEXT = """# {name}

Fine-tuned with Counterpoise. {figures}

Its gender bias is not known until it is measured: `counterpoise audit {name}{measures}`.

{tables}
"""

_VALIDATED = (
    "The figures of validation are those of texts that were held back from training; they say\nnothing of other "
    "kinds of text."
)
_NOT_VALIDATED = "The loss is that of the texts that it was trained on; how it does on others is not known."


def write_card(folder: Path, trained: Trained, settings: Settings, made_from: Mapping[str, Any]) -> None:
    """`README.md` for people and `training.json` for programs."""
    versions = {name: metadata.version(name) for name in ("torch", "transformers")}
    figures = {**trained.best, "steps": trained.steps, "epochs trained": trained.epochs}
    held_back = settings.validation > 0
    parts = {
        "Made from": made_from,
        "Validation" if held_back else "Training": figures,
        "Settings": asdict(settings),
        "Versions": versions,
    }
    tables = [f"## {title}\n\n{markdown_table(('', ''), values.items())}" for title, values in parts.items()]
    text = _TEXT.format(
        name=trained.folder.name,
        figures=_VALIDATED if held_back else _NOT_VALIDATED,
        measures=" --measures sentiment" if held_back else "",
        tables="\n\n".join(tables),
    )
    write_text(folder / "README.md", text)
    plain = {title.lower().replace(" ", "_"): dict(values) for title, values in parts.items()}
    write_json(folder / "training.json", plain)
