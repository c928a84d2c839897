"""An audit in Weights & Biases. Where that is, its own configuration says (WANDB_PROJECT, WANDB_MODE, WANDB_DIR)."""

from __future__ import annotations

import os
import re
from typing import Any

from counterpoise.integrations.trackers.entry import Entry

# Seconds, where the environment has no others. By default W&B waits for an upload for as long as it takes.
_PATIENCE = {"init_timeout": 30.0, "finish_timeout": 120.0}
_NOT_IN_NAMES = r"[^A-Za-z0-9_]"  # W&B can neither sort nor filter by metrics with other characters
_NOT_IN_ARTEFACTS = r"[^A-Za-z0-9_.-]"


def send(entry: Entry) -> str:
    """Writes an entry into the active run, or into a new one of the entry's name."""
    import wandb

    if wandb.run is not None:
        return _write(wandb.run, entry)
    with wandb.init(name=entry.name, job_type="audit", settings=_settings()) as run:
        return _write(run, entry)


def _settings() -> Any:
    """A run of ours sends the audit and nothing else: no terminal, code, git state, arguments or machine.

    How long it may take is given here and not in the environment, which W&B reads only once.
    """
    import wandb

    return wandb.Settings(
        console="off",
        disable_git=True,
        disable_code=True,
        save_code=False,
        finish_timeout_raises=True,
        x_disable_meta=True,
        x_disable_stats=True,
        x_save_requirements=False,
        **{name: value for name, value in _PATIENCE.items() if f"WANDB_{name.upper()}" not in os.environ},
    )


def _write(run: Any, entry: Entry) -> str:
    import wandb

    run.config.update({**entry.options, **entry.versions}, allow_val_change=True)
    run.log(entry.metrics_named(_NOT_IN_NAMES), step=entry.step)
    name = re.sub(_NOT_IN_ARTEFACTS, "-", f"counterpoise-{entry.name}")[:128]
    artefact = wandb.Artifact(name, type="counterpoise-audit")
    for path_in_run, path in entry.files.items():
        artefact.add_file(str(path), name=path_in_run)
    run.log_artifact(artefact)
    return f"run {run.id}" if run.offline or not run.url else str(run.url)
