"""The masked language models that cells measure."""

from __future__ import annotations

from pathlib import Path

from counterpoise.core.errors import ModelError
from counterpoise.models import MaskedLM, load


def load_masked(name: str | Path, study: str, device: str) -> MaskedLM:
    """A masked language model; an error that names the study if the model is of another kind."""
    model = load(name, device=device)
    if not isinstance(model, MaskedLM):
        raise ModelError(
            f"the study {study} needs a masked language model, and {name} is loaded as {model.kind}"
        )
    return model
