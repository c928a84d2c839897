"""An audit in MLflow. Where that is, MLflow's own configuration says (MLFLOW_TRACKING_URI, MLFLOW_EXPERIMENT_NAME)."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any

from counterpoise.integrations.trackers.entry import Entry

# Where the environment has no others. By default MLflow tries a server that does not answer for minutes.
_PATIENCE = {
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "20",
    "MLFLOW_HTTP_REQUEST_BACKOFF_FACTOR": "1",
}
_NOT_IN_NAMES = r"[^\w.\- ]"


def send(entry: Entry) -> str:
    """Writes an entry into the active run, or into a new one of the entry's name."""
    import mlflow

    with _less_patience(), _without_retries_on_the_terminal():
        active = mlflow.active_run()
        if active is not None:
            return _write(active, entry, is_ours=False)
        is_ours = "MLFLOW_RUN_ID" not in os.environ  # else MLflow opens that run again
        with mlflow.start_run(run_name=entry.name if is_ours else None) as run:
            return _write(run, entry, is_ours)


def _write(run: Any, entry: Entry, is_ours: bool) -> str:
    """Options are parameters of a run of ours; in another's they are tags, since parameters can be set only once."""
    from mlflow import MlflowClient
    from mlflow.entities import Metric, Param, RunTag
    from mlflow.utils import validation

    client = MlflowClient()
    run_id = run.info.run_id
    now = int(time.time() * 1000)
    params = _cut(entry.options, validation.MAX_PARAM_VAL_LENGTH) if is_ours else {}
    tags = {**entry.versions} if is_ours else {**entry.options, **entry.versions}
    tags = _cut(tags, validation.MAX_TAG_VAL_LENGTH)
    named = entry.metrics_named(_NOT_IN_NAMES, validation.MAX_ENTITY_KEY_LENGTH)
    metrics = [Metric(name, value, now, entry.step or 0) for name, value in named.items()]
    for start in range(0, len(metrics), validation.MAX_METRICS_PER_BATCH):
        client.log_batch(run_id, metrics=metrics[start : start + validation.MAX_METRICS_PER_BATCH])
    client.log_batch(
        run_id,
        params=[Param(name, value) for name, value in params.items()],
        tags=[RunTag(name, value) for name, value in tags.items()],
    )
    for name, path in entry.files.items():
        place = PurePosixPath("counterpoise", entry.name, name).parent
        client.log_artifact(run_id, str(path), str(place))
    return f"run {run_id} of experiment {run.info.experiment_id}"


@contextmanager
def _less_patience() -> Iterator[None]:
    ours = {name: value for name, value in _PATIENCE.items() if name not in os.environ}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)


@contextmanager
def _without_retries_on_the_terminal() -> Iterator[None]:
    """Keeps urllib3 from telling of each retry: what comes of them is told once, at the end."""
    logger = logging.getLogger("urllib3.connectionpool")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _cut(values: Mapping[str, str], longest: int) -> dict[str, str]:
    return {
        name: value if len(value) <= longest else f"{value[: longest - 3]}..."
        for name, value in values.items()
    }
